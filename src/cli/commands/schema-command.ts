import { PACKAGE_SET_SCHEMA } from '../../inputs/documents/package-set-schema.js';
import { command } from '../command.js';
import { EXIT } from '../exit-code.js';
import { INDEX_SCHEMA } from '../../sources/index/index-schema.js';
import { LOCKFILE_SCHEMA } from '../../lock/lockfile-schema.js';
import { OUTPUT_SCHEMAS } from '../output/schemas/output-schemas.js';

const SCHEMAS = {
  'package-set': PACKAGE_SET_SCHEMA,
  lockfile: LOCKFILE_SCHEMA,
  index: INDEX_SCHEMA,
  ...OUTPUT_SCHEMAS,
};

const NAMES = Object.keys(SCHEMAS) as (keyof typeof SCHEMAS)[];

export const schemaCommand = command({
  positionals: {
    document: {
      choices: NAMES,
      demandOption: true,
      describe: 'Whose schema: of an input, of the lockfile, or of what a command prints as JSON',
    },
  },
  flags: {},
  examples: [['$0 schema package-set > package-set.schema.json', 'for an editor to check against']],
  run: async ({ document }, io) => {
    io.out(`${JSON.stringify(SCHEMAS[document], null, 2)}\n`);
    return EXIT.done;
  },
});
