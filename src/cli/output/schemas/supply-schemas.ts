import { crossplane, source, version } from './fields.js';
import { INDEX_OUTPUT_SCHEMAS } from './index-schemas.js';
import { anything, count, flag, list, oneOf, outputSchema, record, text, texts } from './parts.js';

const image = {
  source,
  version,
  digest: text('Digest of the image; of the index where it has one.'),
  role: oneOf(
    ['package', 'runtime'],
    'The image of a package, or another that metadata wants run.',
  ),
};

/** What `-o json` prints, of commands that copy packages. */
export const SUPPLY_SCHEMAS = {
  ...INDEX_OUTPUT_SCHEMAS,
  'images-output': outputSchema('images -o json', {
    crossplane,
    images: list(
      record({
        ...image,
        platforms: list(
          record({
            'platform?': text('`linux/amd64`, or `attestation`; absent: not known.'),
            digest: text('Digest of its manifest.'),
            bytes: count('Manifest, config and layers.'),
          }),
          'What it is made of, in the order of its index.',
        ),
      }),
      'Every image, by name.',
    ),
    bytes: count('All of it, what images share counted once.'),
  }),
  'mirror-output': outputSchema('mirror -o json', {
    to: text('Where the mirror is.'),
    images: list(
      record({
        ...image,
        to: text('Name at the mirror.'),
        status: oneOf(
          ['copied', 'present', 'missing'],
          '`present`: the mirror had it; `missing`: it would be copied.',
        ),
        'attachments?': count('Signatures and the like that it has; absent: nothing was copied.'),
      }),
      'Every image, by name.',
    ),
    bytes: count('Bytes that were sent.'),
    imageConfigs: list(
      anything('An ImageConfig.'),
      'With which a cluster pulls from the mirror; empty: the release has none that can.',
    ),
    'commands?': texts('With `--dry-run`: what copies the images with another tool.'),
  }),
  'bundle-output': outputSchema('bundle -o json', {
    file: text('File that was written.'),
    images: count('Images in it.'),
    bytes: count('Size of the file.'),
  }),
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
