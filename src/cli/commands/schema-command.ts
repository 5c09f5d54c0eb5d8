import { PACKAGE_SET_SCHEMA } from '../../inputs/documents/package-set-schema.js';
import { command } from '../command.js';
import { EXIT } from '../exit-code.js';
import { INDEX_SCHEMA } from '../../sources/index/index-schema.js';
import { LOCKFILE_SCHEMA } from '../../lock/lockfile-schema.js';
import { RESOLVE_OUTPUT_SCHEMA } from '../output/answer/answer-schema.js';

const SCHEMAS = {
  'package-set': PACKAGE_SET_SCHEMA,
  lockfile: LOCKFILE_SCHEMA,
  index: INDEX_SCHEMA,
  'resolve-output': RESOLVE_OUTPUT_SCHEMA,
};

export const schemaCommand = command({
  positionals: {
    document: {
      choices: ['package-set', 'lockfile', 'index', 'resolve-output'],
      demandOption: true,
      describe: 'Whose schema',
    },
  },
  flags: {},
  examples: [['$0 schema package-set > package-set.schema.json', 'for an editor to check against']],
  run: async ({ document }, io) => {
    io.out(`${JSON.stringify(SCHEMAS[document], null, 2)}\n`);
    return EXIT.done;
  },
});
