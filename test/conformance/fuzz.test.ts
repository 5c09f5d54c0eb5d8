import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fuzz } from '../../src/features/fuzz/fuzz.js';
import { rootName } from '../../src/features/fuzz/variations.js';
import { openIndex } from '../../src/sources/index/index-source.js';
import { requestFor } from '../support/requests.js';
import { shared } from './shared.js';

interface Pair {
  readonly roots: Readonly<Record<string, string>>;
  readonly sat: boolean;
  readonly touchesPhantom: boolean;
}

const { pairs } = JSON.parse(readFileSync(shared('data', 'corpus', 'cases.json'), 'utf8')) as {
  readonly pairs: readonly Pair[];
};

const MOST = 12;

/** Pairs of full references that are known to conflict, from the whole list. */
const known = pairs
  .filter(({ sat, touchesPhantom }) => !sat && !touchesPhantom)
  .filter(({ roots }) => Object.keys(roots).every((name) => /^[^/]+\.[^/]+\//.test(name)));
const some = known.filter((_, n) => n % Math.ceil(known.length / MOST) === 0);

test('finds pairs of real packages that conflict, without given versions', async () => {
  const source = await openIndex(shared('data', 'corpus', 'universe.index.json.gz'));
  let found = 0;
  for (const { roots } of some) {
    const names = Object.keys(roots);
    const request = requestFor(Object.fromEntries(names.map((name) => [name, '*'])));
    const start = performance.now();
    const report = await fuzz(request, {
      source,
      crossplane: 'v2.3.4',
      prereleases: names,
      seed: 1,
      runs: 100,
    });
    const both = report.breakages.filter(({ example }) => {
      const broken = example.choices.map(rootName);
      return names.every((name) => broken.includes(name));
    });
    if (both.length > 0) found++;
    const example = both[0]?.example.choices.map((wish) => wish.tag ?? 'as asked').join(' + ');
    const time = `${(performance.now() - start).toFixed(0)} ms`;
    process.stdout.write(`${names.join(' + ')}: ${example ?? 'nothing'} (${time})\n`);
  }
  process.stdout.write(`${found} of ${some.length} pairs found to conflict\n`);
  expect(some.length).toBeGreaterThanOrEqual(8);
  expect(found).toBe(some.length);
});
