import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const IO = ['fs', 'http', 'https', 'net', 'tls', 'dns', 'child_process', 'worker_threads', 'os'];

interface Layer {
  /** Folders of src it may import, beside itself. */
  readonly folders: readonly string[];
  readonly npm: readonly string[];
  /** May open files and sockets. */
  readonly io: boolean;
}

const READING = ['text', 'files', 'semver', 'model', 'admission', 'image', 'registry', 'store'];
/** What follows from a lockfile. */
const DERIVING = ['lock', 'bundle', 'compare', 'cluster', 'plan'];
const WRITING = [...DERIVING, 'inputs', 'package-yaml', 'sources'];
const SEARCHING = ['solver', 'driver', 'explain'];
const USING = ['usecases', 'convert', 'graph', 'report', 'signatures', 'supply', 'sbom'];
const LIBRARY = [...READING, ...WRITING, ...SEARCHING, ...USING];

const LAYERS: Readonly<Record<string, Layer>> = {
  text: { folders: [], npm: ['js-yaml', 'ajv', 'fastest-levenshtein'], io: false },
  semver: { folders: ['text'], npm: [], io: false },
  model: { folders: ['text', 'semver'], npm: ['semver'], io: false },
  files: { folders: ['text', 'model'], npm: [], io: true },
  admission: { folders: ['text', 'semver', 'model'], npm: [], io: false },
  'package-yaml': { folders: ['text', 'model'], npm: ['js-yaml'], io: false },
  image: {
    folders: ['text', 'files', 'model'],
    npm: ['tar-stream', 'zstddec', 'p-limit'],
    io: false,
  },
  convert: { folders: ['text', 'semver', 'model', 'package-yaml'], npm: [], io: false },
  registry: { folders: ['text', 'files', 'model', 'image'], npm: ['undici'], io: true },
  store: { folders: ['text', 'files', 'model', 'image'], npm: [], io: true },
  sources: { folders: [...READING, 'package-yaml'], npm: ['p-limit'], io: true },
  signatures: {
    folders: ['text', 'model', 'image'],
    npm: [
      '@sigstore/bundle',
      '@sigstore/core',
      '@sigstore/protobuf-specs',
      '@sigstore/verify',
      're2js',
    ],
    io: false,
  },
  supply: {
    folders: [...READING, 'package-yaml', 'sources', 'signatures', 'lock'],
    npm: ['p-limit'],
    io: true,
  },
  inputs: { folders: ['text', 'semver', 'model'], npm: ['js-yaml', 'yaml'], io: true },
  lock: { folders: ['text', 'semver', 'model'], npm: ['js-yaml'], io: false },
  bundle: { folders: ['text', 'semver', 'model', 'lock'], npm: [], io: false },
  compare: { folders: ['text', 'model', 'lock'], npm: [], io: false },
  cluster: { folders: ['text', 'semver', 'model', 'admission', 'lock'], npm: [], io: false },
  plan: { folders: ['text', 'semver', 'model', 'lock'], npm: [], io: false },
  solver: { folders: ['text', 'semver', 'model'], npm: [], io: false },
  driver: { folders: ['text', 'semver', 'model', 'admission', 'solver'], npm: [], io: false },
  explain: {
    folders: ['text', 'semver', 'model', 'admission', 'solver', 'driver'],
    npm: [],
    io: false,
  },
  usecases: {
    folders: ['text', 'semver', 'model', 'admission', ...DERIVING, ...SEARCHING],
    npm: [],
    io: false,
  },
  graph: {
    folders: ['text', 'model', 'lock', 'explain', 'usecases'],
    npm: ['@dagrejs/dagre'],
    io: false,
  },
  report: { folders: ['text', 'model'], npm: [], io: false },
  sbom: {
    folders: ['text', 'model', 'lock'],
    npm: ['@cyclonedx/cyclonedx-library', 'packageurl-js'],
    io: false,
  },
  testing: { folders: LIBRARY, npm: ['fast-check', 'logic-solver'], io: false },
  cli: { folders: LIBRARY, npm: ['yargs', 'p-limit', 'tinyglobby'], io: true },
  'index.ts': { folders: LIBRARY, npm: [], io: false },
};

function filesUnder(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => pattern.test(file))
    .sort();
}

interface Source {
  /** Below src. */
  readonly file: string;
  readonly text: string;
}

const sources: readonly Source[] = filesUnder('src', /\.ts$/).map((file) => ({
  file,
  text: readFileSync(join(ROOT, 'src', file), 'utf8'),
}));

/** Source without comments; good enough for code that a formatter has been over. */
function code(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^(\s*)\/\/.*$|\s\/\/ .*$/gm, '$1');
}

function importsOf(text: string): string[] {
  const found = code(text).matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'/g);
  return Array.from(found, (match) => match[1]!);
}

/** Names declared and exported by a file; overloads and a type beside its value count once. */
function exportsOf(text: string): string[] {
  const declared =
    /^export (?:async )?(?:function\*?|class|interface|type|const|enum) ([A-Za-z0-9_]+)/gm;
  return Array.from(code(text).matchAll(declared), (match) => match[1]!);
}

/** Comment lines about persons who are not named: what they hide is a caller, a request, a lock. */
function vagueComments(text: string): string[] {
  const vague = /^.*(?:\/\/|\*).*\b(?:nobody|somebody|whoever|anybody)\b.*$/gim;
  return Array.from(text.matchAll(vague), (match) => match[0].trim());
}

/** What is wrong with one import, or undefined. */
function badImport(file: string, specifier: string): string | undefined {
  const folder = file.split('/')[0]!;
  const layer = LAYERS[folder];
  if (layer === undefined) return `src/${folder} is not in the layering table`;
  if (specifier.startsWith('.')) {
    const target = posix.join(dirname(file), specifier).split('/')[0]!;
    if (target === folder || layer.folders.includes(target)) return undefined;
    return `${folder} may not import ${target}`;
  }
  if (specifier.startsWith('node:')) {
    const name = specifier.slice('node:'.length).split('/')[0]!;
    return layer.io || !IO.includes(name) ? undefined : `${folder} does no I/O (${specifier})`;
  }
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  return layer.npm.includes(name) ? undefined : `${folder} may not import the package ${name}`;
}

/**
 * Ways to make behaviour depend on a Crossplane release outside the version map: naming a release
 * in code, and taking a target's version apart or ordering it.
 */
const RELEASE_SWITCHES: readonly RegExp[] = [
  /(?:[<>!=]=*|\(|\bcase)\s*'v[0-9]\.\d+(?:\.\d+)?'/,
  /\b(?:[Tt]arget|crossplane)\.version(?:\.raw)?\s*(?:[<>]|[!=]==|\.(?:startsWith|split|slice|match|replace|localeCompare)\()/,
  /\b(?:compareVersions|gte?|lte?|satisfies)\([^)]*\b[Tt]arget\b/,
  /\b(?:major|minor|patch)\b\s*(?:[<>]=?|===)\s*\d/,
];
const MAX_FILES_PER_FOLDER = 15;
const VERSION_MAP = ['target', 'releases', 'package-manager'].map(
  (name) => `model/target/${name}.ts`,
);
const ENTRIES = ['index.ts', 'testing/index.ts'];
/** Versions and constraints in general have numbers for their trade; a test kit makes releases up. */
const NOT_ABOUT_RELEASES = /^semver\/|^testing\//;

function releaseSwitch(text: string): string | undefined {
  return RELEASE_SWITCHES.map((pattern) => pattern.exec(code(text))?.[0]).find(Boolean);
}

test('there are sources to check', () => {
  expect(sources.length).toBeGreaterThan(15);
  expect(sources.flatMap(({ text }) => importsOf(text)).length).toBeGreaterThan(30);
});

/** Files that break a rule, with what breaks it. */
function breaking(rule: (source: Source) => readonly string[]): string[] {
  return sources.flatMap((source) => rule(source).map((what) => `src/${source.file}: ${what}`));
}

/** The first match, if there is one. */
function matchOf(pattern: RegExp, text: string): string[] {
  return pattern.exec(text)?.slice(0, 1) ?? [];
}

test('files import only what their folder may', () => {
  const bad = breaking(({ file, text }) =>
    importsOf(text).flatMap((specifier) => badImport(file, specifier) ?? []),
  );
  expect(bad).toEqual([]);
});

test('files leave the process to cli and files', () => {
  const pattern = /\b(?:process|console)\.|from 'node:process'/;
  const bad = breaking(({ file, text }) =>
    /^(?:cli|files)\//.test(file) ? [] : matchOf(pattern, code(text)),
  );
  expect(bad).toEqual([]);
});

test('files leave the differences between releases to the version map', () => {
  const bad = breaking(({ file, text }) => {
    if (VERSION_MAP.includes(file)) return [];
    const switches = NOT_ABOUT_RELEASES.test(file) ? undefined : releaseSwitch(text);
    const tables = importsOf(text).filter((specifier) => specifier.endsWith('/releases.js'));
    return [...(switches === undefined ? [] : [switches]), ...tables];
  });
  expect(bad).toEqual([]);
});

test('files export by name, and only entries re-export', () => {
  const bad = breaking(({ file, text }) => [
    ...matchOf(/^export default\b|^export \*/m, code(text)),
    ...(ENTRIES.includes(file) ? [] : matchOf(/^export (?:type )?\{[^}]*\} from/m, code(text))),
  ]);
  expect(bad).toEqual([]);
});

test('files are named for what they hold', () => {
  const names = sources.map(({ file }) => ({ file, name: posix.basename(file, '.ts') }));
  const bad = names.filter(
    ({ file, name }) =>
      !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(name) ||
      /^(utils?|helpers?|common|types|misc)$/.test(name) ||
      (name === 'index' && !ENTRIES.includes(file)),
  );
  expect(bad).toEqual([]);
});

test(`folders hold at most ${MAX_FILES_PER_FOLDER} files`, () => {
  const folders = sources.map(({ file }) => dirname(file));
  const sizes = [...new Set(folders)].map((folder) => ({
    folder,
    files: folders.filter((other) => other === folder).length,
  }));
  expect(sizes.filter(({ files }) => files > MAX_FILES_PER_FOLDER)).toEqual([]);
});

test('an exported name stands for one thing', () => {
  const files = new Map<string, Set<string>>();
  for (const { file, text } of sources) {
    for (const name of exportsOf(text)) files.set(name, (files.get(name) ?? new Set()).add(file));
  }
  const several = [...files].filter(([, places]) => places.size > 1);
  expect(several.map(([name, places]) => `${name}: ${[...places].join(', ')}`)).toEqual([]);
});

test('comments name the mechanism', () => {
  expect(breaking(({ text }) => vagueComments(text))).toEqual([]);
});

test('members are kept private with #', () => {
  const bad = breaking(({ text }) => matchOf(/^\s+(?:private|protected)\b/m, code(text)));
  expect(bad).toEqual([]);
});

test('files stay under 500 lines', () => {
  const files = ['src', 'test'].flatMap((folder) =>
    filesUnder(folder, /\.ts$/).map((file) => `${folder}/${file}`),
  );
  const lengths = files.map((file) => ({
    file,
    lines: readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1,
  }));
  expect(lengths.filter(({ lines }) => lines > 500)).toEqual([]);
});

describe('the rules themselves', () => {
  test.each([
    { file: 'solver/a.ts', specifier: '../model/package.js', why: 'solver builds on model' },
    { file: 'cli/commands/a.ts', specifier: '../../usecases/update.js', why: 'two levels deep' },
    { file: 'store/a.ts', specifier: 'node:fs/promises', why: 'store reads layouts' },
    { file: 'testing/a.ts', specifier: 'fast-check', why: 'the test kit is its only user' },
  ])('$file may import $specifier: $why', ({ file, specifier }) => {
    expect(badImport(file, specifier)).toBeUndefined();
  });

  test.each([
    { file: 'model/a.ts', specifier: '../solver/term.js', why: 'model knows nobody' },
    { file: 'solver/a.ts', specifier: 'node:fs/promises', why: 'the core does no I/O' },
    {
      file: 'cli/commands/a.ts',
      specifier: '../../testing/laws/laws.js',
      why: 'it needs fast-check',
    },
    { file: 'index.ts', specifier: './cli/run.js', why: 'a library has no command line' },
    { file: 'usecases/a.ts', specifier: 'yargs', why: 'flags belong to cli' },
    { file: 'extra/a.ts', specifier: './b.js', why: 'a new folder has to be entered here first' },
  ])('$file may not import $specifier: $why', ({ file, specifier }) => {
    expect(badImport(file, specifier)).toBeDefined();
  });

  test.each([
    { text: `import type { A } from './a.js';`, want: ['./a.js'], why: 'types count' },
    { text: `import {\n  a,\n} from './a.js';`, want: ['./a.js'], why: 'over several lines' },
    { text: `const m = await import('./a.js');`, want: ['./a.js'], why: 'dynamic' },
    { text: `export { a } from './a.js';`, want: ['./a.js'], why: 're-exports' },
    { text: `import './a.js';`, want: ['./a.js'], why: 'for effect' },
    { text: `// import './a.js';`, want: [], why: 'a comment is none' },
  ])('an import is seen: $why', ({ text, want }) => {
    expect(importsOf(text)).toEqual(want);
  });

  test.each([
    { text: `/** Waits for whoever holds the lock. */`, seen: true, why: 'a doc comment' },
    { text: `x(); // Nobody reads it.`, seen: true, why: 'a comment after code' },
    { text: `const who = 'nobody';`, seen: false, why: 'text is not a comment' },
    { text: `/** Waits until the lock is free. */`, seen: false, why: 'it names the lock' },
  ])('a vague comment is seen ($seen): $why', ({ text, seen }) => {
    expect(vagueComments(text).length > 0).toBe(seen);
  });

  test('a name is exported once, however it is declared', () => {
    const text =
      'export type A = 1;\nexport const A = 1;\nexport async function b() {}\nconst c = 1;';
    expect(exportsOf(text)).toEqual(['A', 'A', 'b']);
  });

  test.each([
    { text: `if (target.version >= other) x();`, seen: true, why: 'ordering targets' },
    { text: `if (target.version.startsWith('v2')) x();`, seen: true, why: 'taking it apart' },
    { text: `compareVersions(v, parse(target.version))`, seen: true, why: 'ordering by function' },
    { text: `const since = 'v1.19.0';`, seen: true, why: 'a release named in code' },
    { text: `if (major >= 2) x();`, seen: true, why: 'a major number' },
    { text: `/** Since v1.19 a row says \`kind\`. */`, seen: false, why: 'comments may name them' },
    { text: `target.rules.lockRows === 'gvk'`, seen: false, why: 'asking the map is the point' },
    { text: `constraint.admits(parse(target.version))`, seen: false, why: 'a package may ask' },
  ])('a switch on the release is seen ($seen): $why', ({ text, seen }) => {
    expect(releaseSwitch(text) !== undefined).toBe(seen);
  });
});
