import { resolve } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';
import {
  codeSplitting,
  compiledSchemas,
  licenses,
  NEVER_LOADED,
  resolveModules,
  startModules,
  treeshake,
} from '../../rolldown.config.js';

/** Modules that read files of the package, and their replacements that read the embedded files. */
const INSIDE = {
  'src/cli/terminal/own-file.ts': 'integrations/executable/inside/own-file.ts',
  'src/oci/archive/zstd-library.ts': 'integrations/executable/inside/zstd-library.ts',
};

/** Bundles the command and all packages into scripts: an executable loads no modules. */
export default defineConfig([
  {
    input: { main: 'src/main.ts', zstddec: 'zstddec/stream' },
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    checks: { ineffectiveDynamicImport: false },
    treeshake,
    external: [NEVER_LOADED],
    plugins: [swapped(INSIDE), compiledSchemas(), startModules(), resolveModules(), licenses()],
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
