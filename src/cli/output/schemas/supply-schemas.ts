import { INDEX_OUTPUT_SCHEMAS } from './index-schemas.js';
import { anything, count, flag, list, outputSchema, record, text } from './parts.js';

/** What `-o json` prints, of commands that copy packages. */
export const SUPPLY_SCHEMAS = {
  ...INDEX_OUTPUT_SCHEMAS,
  'vendor-output': outputSchema('vendor -o json', {
    folder: text('Folder of the layout.'),
    packages: count('Packages in it.'),
    bytes: count('Bytes in it.'),
  }),
  'push-output': outputSchema('push -o json', {
    reference: text('Where it is.'),
    digest: text('Digest of what was pushed.'),
    pinned: text('Reference to exactly this.'),
  }),
  'cache-output': outputSchema('cache -o json', {
    folder: text('Folder of the cache.'),
    'cleaned?': flag('Whether anything was taken away.'),
    'format?': anything('Version of its format.'),
    'blobs?': anything('Manifests and layers: files and bytes.'),
    'packages?': anything('Parsed packages: files and bytes.'),
    'quarantine?': anything('What is put aside as damaged: files and bytes.'),
    'tagLists?': list(
      record({ name: text('Repository.'), at: text('When it was asked for.') }),
      'Tag lists that are kept.',
    ),
  }),
} as const;
