import {
  anything,
  count,
  flag,
  list,
  oneOf,
  outputSchema,
  record,
  source,
  text,
} from '../../cli/kit/json-schema.js';
import { driftOutput, importOutput } from '../cluster/output.js';
import { diffOutput } from '../diff/json-output.js';
import {
  constraintOutput,
  convertOutput,
  inspectOutput,
  searchOutput,
  versionsOutput,
} from '../packages/output.js';
import { INDEX_OUTPUT_SCHEMAS } from '../index/output.js';
import { lintOutput } from '../lint/output.js';
import { bundleOutput, imagesOutput, mirrorOutput, vendorOutput } from '../mirror/output.js';
import { pushOutput } from '../render/output.js';
import { planOutput } from '../plan/output.js';

/** Documents of commands about one package. */
export const PACKAGE_SCHEMAS = {
  'versions-output': versionsOutput.schema,
  'search-output': searchOutput.schema,
  'constraint-output': constraintOutput.schema,
  'inspect-output': inspectOutput.schema,
  'lint-output': lintOutput.schema,
  'convert-output': convertOutput.schema,
} as const;

/** Documents of commands that compare two package sets. */
export const COMPARE_SCHEMAS = {
  'diff-output': diffOutput.schema,
  'plan-output': planOutput.schema,
} as const;

/** Documents of commands about a cluster. */
export const CLUSTER_SCHEMAS = {
  'import-output': importOutput.schema,
  'drift-output': driftOutput.schema,
} as const;

/** Documents of commands that copy packages. */
export const SUPPLY_SCHEMAS = {
  ...INDEX_OUTPUT_SCHEMAS,
  'images-output': imagesOutput.schema,
  'mirror-output': mirrorOutput.schema,
  'bundle-output': bundleOutput.schema,
  'vendor-output': vendorOutput.schema,
  'push-output': pushOutput.schema,
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
