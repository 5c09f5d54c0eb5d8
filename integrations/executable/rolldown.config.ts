import { resolve } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';
import {
  codeSplitting,
  compiledSchemas,
  licenses,
  NEVER_LOADED,
  resolveModules,
  startModules,
  yargsWithoutHelp,
} from '../../rolldown.config.js';

/** Modules that read files of the package, and those that take them from the executable. */
const INSIDE = {
  'src/cli/io/own-file.ts': 'integrations/executable/inside/own-file.ts',
  'src/image/archive/zstd-library.ts': 'integrations/executable/inside/zstd-library.ts',
};

/** The command as scripts, with all packages in them: an executable loads no modules. */
export default defineConfig([
  {
    input: { main: 'src/cli/main.ts', zstddec: 'zstddec/stream' },
    platform: 'node',
    // Of `import.meta` yargs asks for nothing here.
    transform: { define: { 'import.meta.resolve': 'undefined' } },
    preserveEntrySignatures: 'allow-extension',
    checks: { ineffectiveDynamicImport: false },
    external: [NEVER_LOADED],
    plugins: [
      swapped(INSIDE),
      compiledSchemas(),
      yargsWithoutHelp(),
      startModules(),
      resolveModules(),
      licenses(),
    ],
    output: {
      dir: 'build/executable/inside/program',
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'chunks/[name].cjs',
      comments: { jsdoc: false },
      dynamicImportInCjs: false,
      codeSplitting,
    },
  },
  ...['start', 'warm'].map((name) => ({
    input: `integrations/executable/inside/${name}.ts`,
    platform: 'node' as const,
    output: { file: `build/executable/${name}.cjs`, format: 'cjs' as const },
  })),
]);

function swapped(modules: Readonly<Record<string, string>>): Plugin {
  const found = new Map(
    Object.entries(modules).map((pair) => [resolve(pair[0]), resolve(pair[1])]),
  );
  return {
    name: 'swapped',
    load(id) {
      const inside = found.get(id);
      return inside === undefined ? null : `export * from ${JSON.stringify(inside)};`;
    },
  };
}
