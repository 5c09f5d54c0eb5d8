import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Modules of Node.js with which a program reaches files, the network or other processes. */
const IO = ['fs', 'http', 'https', 'net', 'tls', 'dns', 'child_process', 'worker_threads', 'os'];

/** The areas of src: each imports itself and those before it. */
const AREAS = [
  'base',
  'crossplane',
  'oci',
  'sources',
  'project',
  'resolver',
  'cli',
  'features',
  'testing',
] as const;

/** Folders that do I/O, in areas that otherwise do none. */
const IO_FOLDERS =
  /^(?:base(?:\/files)?\/[^/]+$|oci\/(?:registry|store)\/|sources\/|project\/inputs\/|cli\/)/;

/** Files of features that may import the kit of commands: `command.ts`, `output.ts`, `json.ts`, with or without a prefix. */
const COMMAND_FILE = /(?:^|[/-])(?:command|output|json)\.ts$/;

/** The npm packages that each folder uses. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  base: ['ajv', 'fastest-levenshtein'],
  'base/yaml': ['js-yaml'],
  'crossplane/releases': ['semver'],
  'oci/archive': ['zstddec'],
  'oci/image': ['tar-stream', 'p-limit'],
  'oci/registry': ['undici'],
  'oci/signatures': [
    '@sigstore/bundle',
    '@sigstore/core',
    '@sigstore/protobuf-specs',
    '@sigstore/verify',
    're2js',
  ],
  sources: ['p-limit'],
  'sources/images': ['p-limit'],
  'sources/index': ['p-limit'],
  'sources/sparse-index': ['p-limit'],
  'project/edit': ['yaml'],
  'project/inputs': ['js-yaml'],
  'project/lockfile': ['js-yaml'],
  'cli/arguments': ['yargs'],
  'cli/projects': ['tinyglobby', 'p-limit'],
  'cli/sources': ['p-limit'],
  'features/graph': ['@dagrejs/dagre'],
  'features/mirror': ['p-limit', 'tar-stream'],
  'features/sbom': ['@cyclonedx/cyclonedx-library', 'packageurl-js'],
  'testing/generators': ['fast-check'],
  'testing/oracles': ['logic-solver'],
  'testing/properties': ['fast-check'],
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
  const found = code(text).matchAll(/(?:(?<!')\bfrom|\bimport|\bimport\()\s*'([^']+)'/g);
  return Array.from(found, (match) => match[1]!);
}

/** Returns what is wrong with one import; undefined: nothing. */
function badImport(file: string, specifier: string): string | undefined {
  const folder = posix.dirname(file);
  if (specifier.startsWith('.')) return badPath(file, posix.join(folder, specifier));
  if (specifier.startsWith('node:')) {
    const name = specifier.slice('node:'.length).split('/')[0]!;
    const mayDoIo = IO_FOLDERS.test(file) || file.startsWith('features/');
    return mayDoIo || !IO.includes(name) ? undefined : `${folder} does no I/O (${specifier})`;
  }
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  return PACKAGES[folder]?.includes(name) === true
    ? undefined
    : `${folder} may not import the package ${name}`;
}

function badPath(file: string, target: string): string | undefined {
  const [from, to] = [areaOf(file), areaOf(target)];
  // What puts the program and the library together imports every area.
  if (from === undefined) {
    const isLibrary = file === 'index.ts';
    return isLibrary && to === 'cli' ? 'the library has no command line' : undefined;
  }
  if (to === undefined) return `${from} may not import ${target}`;
  if (AREAS.indexOf(to) > AREAS.indexOf(from)) return `${from} may not import ${to}`;
  if (from === 'testing' && to === 'cli') return 'the test kit has no command line';
  const isCommand = COMMAND_FILE.test(file);
  if (from === 'features' && to === 'cli' && !isCommand) {
    return 'only command.ts and output.ts of a feature may import cli';
  }
  if (from !== 'cli' && !isCommand && to === 'features' && COMMAND_FILE.test(tsName(target))) {
    return `${file} is part of the library, and may not import a command`;
  }
  return undefined;
}

function tsName(target: string): string {
  return target.replace(/\.js$/, '.ts');
}

/** Returns the area of a file below src; undefined: it is an entry, and in none. */
function areaOf(file: string): (typeof AREAS)[number] | undefined {
  const first = file.split('/')[0]!;
  if (!file.includes('/')) return undefined;
  const area = AREAS.find((name) => name === first);
  if (area === undefined) throw new Error(`src/${first} is no area`);
  return area;
}

/**
 * Ways to make behavior depend on a Crossplane release outside the version map: naming a release
 * in code, and taking a target's version apart or ordering it.
 */
const RELEASE_SWITCHES: readonly RegExp[] = [
  /(?:[<>!=]=*|\(|\bcase)\s*'v[0-9]\.\d+(?:\.\d+)?'/,
  /\b(?:[Tt]arget|crossplane)\.version(?:\.raw)?\s*(?:[<>]|[!=]==|\.(?:startsWith|split|slice|match|replace|localeCompare)\()/,
  /\b(?:compareVersions|gte?|lte?)\([^)]*\b[Tt]arget\b/,
  /\b(?:major|minor|patch)\b\s*(?:[<>]=?|===)\s*\d/,
];
const VERSION_MAP =
  /^crossplane\/(?:releases\/(?:target|release-facts)|constraints\/dialects)\.ts$/;
const ENTRIES = ['index.ts', 'testing/index.ts'];
/** Constraints compare numbers of any version, and the test kit makes up releases. */
const NOT_ABOUT_RELEASES = /^crossplane\/constraints\/|^testing\//;

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

test('only the command line and the writing of files use the process', () => {
  const pattern = /\b(?:process|console)\.(?!js\b)[a-zA-Z]|from 'node:process'/;
  const bad = breaking(({ file, text }) =>
    /^(?:main\.ts$|cli\/|base\/(?:files\/|process\.ts$))/.test(file)
      ? []
      : matchOf(pattern, code(text)),
  );
  expect(bad).toEqual([]);
});

test('files leave the differences between releases to the version map', () => {
  const bad = breaking(({ file, text }) => {
    if (VERSION_MAP.test(file)) return [];
    const switches = NOT_ABOUT_RELEASES.test(file) ? undefined : releaseSwitch(text);
    const tables = importsOf(text).filter((specifier) => specifier.endsWith('/releases.json'));
    return [...(switches === undefined ? [] : [switches]), ...tables];
  });
  expect(bad).toEqual([]);
});

/** Areas whose files reach sources only through a `SourceReader` or a `Driver`. */
const READS_THROUGH_READER = /^(?:project|resolver\/(?!driver\/)|cli|features)\//;

/**
 * Direct uses of a `PackageSource`: a request whose receiver is not named as a reader or a driver,
 * and a source that has such a name.
 */
const SOURCE_ACCESS: readonly RegExp[] = [
  /(?<!\b\w*[rR]eader|\bdriver)(?:!|\?)?\.(?:tags|fetch|released|owners)(?:!|\?\.)?\((?!\s*\))/,
  /\b(?:\w*[rR]eader|driver)\??: PackageSource\b/,
];

function sourceAccess(text: string): string | undefined {
  return SOURCE_ACCESS.map((pattern) => pattern.exec(code(text))?.[0]).find(Boolean);
}

test('use cases reach sources through a reader or a driver', () => {
  const bad = breaking(({ file, text }) =>
    READS_THROUGH_READER.test(file) ? [sourceAccess(text) ?? []].flat() : [],
  );
  expect(bad).toEqual([]);
});

test('files export by name, and only entries re-export', () => {
  const bad = breaking(({ file, text }) => [
    ...matchOf(/^export default\b|^export \*/m, code(text)),
    ...(ENTRIES.includes(file) ? [] : matchOf(/^export (?:type )?\{[^}]*\} from/m, code(text))),
  ]);
  expect(bad).toEqual([]);
});

test('files are named after their content', () => {
  const names = sources.map(({ file }) => ({ file, name: posix.basename(file, '.ts') }));
  const bad = names.filter(
    ({ file, name }) =>
      !/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(name) ||
      /^(utils?|helpers?|common|types|misc)$/.test(name) ||
      (name === 'index' && !ENTRIES.includes(file)),
  );
  expect(bad).toEqual([]);
});

test('members are kept private with #', () => {
  const bad = breaking(({ text }) => matchOf(/^\s+(?:private|protected)\b/m, code(text)));
  expect(bad).toEqual([]);
});

test('files stay under 600 lines', () => {
  const files = ['src', 'test'].flatMap((folder) =>
    filesUnder(folder, /\.ts$/).map((file) => `${folder}/${file}`),
  );
  const lengths = files.map((file) => ({
    file,
    lines: readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1,
  }));
  expect(lengths.filter(({ lines }) => lines > 600)).toEqual([]);
});

test('no imports form a cycle, types included', () => {
  const graph = new Map(
    sources.map(({ file, text }) => [
      file,
      importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => tsName(posix.join(posix.dirname(file), specifier))),
    ]),
  );
  expect(graph.size).toBeGreaterThan(100);
  expect(cycleIn(graph)).toBeUndefined();
});

/** Returns the files of one cycle; undefined: there is none. */
function cycleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

describe('the rules themselves', () => {
  test('a cycle is found', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['b']],
    ]);
    expect(cycleIn(graph)).toEqual(['b', 'c', 'b']);
  });

  test.each([
    { file: 'resolver/solver/a.ts', specifier: '../../base/json.js', why: 'an area before it' },
    { file: 'features/why/command.ts', specifier: '../../cli/kit/command.js', why: 'a command' },
    { file: 'oci/store/a.ts', specifier: 'node:fs/promises', why: 'it reads image layouts' },
    { file: 'testing/generators/a.ts', specifier: 'fast-check', why: 'it draws values' },
    { file: 'commands.ts', specifier: './features/why/command.js', why: 'it lists commands' },
  ])('$file may import $specifier: $why', ({ file, specifier }) => {
    expect(badImport(file, specifier)).toBeUndefined();
  });

  test.each([
    { file: 'base/a.ts', specifier: '../resolver/solver/a.js', why: 'an area after it' },
    { file: 'resolver/solver/a.ts', specifier: 'node:fs/promises', why: 'it does no I/O' },
    { file: 'cli/kit/a.ts', specifier: '../../features/why/why.js', why: 'it knows no feature' },
    { file: 'cli/kit/a.ts', specifier: '../../commands.js', why: 'the list is an argument' },
    { file: 'features/why/why.ts', specifier: '../../cli/kit/command.js', why: 'a use case' },
    { file: 'features/why/why.ts', specifier: './command.js', why: 'a use case' },
    { file: 'index.ts', specifier: './cli/kit/run.js', why: 'a library has no command line' },
    { file: 'features/why/command.ts', specifier: 'yargs', why: 'one parser' },
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
    { text: `await source.tags(repository, target);`, seen: true, why: 'a request for tags' },
    { text: `this.#source.fetch(candidate, target)`, seen: true, why: 'a private member' },
    { text: `await source.owners?.(crd, target)`, seen: true, why: 'an optional method' },
    { text: `source.released!(candidate, target)`, seen: true, why: 'a method that must exist' },
    { text: `const reader: PackageSource = source;`, seen: true, why: 'a source named as reader' },
    { text: `await reader.tags(repository, target);`, seen: false, why: 'a reader' },
    { text: `this.#reader.fetch(candidate, target)`, seen: false, why: 'a private reader' },
    { text: `driver.fetch(candidate, target)`, seen: false, why: 'a driver' },
    { text: `await images.tags()`, seen: false, why: 'an image repository, not a source' },
  ])('a direct use of a source is seen ($seen): $why', ({ text, seen }) => {
    expect(sourceAccess(text) !== undefined).toBe(seen);
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
