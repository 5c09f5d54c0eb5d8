import type { Schema } from '../../base/json-schema.js';
import type { AnyCommand, CommandRow } from '../../cli/kit/command.js';
import { ERROR_OUTPUT, MISMATCH_OUTPUT } from '../../cli/kit/json-schema.js';
import { defineCommand } from '../../cli/kit/define-command.js';
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

/** Documents in the order in which `--help` lists them; all others follow. */
const ORDER = [
  'resolve-output',
  'error-output',
  'mismatch-output',
  'each-output',
  'fleet-output',
  'init-output',
  'check-output',
  'verify-output',
  'render-output',
  'outdated-output',
  'why-output',
  'tree-output',
  'graph-output',
  'matrix-output',
  'simulate-output',
  'fuzz-output',
  'diff-output',
  'plan-output',
  'versions-output',
  'search-output',
  'constraint-output',
  'inspect-output',
  'lint-output',
  'convert-output',
  'import-output',
  'drift-output',
  'index-output',
  'index-update-output',
  'index-verify-output',
  'images-output',
  'mirror-output',
  'bundle-output',
  'vendor-output',
  'push-output',
  'cache-output',
];

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
  return ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length;
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
