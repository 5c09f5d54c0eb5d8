import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import {
  defineConfig,
  type CodeSplittingOptions,
  type Plugin,
  type TreeshakingOptions,
} from 'rolldown';
import { INDEX_SCHEMA } from './src/sources/index/index-file.js';
import { LOCKFILE_SCHEMA } from './src/project/lockfile/lockfile-schema.js';
import {
  PACKAGE_SET_SCHEMA,
  PACKAGE_SPEC_SCHEMA,
} from './src/project/inputs/package-set-schema.js';
import { AJV_OPTIONS, type Schema } from './src/base/json-schema.js';

/** Schemas that documents are held to, and whether every departure is told: a call of `schemaCheck` with another one ends the build. */
const SCHEMAS: ReadonlyMap<string, { readonly schema: Schema; readonly all: boolean }> = new Map(
  Object.entries({
    INDEX_SCHEMA: { schema: INDEX_SCHEMA, all: false },
    PACKAGE_SPEC_SCHEMA: { schema: PACKAGE_SPEC_SCHEMA, all: true },
    LOCKFILE_SCHEMA: { schema: LOCKFILE_SCHEMA, all: true },
    PACKAGE_SET_SCHEMA: { schema: PACKAGE_SET_SCHEMA, all: true },
  }),
);

/** From so many of the modules that are loaded on demand on, what they share is in one file. */
const SHARED_BY = 8;

const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: object;
  peerDependencies: object;
}; // our own file

/** Modules that are loaded whichever command is asked for. */
const atStart = new Set<string>();

/** Modules that `resolve` of packages in folders loads: most commands do, and no more of what is shared. */
const atResolve = new Set<string>();

/** As few files as can be, for each costs time to find; no command loads what it does not need. */
export const codeSplitting: CodeSplittingOptions = {
  includeDependenciesRecursively: false,
  groups: [
    { name: 'start', test: (id) => atStart.has(id), priority: 2 },
    { name: 'resolve', test: (id) => atResolve.has(id), priority: 1 },
    { name: 'shared', minShareCount: SHARED_BY },
  ],
};

/** CycloneDX as XML, which is never asked for: its library does without. */
export const NEVER_LOADED = /^xmlbuilder2$/;

/**
 * Leaves out the part of yargs around its parser, which loads the libraries that format its help.
 */
export const treeshake: TreeshakingOptions = {
  moduleSideEffects: [{ test: /\/node_modules\/yargs\/lib\//, sideEffects: false }],
};

export default defineConfig([
  {
    input: {
      main: 'src/main.ts',
      index: 'src/index.ts',
      'testing/index': 'src/testing/index.ts',
    },
    platform: 'node',
    // Needed for files by how much is shared; a test holds the entries to what they export.
    preserveEntrySignatures: 'allow-extension',
    checks: { ineffectiveDynamicImport: false },
    treeshake,
    // What users install beside this package. All other packages become part of its files.
    external: [
      ...[...Object.keys(dependencies), ...Object.keys(peerDependencies)].map(
        (name) => new RegExp(`^${name}(/|$)`),
      ),
      NEVER_LOADED,
    ],
    plugins: [schemasInFiles(), startModules(), resolveModules(), licenses()],
    output: {
      dir: 'dist',
      format: 'esm',
      // Names stay, so that a stack trace can be read.
      chunkFileNames: 'chunks/[name].js',
      comments: { jsdoc: false },
      codeSplitting,
    },
  },
  // Files of their own: parsing them takes as long as that of a command, and most runs need one of them or none.
  ...Array.from(SCHEMAS.keys(), (name) => ({
    input: `validator:${name}`,
    platform: 'node' as const,
    plugins: [validators(), licenses(`${name}.LICENSES.txt`)],
    output: { file: `dist/validators/${name}.cjs`, format: 'cjs' as const },
  })),
  {
    input: 'src/features/graph/page/main.ts',
    output: { file: 'dist/graph/page/page.js', format: 'iife' },
  },
]);

export function startModules(): Plugin {
  return loadedBy(['src/main.ts'], atStart);
}

export function resolveModules(): Plugin {
  const files = ['src/features/resolve/command.ts', 'src/sources/dir-source.ts'];
  return loadedBy(files, atResolve);
}

/** Adds the modules that some load by themselves or by way of others, and not on demand. */
function loadedBy(files: readonly string[], modules: Set<string>): Plugin {
  return {
    name: 'loaded-by',
    buildEnd() {
      const entries = files.map((file) => resolve(file));
      const found = new Set(entries);
      for (const id of found) {
        for (const imported of this.getModuleInfo(id)!.importedIds) found.add(imported);
      }
      for (const entry of entries) found.delete(entry);
      for (const id of found) modules.add(id);
    },
  };
}

/** Puts a validator that ajv makes now in the place of each that it would make while the program runs. */
export function compiledSchemas(): Plugin[] {
  return [
    validators(),
    checksReplaced((name) => ({
      check: `checkWith(() => ${name}_validator)`,
      needs: `import ${name}_validator from 'validator:${name}';`,
    })),
  ];
}

/** Has each check load a validator from a file of its own. */
function schemasInFiles(): Plugin[] {
  const found: Plugin = {
    name: 'validators-found',
    generateBundle(_, bundle) {
      const withChecks = Object.values(bundle).find(
        (file) =>
          file.type === 'chunk' &&
          Object.keys(file.modules).some((id) => id.endsWith('json-schema.ts')),
      );
      // `compiledCheck` looks for them beside the folder that it is in.
      if (!withChecks?.fileName.startsWith('chunks/')) this.error('validators would not be found');
    },
  };
  return [checksReplaced((name) => ({ check: `compiledCheck('${name}')`, needs: '' })), found];
}

/** Puts another check in the place of each call of `schemaCheck`, and what it needs before them. */
function checksReplaced(
  by: (name: string) => { readonly check: string; readonly needs: string },
): Plugin {
  return {
    name: 'compiled-schemas',
    transform(code, id) {
      if (!code.includes('schemaCheck(') || id.endsWith('json-schema.ts')) return null;
      const needs = new Set<string>();
      const changed = code.replaceAll(CHECK, (_, name: string, all: string | undefined) => {
        if (SCHEMAS.get(name)?.all !== (all !== undefined)) {
          this.error(`rolldown.config.ts does not know ${name} as ${id} calls for it`);
        }
        const replaced = by(name);
        needs.add(replaced.needs);
        return replaced.check;
      });
      if (changed.includes('schemaCheck(')) this.error(`calls schemaCheck in another form: ${id}`);
      return [...needs, changed.replace('schemaCheck', 'checkWith, compiledCheck')].join('\n');
    },
  };
}

const CHECK = /\bschemaCheck\((\w+)(, \{ all: true \})?\)/g;

/** Makes the modules `validator:NAME`. */
function validators(): Plugin {
  const prefix = '\0validator:';
  return {
    name: 'validators',
    resolveId: (source) => (source.startsWith('validator:') ? `\0${source}.cjs` : null),
    load(id) {
      if (!id.startsWith(prefix)) return null;
      const { schema, all } = SCHEMAS.get(basename(id.slice(prefix.length), '.cjs'))!;
      const ajv = new Ajv2020({ ...AJV_OPTIONS, allErrors: all, code: { source: true } });
      return standalone.default(ajv, ajv.compile(schema));
    },
  };
}

/** What the licenses of the packages that become part of ours ask for: their texts, in one file. */
export function licenses(fileName = 'LICENSES.txt'): Plugin {
  return {
    name: 'licenses',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((file) =>
        file.type === 'chunk' ? Object.keys(file.modules) : [],
      );
      const folders = new Set(modules.flatMap((file) => PACKAGE.exec(relative('.', file)) ?? []));
      const texts = [...folders].sort().map((folder) => {
        const name = folder
          .split(sep)
          .join('/')
          .replace(/^.*node_modules\//, '');
        const { version } = manifestIn(folder);
        const file = licenseIn(folder) ?? licenseBeside(folder, folders);
        if (file === undefined) this.error(`${name} comes without the text of its license`);
        return `${name} ${version}\n\n${readFileSync(file, 'utf8').trim()}\n`;
      });
      const source = texts.join(`\n${'-'.repeat(72)}\n\n`);
      if (texts.length > 0) this.emitFile({ type: 'asset', fileName, source });
    },
  };
}

function manifestIn(folder: string) {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  return JSON.parse(text) as { readonly version: string; readonly license?: string };
}

function licenseIn(folder: string): string | undefined {
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return file === undefined ? undefined : join(folder, file);
}

/** The text that another package of the same scope comes with, under the same license. */
function licenseBeside(folder: string, all: Iterable<string>): string | undefined {
  const scope = dirname(folder);
  if (!basename(scope).startsWith('@')) return undefined;
  const { license } = manifestIn(folder);
  const alike = [...all].filter(
    (other) => dirname(other) === scope && manifestIn(other).license === license,
  );
  return alike.map((other) => licenseIn(other)).find((file) => file !== undefined);
}

/** The folder of the package that a module is from, from the top. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
