import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Candidate } from '../../src/crossplane/packages/package.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { outdated } from '../../src/features/update/outdated.js';
import type { Request } from '../../src/project/inputs/request.js';
import { Driver } from '../../src/resolver/driver/driver.js';
import { SourceReader } from '../../src/resolver/driver/source-reader.js';
import { heldByText } from '../../src/resolver/resolve/blocked-by.js';
import { resolve } from '../../src/resolver/resolve/resolve.js';
import { toProblem } from '../../src/resolver/resolve/to-problem.js';
import { whyNotChosen } from '../../src/resolver/resolve/why-not.js';
import { solve } from '../../src/resolver/solver/solve.js';
import type { IndexFile } from '../../src/sources/index/index-file.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { checkCause, type Given } from '../support/blocking-constraints.js';
import { requestFor } from '../support/requests.js';
import { olderSets, shuffled } from './older-sets.js';
import { shared } from './shared.js';

const INDEX = shared('data/corpus/universe.index.json.gz');
const universe = JSON.parse(gunzipSync(readFileSync(INDEX)).toString()) as IndexFile;
const HELD_BACK = /^(\S+) is held back at \S+ \(newest is (\S+)\) by (.*)$/;

/** Whether a set contains a version, found by the solver in a universe with other constraints. */
async function hasSetWith(wanted: Candidate, { universe: changed, request }: Given) {
  const [root] = requestFor({ [wanted.repository]: wanted.version }).roots;
  const pinned: Request = { ...request, roots: [...request.roots, root!] };
  const driver = new Driver(memorySource(changed), {});
  const { status } = await driver.drive(solve(toProblem(pinned, [TARGET], {})), TARGET);
  if (status === 'gave-up') throw new Error(`gave up on ${wanted.repository} ${wanted.version}`);
  return status === 'solved';
}

const CROSSPLANE = 'v1.20.0';
const TARGET = targetFor(CROSSPLANE)!;

test('sets of the corpus: lifting the named constraint admits the newer version, and all commands name it', async () => {
  const source = SourceReader.of(memorySource(universe));
  const options = { source, crossplane: CROSSPLANE, readsForNotes: true };
  const seen = { single: 0, several: 0, 'chosen-first': 0, refused: 0, notes: 0 };
  for await (const { roots, draw } of olderSets(source, TARGET, 12)) {
    const ranges = Object.entries(roots).map(([name, version]) => [
      name,
      `${['', '^', '<='][draw(3)]}${version}`,
    ]);
    const request = requestFor(Object.fromEntries(ranges) as Record<string, string>);
    const answer = await resolve(request, options);
    if (answer.status !== 'solved') continue;
    const { lockfile, notes } = answer;
    const { packages } = await outdated(lockfile, request, options);
    for (const { repository, newest, heldBy } of shuffled(packages, draw).slice(0, 3)) {
      if (heldBy === undefined) continue;
      const wanted = { repository, version: newest };
      const given = { universe, request };
      seen[await checkCause(heldBy, wanted, given, { target: TARGET, hasSetWith })]++;
      const why = await whyNotChosen(request, wanted, { ...options, lockfile });
      expect('heldBy' in why && why.heldBy, repository).toEqual(heldBy);
    }
    for (const note of notes) {
      const [, repository, version, by] = HELD_BACK.exec(note) ?? [];
      if (repository === undefined) continue;
      const wanted = { repository, version: version! };
      const why = await whyNotChosen(request, wanted, { ...options, lockfile });
      expect('heldBy' in why && heldByText(why.heldBy!), note).toBe(by);
      seen.notes++;
    }
  }
  process.stdout.write(`\nnamed causes: ${JSON.stringify(seen)}\n`);
  expect(seen.single).toBeGreaterThan(5);
  expect(seen.several).toBeGreaterThan(0);
});
