import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runCli } from '../../src/commands.js';
import { fakeIo } from '../support/fake-io.js';
import { recordFigure } from '../support/figures.js';
import { withAccident, type Accident } from '../support/fs-changes.js';
import { providerYaml } from '../support/package-yaml.js';
import { packageImage } from '../support/registry/image.js';
import { Registry } from '../support/registry/registry.js';

vi.mock('node:fs', async (original) => {
  const { changingFs } = await import('../support/fs-changes.js');
  return changingFs(await original());
});
vi.mock('node:fs/promises', async (original) => {
  const { changingPromises } = await import('../support/fs-changes.js');
  return changingPromises(await original());
});

/** A failure after the last change of any command. */
const NEVER: Accident = { at: Infinity, how: 'killed' };
const CODES = ['ENOSPC', 'EIO', 'EROFS'] as const;
const REPOSITORY = 'xpkg.example.org/acme/p';
const FROM = ['--from', 'dir:packages'];
const RESOLVE = ['resolve', '--upgrade', ...FROM];
const OLD_SET = ['resolve', '--prefer', 'lowest', ...FROM];
const ASIDE = ['--lock', 'a/l.yaml', '--out', 'c'];
const INDEX = ['index', ...FROM, '--out', 'i.json'];
const PARTS = ['index', ...FROM, '--out', 'world/'];
const VENDOR = ['vendor', 'world', ...FROM];
const CACHE = ['--cache', 'cache'];
const fetching = (version: string) => [
  'resolve',
  `${registry.host}/acme/q:${version}`,
  '--upgrade',
  ...FROM,
  '--from',
  'registry',
  ...CACHE,
];
const INPUT = `apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
metadata:
  name: set
spec:
  crossplane: v2.3.4
  packages:
    - provider: ${REPOSITORY}
      version: ">=v1.0.0"
`;

/** The distance between tested changes; test/conformance sets 1 to test all. */
const STRIDE = Number(process.env['XPKG_CHANGE_STRIDE'] ?? 9);

let top: string;
const registry = await new Registry().start();
const pairs = new Set<string>();

beforeAll(async () => {
  top = mkdtempSync(join(tmpdir(), 'every-change-'));
  for (const version of ['v1.0.0', 'v1.1.0']) {
    const yaml = providerYaml('q', `qs.${version}.example.org`);
    registry.push('acme/q', version, await packageImage(yaml));
  }
});
afterAll(async () => {
  process.stdout.write(`every change: ${pairs.size} pairs of a killed and a next command\n`);
  await registry.stop();
  rmSync(top, { recursive: true });
});

function addPackage(folder: string, version: string): void {
  const at = join(folder, 'packages', `${REPOSITORY}@${version}`);
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, 'package.yaml'), providerYaml('p', `${version}.example.org`));
}

/** The state of a cache consists of file names: contents have timestamps or are named by digest. */
const CACHED = /^cache\/v1\/[a-z]+\//;

/** Returns the contents of every file, link and folder. */
function stateOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    entries
      .filter((name) => !name.startsWith('packages'))
      .map((name) => {
        const path = join(folder, name);
        const found = lstatSync(path);
        const kind = found.isFile()
          ? CACHED.test(name)
            ? 'cached'
            : readFileSync(path, 'hex')
          : found.isDirectory()
            ? 'folder'
            : 'other';
        return [relative(folder, path), kind];
      }),
  );
}

async function run(folder: string, argv: readonly string[], accident = NEVER) {
  // An index records when a version was first seen: all runs use the same time, so that states
  // compare.
  const io = fakeIo({ cwd: folder, env: { SOURCE_DATE_EPOCH: '1780000000' } });
  const ended = await withAccident(accident, () => runCli(argv, io));
  return { ...ended, notes: io.notes().join('\n') };
}

type State = Readonly<Record<string, string>>;

interface Outcome {
  readonly end: unknown;
  readonly state: State;
}

function expectEither(state: State, states: readonly State[], why: string): void {
  const isFirst = JSON.stringify(state) === JSON.stringify(states[0]);
  expect(state, why).toEqual(isFirst ? states[0] : states.at(-1));
}

/** Like `expectEither`, for states with a layout whose blobs its index may not name. */
function expectWhole(state: State, outcomes: readonly Outcome[], why: string): void {
  const wholes = outcomes.filter(
    (outcome) => outcome.state['world/index.json'] === state['world/index.json'],
  );
  const names = new Set(outcomes.flatMap((outcome) => Object.keys(outcome.state)));
  const others = Object.keys(state).filter((name) => !name.startsWith('world') && !names.has(name));
  expect(others, why).toEqual([]);
  expect(state, why).toMatchObject(wholes[0]?.state ?? {});
}

interface Scenario {
  readonly what: string;
  /** Commands that create the initial state. */
  readonly before: readonly (readonly string[])[];
  /** Folders that are created before. */
  readonly empty?: readonly string[];
  /** A version that is published after the initial state. */
  readonly adds?: string;
  readonly argv: readonly string[];
  /** Only the next `argv` removes blobs in a layout that no index names. */
  readonly addsBlobs?: boolean;
  /** Any part of a cache may exist, so the cache is not part of the state. */
  readonly changesCache?: boolean;
}

/** Commands that may run next and write nothing themselves. */
const READERS: readonly (readonly string[])[] = [
  ['tree'],
  ['why', REPOSITORY],
  ['verify', ...FROM],
  ['outdated', ...FROM],
  ['render', '--check'],
  ['resolve', '--locked', ...FROM],
  ['matrix', ...FROM],
  ['inspect', `${REPOSITORY}:v1.0.0`, ...FROM],
  ['lint', `${REPOSITORY}:v1.0.0`, ...FROM],
  ['cache', 'info', ...CACHE],
  ['constraint', '>=v1.0.0', 'v1.2.0'],
  ['schema', 'lockfile'],
];

/**
 * Commands that may run next and write; the result must be that for the old or for the new state.
 */
const WRITERS: readonly (readonly string[])[] = [
  OLD_SET,
  ['update', ...FROM],
  ['render', '--pin', 'digest'],
  ['resolve', '--frozen'],
  ['index', ...FROM, '--out', 'other.json'],
  ['vendor', 'other', ...FROM],
  RESOLVE,
  ['cache', 'clean', ...CACHE],
];

const SCENARIOS: readonly Scenario[] = [
  { what: '`resolve`, at first', before: [], argv: RESOLVE },
  { what: '`resolve`, over old outputs', before: [OLD_SET], argv: RESOLVE },
  {
    what: '`resolve`, to folders that are not there',
    before: [],
    argv: [...RESOLVE, '--lock', 'a/b/l.yaml', '--out', 'c/d'],
  },
  {
    what: '`resolve`, to folders side by side',
    before: [[...OLD_SET, ...ASIDE]],
    argv: [...RESOLVE, ...ASIDE],
  },
  { what: '`update`', before: [OLD_SET], argv: ['update', ...FROM] },
  { what: '`add`', before: [OLD_SET], argv: ['add', `${REPOSITORY}@v1.1.0`, ...FROM] },
  { what: '`render`, at first', before: [[...RESOLVE, '--out', '-']], argv: ['render'] },
  { what: '`render`, over old outputs', before: [RESOLVE], argv: ['render', '--pin', 'digest'] },
  { what: '`index`, at first', before: [RESOLVE], argv: INDEX },
  { what: '`index`, over an old one', before: [RESOLVE, INDEX], argv: INDEX, adds: 'v1.2.0' },
  {
    what: '`index`, packed',
    before: [],
    argv: ['index', ...FROM, '--out', 'sub/i.json.gz'],
    empty: ['sub'],
  },
  { what: '`index`, in parts, at first', before: [], argv: PARTS },
  {
    what: '`index`, in parts, over old ones',
    before: [PARTS],
    adds: 'v1.2.0',
    argv: PARTS,
    addsBlobs: true,
  },
  {
    what: '`index update`, in parts',
    before: [PARTS],
    adds: 'v1.2.0',
    argv: ['index', 'update', 'world/', ...FROM],
    addsBlobs: true,
  },
  { what: '`vendor`, at first', before: [RESOLVE], argv: VENDOR },
  {
    what: '`vendor`, into an empty folder',
    before: [RESOLVE],
    empty: ['world'],
    argv: VENDOR,
    addsBlobs: true,
  },
  {
    what: '`vendor`, over an old layout',
    before: [OLD_SET, VENDOR, RESOLVE],
    argv: VENDOR,
    addsBlobs: true,
  },
  {
    what: '`resolve`, with nothing in the cache',
    before: [],
    argv: fetching('v1.0.0'),
    changesCache: true,
  },
  {
    what: '`resolve`, with something in the cache',
    before: [fetching('v1.0.0')],
    argv: fetching('v1.1.0'),
    changesCache: true,
  },
  {
    what: '`cache clean`',
    before: [fetching('v1.0.0')],
    argv: ['cache', 'clean', ...CACHE],
    changesCache: true,
  },
];

describe.each(SCENARIOS)('$what', (scenario) => {
  const {
    what,
    before,
    empty = [],
    adds,
    argv,
    addsBlobs = false,
    changesCache = false,
  } = scenario;
  let template: string;
  let oldState: Readonly<Record<string, string>>;
  let newState: Readonly<Record<string, string>>;
  let copies = 0;

  beforeAll(async () => {
    template = join(top, what.replaceAll(/\W+/g, '-'));
    addPackage(template, 'v1.0.0');
    addPackage(template, 'v1.1.0');
    writeFileSync(join(template, 'xpkg.yaml'), INPUT);
    for (const each of before) expect(await run(template, each)).toMatchObject({ end: 0 });
    for (const each of empty) mkdirSync(join(template, each));
    if (adds !== undefined) addPackage(template, adds);
    oldState = stateOf(template);
    const folder = fresh();
    expect(await run(folder, argv)).toMatchObject({ end: 0 });
    newState = stateOf(folder);
    expect(newState).not.toEqual(oldState);
  });

  const fresh = () => {
    const folder = `${template}-${(copies += 1)}`;
    cpSync(template, folder, { recursive: true });
    return folder;
  };
  const reader = [
    'tree',
    ...(argv.includes('--lock') ? argv.slice(argv.indexOf('--lock')).slice(0, 2) : []),
  ];
  const countPair = (next: readonly string[]) => pairs.add(`${what} ${next.join(' ')}`);
  /** Returns the state without blobs and folders that only the next run of the command removes. */
  const seen = (folder: string) => {
    const state = outputs(stateOf(folder));
    if (!addsBlobs) return state;
    const named = new Set([...Object.keys(oldState), ...Object.keys(newState)]);
    return Object.fromEntries(Object.entries(state).filter(([name]) => named.has(name)));
  };
  /** Returns the state without the cache if the command changes the cache. */
  const outputs = (state: State): State =>
    changesCache
      ? Object.fromEntries(Object.entries(state).filter(([name]) => !name.startsWith('cache')))
      : state;
  const expectOneOf = (folder: string, why: string) => {
    const state = seen(folder);
    const index = state['world/index.json'];
    if (addsBlobs) {
      const whole = index === newState['world/index.json'] ? newState : oldState;
      expect(state, why).toMatchObject(whole);
    } else expectEither(state, [outputs(oldState), outputs(newState)], why);
  };
  /** The results of a command for the old and for the new state. */
  const known = new Map<string, Promise<readonly Outcome[]>>();
  const outcomesOf = (next: readonly string[]) => {
    const made = async (first: readonly (readonly string[])[]): Promise<Outcome> => {
      const folder = fresh();
      for (const each of first) await run(folder, each);
      const { end } = await run(folder, next);
      return { end, state: outputs(stateOf(folder)) };
    };
    const outcomes = known.get(next.join(' ')) ?? Promise.all([made([]), made([argv])]);
    known.set(next.join(' '), outcomes);
    return outcomes;
  };

  test('after a kill before any change, the next command finds the old or the new state', async () => {
    for (let at = 1, turn = SCENARIOS.indexOf(scenario); ; at += STRIDE, turn += 1) {
      const folder = fresh();
      const { end, happened, last } = await run(folder, argv, { at, how: 'killed' });
      if (!happened) break;
      expect([end, last]).toEqual(['killed', last]);
      recordFigure('kills before a change of the file system', { tried: 1 });
      const next = READERS[turn % READERS.length]!;
      countPair(next);
      const read = await run(folder, next);
      expect([0, 4, 6], `${next.join(' ')}: ${last}\n${read.notes}`).toContain(read.end);
      expectOneOf(folder, `killed before change ${at}: ${last}`);
      // Equal states have equal results; only remains in layouts and caches need a check.
      if (addsBlobs || changesCache || turn % 4 === 0) {
        expect(await run(folder, argv), last).toMatchObject({ end: 0 });
        expect(stateOf(folder), last).toEqual(newState);
      }
      rmSync(folder, { recursive: true });
    }
  });

  test('after a kill, the next command writes the result for the old or the new state', async () => {
    // Each needs more runs than a kill that is only inspected.
    const stride = STRIDE === 1 ? 4 : 3 * STRIDE;
    for (let at = 1, turn = SCENARIOS.indexOf(scenario); ; at += stride, turn += 1) {
      const folder = fresh();
      const { happened, last } = await run(folder, argv, { at, how: 'killed' });
      if (!happened) break;
      const next = WRITERS[turn % WRITERS.length]!;
      const { end, notes } = await run(folder, next);
      const outcomes = await outcomesOf(next);
      const why = `${next.join(' ')}, after a kill before change ${at}: ${last}\n${notes}`;
      expect(
        outcomes.map((outcome) => outcome.end),
        why,
      ).toContain(end);
      const state = outputs(stateOf(folder));
      if (addsBlobs) expectWhole(state, outcomes, why);
      else
        expectEither(
          state,
          outcomes.map((outcome) => outcome.state),
          why,
        );
      recordFigure('kills before a change of the file system', { tried: 1 });
      countPair(next);
      rmSync(folder, { recursive: true });
    }
  });

  test('if any single change fails: exit code 0 and the new state, or an error and the old state', async () => {
    for (let at = 1; ; at += STRIDE) {
      const folder = fresh();
      const how = CODES[at % CODES.length]!;
      const { end, happened, last, notes } = await run(folder, argv, { at, how });
      if (!happened) break;
      recordFigure('changes of the file system that fail', { tried: 1 });
      if (end !== 0) {
        expect([end, notes], last).toEqual([
          2,
          expect.stringMatching(new RegExp(`(?:cannot write|the cache) \`.*${how}`)),
        ]);
      }
      expectEither(outputs(stateOf(folder)), [outputs(end === 0 ? newState : oldState)], last);
      rmSync(folder, { recursive: true });
    }
  });

  test('if all changes from one on fail, the next command finds the old or the new state', async () => {
    // Each takes three runs, so only a third of the changes is tested.
    for (let at = 1; ; at += 3 * STRIDE) {
      const folder = fresh();
      const { end, happened, last } = await run(folder, argv, { at, how: 'EROFS', lasting: true });
      if (!happened) break;
      recordFigure('changes of the file system that fail', { tried: 1 });
      expect([0, 2], last).toContain(end);
      await run(folder, reader);
      expectOneOf(folder, `from change ${at} on: ${last}`);
      expect(await run(folder, argv), last).toMatchObject({ end: 0 });
      expect(stateOf(folder), last).toEqual(newState);
      rmSync(folder, { recursive: true });
    }
  });
});
