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
import { runCli } from '../../src/cli/run.js';
import { fakeIo } from '../support/fake-io.js';
import { withAccident, type Accident } from '../support/fs-changes.js';
import { providerYaml } from '../support/package-yaml.js';

vi.mock('node:fs', async (original) => {
  const { changingFs } = await import('../support/fs-changes.js');
  return changingFs(await original());
});
vi.mock('node:fs/promises', async (original) => {
  const { changingPromises } = await import('../support/fs-changes.js');
  return changingPromises(await original());
});

/** No change: the accident is further away than any command goes. */
const NEVER: Accident = { at: Infinity, how: 'killed' };
const CODES = ['ENOSPC', 'EIO', 'EROFS'] as const;
const REPOSITORY = 'xpkg.example.org/acme/p';
const FROM = ['--from', 'dir:packages'];
const RESOLVE = ['resolve', '--upgrade', ...FROM];
const OLD_SET = ['resolve', '--prefer', 'lowest', ...FROM];
const INDEX = ['index', ...FROM, '--out', 'i.json'];
const VENDOR = ['vendor', 'world', ...FROM];
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

/** How many changes apart accidents are; conformance, which has more time, sets 1 for all of them. */
const STRIDE = Number(process.env['XPKG_CHANGE_STRIDE'] ?? 9);

let top: string;
const tried = { kills: 0, failures: 0 };

beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'every-change-'));
});
afterAll(() => {
  const { kills, failures } = tried;
  process.stdout.write(
    `every change: ${kills} kills, ${failures} failures of one or more changes\n`,
  );
  rmSync(top, { recursive: true });
});

function addPackage(folder: string, version: string): void {
  const at = join(folder, 'packages', `${REPOSITORY}@${version}`);
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, 'package.yaml'), providerYaml('p', `${version}.example.org`));
}

/** Every file, link and folder, with what it holds. */
function stateOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    entries
      .filter((name) => !name.startsWith('packages'))
      .map((name) => {
        const path = join(folder, name);
        const found = lstatSync(path);
        const kind = found.isFile()
          ? readFileSync(path, 'hex')
          : found.isDirectory()
            ? 'folder'
            : 'other';
        return [relative(folder, path), kind];
      }),
  );
}

async function run(folder: string, argv: readonly string[], accident = NEVER) {
  const io = fakeIo({ cwd: folder });
  const ended = await withAccident(accident, () => runCli(argv, io));
  return { ...ended, notes: io.notes().join('\n') };
}

interface Scenario {
  readonly what: string;
  /** Commands that make the state before. */
  readonly before: readonly (readonly string[])[];
  /** Folders that are made before. */
  readonly empty?: readonly string[];
  /** A version that is published after it. */
  readonly adds?: string;
  readonly argv: readonly string[];
  /** What is left inside a layout, and named by no index, is removed by the next `argv` alone. */
  readonly addsBlobs?: boolean;
}

const SCENARIOS: readonly Scenario[] = [
  { what: '`resolve`, at first', before: [], argv: RESOLVE },
  { what: '`resolve`, over old outputs', before: [OLD_SET], argv: RESOLVE },
  {
    what: '`resolve`, to folders that are not there',
    before: [],
    argv: [...RESOLVE, '--lock', 'a/b/l.yaml', '--out', 'c/d'],
  },
  { what: '`update`', before: [OLD_SET], argv: ['update', ...FROM] },
  { what: '`render`, at first', before: [[...RESOLVE, '--out', '-']], argv: ['render'] },
  { what: '`render`, over old outputs', before: [RESOLVE], argv: ['render', '--pin', 'digest'] },
  { what: '`index`, at first', before: [RESOLVE], argv: INDEX },
  { what: '`index`, over an old one', before: [RESOLVE, INDEX], argv: INDEX, adds: 'v1.2.0' },
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
];

describe.each(SCENARIOS)('$what', ({ what, before, empty = [], adds, argv, addsBlobs = false }) => {
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
  const reader = ['tree', ...(argv.includes('--lock') ? ['--lock', 'a/b/l.yaml'] : [])];
  /** The state, without blobs and folders that only the next run of the command removes. */
  const seen = (folder: string) => {
    const state = stateOf(folder);
    if (!addsBlobs) return state;
    const named = new Set([...Object.keys(oldState), ...Object.keys(newState)]);
    return Object.fromEntries(Object.entries(state).filter(([name]) => named.has(name)));
  };
  const expectOneOf = (folder: string, why: string) => {
    const state = seen(folder);
    const index = state['world/index.json'];
    if (addsBlobs) {
      const whole = index === newState['world/index.json'] ? newState : oldState;
      expect(state, why).toMatchObject(whole);
    } else {
      const isOld = JSON.stringify(state) === JSON.stringify(oldState);
      expect(state, why).toEqual(isOld ? oldState : newState);
    }
  };

  test('killed before any change, the next command finds the old or the new state', async () => {
    for (let at = 1; ; at += STRIDE) {
      const folder = fresh();
      const { end, happened, last } = await run(folder, argv, { at, how: 'killed' });
      if (!happened) break;
      expect([end, last]).toEqual(['killed', last]);
      tried.kills += 1;
      const read = await run(folder, reader);
      expect([0, 4], `${last}\n${read.notes}`).toContain(read.end);
      expectOneOf(folder, `killed before change ${at}: ${last}`);
      expect(await run(folder, argv), last).toMatchObject({ end: 0 });
      expect(stateOf(folder), last).toEqual(newState);
      rmSync(folder, { recursive: true });
    }
  });

  test('where any one change fails: exit 0 and the new state, or an error and the old one', async () => {
    for (let at = 1; ; at += STRIDE) {
      const folder = fresh();
      const how = CODES[at % CODES.length]!;
      const { end, happened, last, notes } = await run(folder, argv, { at, how });
      if (!happened) break;
      tried.failures += 1;
      if (end !== 0) {
        expect([end, notes], last).toEqual([
          2,
          expect.stringMatching(new RegExp(`cannot write \`.*${how}`)),
        ]);
      }
      expect(stateOf(folder), last).toEqual(end === 0 ? newState : oldState);
      rmSync(folder, { recursive: true });
    }
  });

  test('where all changes from one on fail, the next command finds the old or the new state', async () => {
    // Each takes three runs, so that a third of the changes has to do.
    for (let at = 1; ; at += 3 * STRIDE) {
      const folder = fresh();
      const { end, happened, last } = await run(folder, argv, { at, how: 'EROFS', lasting: true });
      if (!happened) break;
      tried.failures += 1;
      expect([0, 2], last).toContain(end);
      await run(folder, reader);
      expectOneOf(folder, `from change ${at} on: ${last}`);
      expect(await run(folder, argv), last).toMatchObject({ end: 0 });
      expect(stateOf(folder), last).toEqual(newState);
      rmSync(folder, { recursive: true });
    }
  });
});
