import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { InputError } from '../../src/base/errors.js';
import type { IndexFile } from '../../src/sources/index/index-file.js';
import { resolve } from '../../src/resolver/resolve/resolve.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { requestFor } from '../support/requests.js';
import { Rounds } from '../support/rounds.js';
import { shared } from './shared.js';
import { table } from './table.js';

interface Case {
  readonly roots: Readonly<Record<string, string>>;
}

const corpus = (file: string) => readFileSync(shared('data', 'corpus', file));
const universe = JSON.parse(gunzipSync(corpus('universe.index.json.gz')).toString()) as IndexFile;
const { cases } = JSON.parse(corpus('answers.json').toString()) as { cases: readonly Case[] };

async function requestRounds({ roots }: Case, distant: boolean) {
  const rounds = new Rounds(memorySource(universe), { distant });
  const options = { source: rounds.source, crossplane: 'v2.3.4' };
  const answer = await resolve(requestFor(roots), options).catch((error: unknown) => {
    if (error instanceof InputError) return undefined;
    throw error;
  });
  return { answer, rounds: rounds.asked.length };
}

test('prefetching needs fewer rounds, and without conflicts it reads nothing unnecessarily', async () => {
  let solved = 0;
  const rounds = { one: 0, ahead: 0 };
  for (const each of cases) {
    const [near, far] = [await requestRounds(each, false), await requestRounds(each, true)];
    if (near.answer?.status !== 'solved') continue;
    // One more would be a rejected version, which is a simple conflict.
    if (near.answer.stats.fetched > near.answer.lockfile.packages.length) continue;
    expect(far.answer).toEqual(near.answer);
    solved++;
    rounds.one += near.rounds;
    rounds.ahead += far.rounds;
  }
  expect(solved).toBeGreaterThan(90);
  expect(rounds.ahead).toBeLessThan(rounds.one);
  const rows = [
    ['cases without conflict', 'rounds, one at a time', 'rounds, asking ahead'],
    [solved, rounds.one, rounds.ahead],
  ];
  process.stdout.write(`\n${table(rows)}\n`);
}, 300_000);
