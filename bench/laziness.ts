import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { InputError } from '../src/base/errors.js';
import type { IndexFile } from '../src/sources/index/index-file.js';
import type { Candidate } from '../src/crossplane/packages/package.js';
import type { PackageSource } from '../src/sources/package-source.js';
import { targetFor } from '../src/crossplane/releases/target.js';
import { Driver } from '../src/resolver/driver/driver.js';
import { toProblem } from '../src/resolver/resolve/to-problem.js';
import type { Problem } from '../src/resolver/solver/problem.js';
import { solve } from '../src/resolver/solver/solve.js';
import type { SearchResult } from '../src/resolver/solver/search-result.js';
import { memorySource } from '../src/sources/memory-source.js';
import { requestFor } from '../test/support/requests.js';
import { markdown, quantile } from './markdown.js';
import { sharedFolder } from './shared-folder.js';

const TARGET = targetFor('v2.3.4')!;

interface Case {
  readonly roots: Readonly<Record<string, string>>;
}

/** Compares the versions read with the minimum that any solver must read to prove its answer. */
export async function laziness(): Promise<string> {
  const folder = sharedFolder('data', 'corpus');
  if (!existsSync(folder)) return `No corpus beside the checkout.\n`;
  const cases = JSON.parse(readFileSync(`${folder}/cases.json`, 'utf8')) as { pairs: Case[] };
  const answers = JSON.parse(readFileSync(`${folder}/answers.json`, 'utf8')) as { cases: Case[] };
  const universe = JSON.parse(
    gunzipSync(readFileSync(`${folder}/universe.index.json.gz`)).toString(),
  ) as IndexFile;
  const groups = new Map<string, number[]>();
  const sets = { 'pairs of configurations': cases.pairs, 'roots with answers': answers.cases };
  for (const [set, roots] of Object.entries(sets).flatMap(([set, list]) =>
    list.map((one) => [set, one.roots] as const),
  )) {
    const measured = await measure(memorySource(universe), roots);
    if (measured === undefined) continue;
    const group = `${set}: ${measured.group}`;
    groups.set(group, [...(groups.get(group) ?? []), measured.ratio]);
  }
  const rows = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, ratios]) => [
      group,
      ratios.length,
      ...[0.5, 0.95, 1].map((share) => quantile(ratios, share).toFixed(2)),
    ]);
  return markdown([['corpus cases', 'count', 'median', 'p95', 'worst'], ...rows]);
}

async function measure(
  source: PackageSource,
  roots: Case['roots'],
): Promise<{ group: string; ratio: number } | undefined> {
  let problem: Problem;
  try {
    problem = toProblem(requestFor(roots), [TARGET], {});
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
  const read: Candidate[] = [];
  const outcome = await answer(problem, source, (candidate) => read.push(candidate));
  const least = await fewest(problem, { source, read, outcome });
  const calm = outcome.status === 'solved' && read.length === outcome.selected.length;
  const group = calm ? 'no conflict' : 'conflict';
  return { group, ratio: read.length / least };
}

async function answer(
  problem: Problem,
  source: PackageSource,
  onRead: (candidate: Candidate) => void,
): Promise<SearchResult> {
  const watched: PackageSource = {
    ...source,
    fetch: async (candidate, target) => {
      const fetched = await source.fetch(candidate, target);
      if (fetched !== undefined) onRead(candidate);
      return fetched;
    },
  };
  const driver = new Driver(watched, { compat: false, goOn: () => true });
  return driver.drive(solve(problem), TARGET);
}

/**
 * Returns the minimum number of versions to read. Read versions are replaced one by one by versions
 * without requirements; a replacement stays if the answer is the same and fewer others are read.
 * Versions that a search reads instead count. Selected versions are never replaced.
 */
async function fewest(
  problem: Problem,
  {
    source,
    read,
    outcome,
  }: { source: PackageSource; read: readonly Candidate[]; outcome: SearchResult },
): Promise<number> {
  const want = textOf(outcome);
  const selected = new Set(outcome.status === 'solved' ? outcome.selected.map(keyOf) : []);
  let unread: ReadonlySet<string> = new Set();
  let least = read.length;
  for (const key of read.map(keyOf)) {
    if (selected.has(key)) continue;
    const without = new Set([...unread, key]);
    const needed = new Set<string>();
    const found = await answer(problem, emptied(source, without), (candidate) => {
      if (!without.has(keyOf(candidate))) needed.add(keyOf(candidate));
    });
    if (textOf(found) !== want || needed.size >= least) continue;
    [unread, least] = [without, needed.size];
  }
  return least;
}

/** Returns a source in which some versions require and own nothing. */
function emptied(source: PackageSource, keys: ReadonlySet<string>): PackageSource {
  return {
    ...source,
    fetch: async (candidate, target) => {
      const fetched = await source.fetch(candidate, target);
      if (fetched === undefined || !keys.has(keyOf(candidate))) return fetched;
      const metas = fetched.contents.metas.map((meta) => ({
        ...meta,
        dependsOn: [],
        crossplane: undefined,
      }));
      return { ...fetched, contents: { ...fetched.contents, metas, objects: [] } };
    },
  };
}

function keyOf({ repository, version }: { repository: string; version: string }): string {
  return `${repository} ${version}`;
}

function textOf(outcome: SearchResult): string {
  return outcome.status === 'solved' ? outcome.selected.map(keyOf).join('\n') : outcome.status;
}
