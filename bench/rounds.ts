import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { LockedPackage, Lockfile } from '../src/project/lockfile/lockfile.js';
import { InputError } from '../src/base/errors.js';
import type { IndexFile } from '../src/sources/index/index-file.js';
import { memorySource } from '../src/sources/memory-source.js';
import type { Answer } from '../src/resolver/resolve/answer.js';
import { resolve } from '../src/resolver/resolve/resolve.js';
import { requestFor } from '../test/support/requests.js';
import { Rounds } from '../test/support/rounds.js';
import { markdown, quantile } from './markdown.js';
import { sharedFolder } from './shared-folder.js';

const CROSSPLANE = 'v2.3.4';

type Roots = Readonly<Record<string, string>>;

interface Measured {
  readonly answer: Answer;
  /** Number of sequential waits for a registry. */
  readonly rounds: number;
  /** Number of versions that the search and its explanation read. */
  readonly read: number;
}

/** Measures how often a search waits for a registry that answers all pending requests together. */
export async function rounds(): Promise<string> {
  const folder = sharedFolder('data', 'corpus');
  if (!existsSync(folder)) return `No corpus beside the checkout.\n`;
  const read = (file: string) => readFileSync(`${folder}/${file}`);
  const { cases } = JSON.parse(read('answers.json').toString()) as { cases: { roots: Roots }[] };
  const { pairs } = JSON.parse(read('cases.json').toString()) as { pairs: { roots: Roots }[] };
  const universe = JSON.parse(gunzipSync(read('universe.index.json.gz')).toString()) as IndexFile;
  const figures = new Map<string, number[]>();
  const add = (name: string, figure: number) =>
    figures.set(name, [...(figures.get(name) ?? []), figure]);
  const near = { search: 0, all: 0 };
  const far = { search: 0, all: 0 };
  for (const { roots } of [...cases, ...pairs]) {
    const one = await measure(universe, roots, { distant: false });
    const ahead = await measure(universe, roots, { distant: true });
    if (one === undefined || ahead === undefined) continue;
    const { answer } = one;
    const isCalm =
      answer.status === 'solved' && answer.stats.fetched === answer.lockfile.packages.length;
    if (isCalm) {
      add('no conflict: rounds ÷ longest chain', ahead.rounds / longestChain(answer.lockfile));
    } else {
      add('conflict: rounds, one at a time', one.rounds);
      add('conflict: rounds', ahead.rounds);
      add('conflict: rounds ÷ one at a time', ahead.rounds / one.rounds);
      near.search += answer.stats.fetched;
      near.all += one.read;
      far.search += ahead.answer.stats.fetched;
      far.all += ahead.read;
    }
    if (answer.status !== 'solved') continue;
    const locked = await measure(universe, roots, { distant: true, lockfile: answer.lockfile });
    add('with a lockfile: rounds', locked!.rounds);
  }
  const rows = [...figures].map(([name, list]) => [
    name,
    list.length,
    ...[0.5, 0.95, 1].map((share) => quantile(list, share).toFixed(2)),
  ]);
  const more = (part: 'search' | 'all') => ((100 * far[part]) / near[part] - 100).toFixed(1);
  return (
    markdown([['corpus cases', 'count', 'median', 'p95', 'worst'], ...rows]) +
    `\nConflict: ${more('all')} % more versions are read than one at a time; of the search alone, ${more('search')} % more.\n`
  );
}

async function measure(
  universe: IndexFile,
  roots: Roots,
  { distant, lockfile }: { readonly distant: boolean; readonly lockfile?: Lockfile },
): Promise<Measured | undefined> {
  const counted = new Rounds(memorySource(universe), { distant });
  try {
    const options = { source: counted.source, crossplane: CROSSPLANE, lockfile };
    const answer = await resolve(requestFor(roots), options);
    return { answer, rounds: counted.asked.length, read: versions(counted).length };
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

function versions({ asked }: Rounds): readonly string[] {
  return asked.flat().filter((question) => !question.startsWith('tags '));
}

/**
 * Returns the minimum number of sequential requests: a list and a version for each package of a
 * chain.
 */
function longestChain({ packages }: Lockfile): number {
  const byRepository = new Map(packages.map((one) => [one.repository, one]));
  const known = new Map<LockedPackage, number>();
  const below = (one: LockedPackage): number => {
    const found = known.get(one);
    if (found !== undefined) return found;
    known.set(one, 0);
    const children = one.requirements.flatMap((each) => {
      const child = each.requires === 'package' ? byRepository.get(each.repository) : undefined;
      return child === undefined ? [] : [below(child)];
    });
    const length = 2 + Math.max(0, ...children);
    known.set(one, length);
    return length;
  };
  return Math.max(...packages.map(below));
}
