import { COMMANDS } from '../../src/commands.js';
import { outputSchemas } from '../../src/features/tool/schema-command.js';

/** The schemas of `-o json` documents, by the name that `schema` takes. */
export const OUTPUT_SCHEMAS = await outputSchemas(COMMANDS);
