import type { Schema } from '../../base/json-schema.js';
import { type AnyCommand, type CommandRow, defineCommand } from '../../cli/kit/command.js';
import { ERROR_OUTPUT, MISMATCH_OUTPUT } from '../../cli/kit/json-schema.js';
import { EACH_OUTPUT } from '../../cli/projects/project-results.js';
import { PACKAGE_SET_SCHEMA } from '../../project/inputs/package-set-schema.js';
import { LOCKFILE_SCHEMA } from '../../project/lockfile/lockfile-schema.js';
import { INDEX_SCHEMA } from '../../sources/index/index-file.js';

/** Returns the command `schema` for the documents that these commands declare, and for files. */
export async function schemaCommand(commands: readonly CommandRow[]): Promise<AnyCommand> {
  const schemas: Readonly<Record<string, Schema>> = {
    'package-set': PACKAGE_SET_SCHEMA,
    lockfile: LOCKFILE_SCHEMA,
    index: INDEX_SCHEMA,
    ...(await outputSchemas(commands)),
  };
  return defineCommand({
    positionals: {
      document: {
        choices: Object.keys(schemas),
        demandOption: true,
        describe: 'Whose schema: of an input, of the lockfile, or of what a command prints as JSON',
      },
    },
    flags: {},
    examples: [
      ['$0 schema package-set > package-set.schema.json', 'for an editor to check against'],
    ],
    run: async ({ document }) => schemas[document],
    text: (schema) => `${JSON.stringify(schema, null, 2)}\n`,
  });
}

/** Documents without their suffix, in the order in which `--help` lists them; others follow. */
const ORDER = [
  'resolve error mismatch each fleet init check verify render outdated why tree graph',
  'matrix simulate fuzz diff plan versions search constraint inspect lint convert',
  'import drift index index-update index-verify images mirror bundle vendor push cache',
].flatMap((line) => line.split(' '));

/** Returns the schemas of `-o json` documents by name, in the order of `--help`. */
export async function outputSchemas(
  commands: readonly CommandRow[],
): Promise<Readonly<Record<string, Schema>>> {
  const declared = (await Promise.all(commands.map(declaredSchemas))).flat();
  const schemas = new Map<string, Schema>([
    ['error-output', ERROR_OUTPUT],
    ['mismatch-output', MISMATCH_OUTPUT],
    ['each-output', EACH_OUTPUT],
    ...declared.flatMap((schema) => {
      const name = documentName(schema);
      return name === undefined ? [] : [[name, schema] as const];
    }),
  ]);
  return Object.fromEntries([...schemas].sort(([a], [b]) => placeOf(a) - placeOf(b)));
}

function placeOf(name: string): number {
  const place = ORDER.indexOf(name.replace(/-output$/, ''));
  return place < 0 ? ORDER.length : place;
}

/** Returns the schema of a command's document; of several if it prints one of them. */
async function declaredSchemas({ load }: CommandRow): Promise<readonly Schema[]> {
  const command = await load();
  const schema = (await command.json?.())?.schema;
  return (schema?.['anyOf'] as readonly Schema[] | undefined) ?? (schema ? [schema] : []);
}

/**
 * Returns `index-update-output` for the title `xpkg-resolve index update -o json`. Commands that
 * share a document share its title; the document of `report merge` is that of another command.
 */
function documentName({ title }: Schema): string | undefined {
  const [, command] = /^xpkg-resolve ([a-z -]+?) -o json/.exec(String(title)) ?? [];
  return command && `${command.replaceAll(' ', '-')}-output`;
}
