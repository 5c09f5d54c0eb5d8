import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { Lockfile } from '../../src/project/lockfile/lockfile.js';
import { resolve } from '../../src/resolver/resolve/resolve.js';
import type { Answer } from '../../src/resolver/resolve/answer.js';
import { memorySource } from '../../src/sources/memory-source.js';
import {
  convert,
  flawsOf,
  type Converted,
  type Instance,
  type Selection,
} from '../support/depsuite.js';
import { locked, lockfileOf } from '../support/lockfiles.js';
import { shared } from './shared.js';
import { table } from './table.js';

interface Fixture extends Instance {
  /** Versions in a lockfile. */
  readonly locked?: Selection;
  readonly prefer?: Selection;
  readonly expected: {
    readonly sat: boolean | null;
    readonly solution: Selection | null;
    readonly oracle: { readonly sat: boolean };
    /** The canonical answer, if it is known. */
    readonly bfsNewestDeclared?: Selection;
  };
}

/** One universe and many roots, each a package version. */
interface ManyRoots extends Omit<Instance, 'root'> {
  readonly roots: readonly (readonly [name: string, version: string])[];
  readonly expectedSat: readonly boolean[];
}

/** The results of one group of instances. */
interface Tally {
  instances: number;
  solved: number;
  canonical: number;
  selected: number;
  decisions: number;
  conflicts: number;
  fetched: number;
}

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;
const ARGUMENTS =
  'resolve -f xpkg.yaml --from index:index.json --offline --allow-cycles --compat --no-write -o json'.split(
    ' ',
  );

const tallies = new Map<string, Tally>();

afterAll(() => {
  const head = [
    'suite',
    'instances',
    'solved',
    'canonical',
    'selected',
    'decisions',
    'conflicts',
    'fetched',
  ];
  const rows = Array.from(tallies, ([name, tally]) => [
    name,
    ...Object.values<number>({ ...tally }),
  ]);
  process.stdout.write(`\n${table([head, ...rows])}\n`);
});

function files(folder: string): string[] {
  return readdirSync(shared('data', 'solver', folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json.gz'))
    .sort();
}

function load(folder: string, file: string): unknown {
  return JSON.parse(
    gunzipSync(readFileSync(join(shared('data', 'solver', folder), file))).toString(),
  );
}

function answer(converted: Converted, lockfile?: Lockfile): Promise<Answer> {
  return resolve(converted.request, {
    source: memorySource(converted.universe),
    crossplane: 'v2.3.4',
    allowCycles: true,
    compat: true,
    lockfile,
  });
}

function lockfileFor(versions: Selection, converted: Converted): Lockfile {
  const packages = Object.entries(versions).map(([name, version]) => {
    const at = converted.translate(name, version);
    return locked(`${at.repository}:${at.version}`);
  });
  return lockfileOf(packages);
}

function selectionOf(given: Answer, converted: Converted): Selection | undefined {
  return given.status === 'solved' ? converted.asInstance(given.lockfile.packages) : undefined;
}

function count(group: string, given: Answer, canonical: boolean): void {
  const tally = tallies.get(group) ?? {
    instances: 0,
    solved: 0,
    canonical: 0,
    selected: 0,
    decisions: 0,
    conflicts: 0,
    fetched: 0,
  };
  tallies.set(group, tally);
  tally.instances++;
  if (given.status === 'solved') tally.solved++;
  if (given.status === 'solved') tally.selected += given.lockfile.packages.length;
  if (canonical) tally.canonical++;
  tally.decisions += given.stats.decisions;
  tally.conflicts += given.stats.conflicts;
  tally.fetched += given.stats.fetched;
}

async function checkFixture(group: string, fixture: Fixture): Promise<void> {
  const { expected } = fixture;
  const converted = convert(fixture);
  const pins = Object.keys(fixture.locked ?? {}).length > 0 ? fixture.locked : undefined;
  const given = await answer(converted, pins && lockfileFor(pins, converted));
  count(group, given, expected.bfsNewestDeclared !== undefined);
  expect(given.status).toBe(expected.oracle.sat ? 'solved' : 'unsolvable');
  const selection = selectionOf(given, converted);
  if (selection !== undefined) expect(flawsOf(fixture, selection)).toEqual([]);
  if (expected.bfsNewestDeclared !== undefined) {
    expect(selection).toEqual(expected.bfsNewestDeclared);
  }
}

const suites = files('suites').filter((file) => !file.endsWith('.multi.json.gz'));

describe('suites of other solvers', () => {
  test.each(suites)('%s', async (file) => {
    await checkFixture(`suites/${file.split('/')[0]!}`, load('suites', file) as Fixture);
  });

  const withLockfile = suites.filter((file) => file.includes('with-lockfile'));
  test.each(withLockfile)('%s: locked versions are kept if possible', async (file) => {
    const fixture = load('suites', file) as Fixture;
    const converted = convert(fixture);
    const given = await answer(converted, lockfileFor(fixture.prefer ?? {}, converted));
    expect(selectionOf(given, converted)).toEqual(fixture.expected.solution ?? undefined);
  });
});

describe('universes with many roots', () => {
  const multi = files('suites').filter((file) => file.endsWith('.multi.json.gz'));
  test.each(multi)('%s', async (file) => {
    const { roots, expectedSat, ...rest } = load('suites', file) as ManyRoots;
    const wrong: string[] = [];
    for (const [i, [name, version]] of roots.entries()) {
      const at = rest.order[name]!.indexOf(version);
      const instance: Instance = { ...rest, root: { [name]: [[at, at]] } };
      const converted = convert(instance);
      const given = await answer(converted);
      count('suites/pubgrub-rs (many roots)', given, false);
      const want = expectedSat[i] ? 'solved' : 'unsolvable';
      if (given.status !== want) wrong.push(`${name} ${version}: ${given.status}, not ${want}`);
      const selection = selectionOf(given, converted);
      if (selection !== undefined) wrong.push(...flawsOf(instance, selection));
    }
    expect(wrong).toEqual([]);
  });
});

describe('hard families', () => {
  test.each(files('hard'))('%s', async (file) => {
    await checkFixture(`hard/${file.split('/')[0]!}`, load('hard', file) as Fixture);
  });
});

/**
 * Prints the effort in numbers that are the same on every machine; `npm run bench -- solving` shows
 * times.
 */
describe('hard families from the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'xpkg-hard-'));
  const efforts: (readonly [string, number, number, number, string])[] = [];
  afterAll(() => {
    rmSync(folder, { recursive: true });
    const rows = [['hard instance', 'decisions', 'conflicts', 'fetched', 'answer'], ...efforts];
    process.stdout.write(`\n${table(rows)}\n`);
  });

  test.each(files('hard'))('%s', (file) => {
    const fixture = load('hard', file) as Fixture;
    const { universe, packageSet } = convert(fixture);
    writeFileSync(join(folder, 'index.json'), JSON.stringify(universe));
    writeFileSync(join(folder, 'xpkg.yaml'), JSON.stringify(packageSet));
    const run = spawnSync(process.execPath, [MAIN, ...ARGUMENTS], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    const { status, stats } = JSON.parse(run.stdout) as Pick<Answer, 'status' | 'stats'>;
    const { decisions, conflicts, fetched } = stats;
    efforts.push([file.replace('.json.gz', ''), decisions, conflicts, fetched, status]);
    expect(status).toBe(fixture.expected.oracle.sat ? 'solved' : 'unsolvable');
    expect(run.status).toBe(fixture.expected.oracle.sat ? 0 : 3);
  });
});
