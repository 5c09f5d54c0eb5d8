import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { changeEffect } from '../../../src/resolver/suggest/change-effect.js';
import { InputError } from '../../../src/base/errors.js';
import type { Candidate } from '../../../src/crossplane/packages/package.js';
import { selectorOf } from '../../../src/crossplane/constraints/constraint.js';
import { targetFor, type Target } from '../../../src/crossplane/releases/target.js';
import { replacedRepository, type Request } from '../../../src/project/inputs/request.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { satisfies } from '../../../src/crossplane/constraints/installable-versions.js';
import type { Answer, Unsolvable } from '../../../src/resolver/resolve/answer.js';
import { resolve, update } from '../../../src/resolver/resolve/resolve.js';
import { whyNotChosen } from '../../../src/resolver/resolve/why-not.js';
import { type ResolveOptions } from '../../../src/resolver/resolve/to-problem.js';
import { editedRequest, type EditedRequest } from '../../support/edited-request.js';
import { solvable } from '../../support/universes.js';

const CROSSPLANE = 'v2.3.4';

/**
 * Suggestions edit roots and rules, not policies and local packages. An override of the user decides
 * the version of a package that the command names.
 */
const KNOBS = { locked: 0, localRoots: 0, policies: 0, overrides: 0 };

type Command = (edited: EditedRequest) => Promise<Answer>;

/** Returns the problems of the package set that a command selected. */
function flaws(after: Lockfile, request: Request, named: Candidate | undefined): string[] {
  const versions = new Map(after.packages.map((each) => [each.repository, each.version]));
  const found = request.roots.flatMap((root) => {
    if (root.root !== 'package') return [];
    const repository = replacedRepository(request, root.repository);
    return versions.has(repository) ? [] : [`${repository} is missing`];
  });
  if (named !== undefined) {
    const version = versions.get(named.repository);
    const target = targetFor(after.crossplane)!;
    const isMet = version !== undefined && meetsNamed(version, named, target);
    if (!isMet) found.push(`${named.repository} is ${version ?? 'missing'}`);
  }
  return found;
}

/** Returns whether the command names a version. Some tags are also ranges. */
function meetsNamed(version: string, named: Candidate, target: Target): boolean {
  return version === named.version || satisfies(version, selectorOf(named.version), target, 'all');
}

/** Applies every suggestion of a refusal, and returns how many there were. */
async function checkSuggestions(
  command: Command,
  given: EditedRequest,
  lockfile: Lockfile,
  named: Candidate | undefined,
): Promise<number> {
  const answer = await command(given).catch(unlessInputError);
  if (answer?.status === 'solved') expect(flaws(answer.lockfile, given.request, named)).toEqual([]);
  if (answer?.status !== 'unsolvable') return 0;
  const losses: number[] = [];
  for (const { text, edits, effect } of answer.suggestions) {
    const edited = editedRequest(given, edits);
    if (edited === undefined) continue;
    const applied = await command(edited);
    expect([text, applied.status]).toEqual([text, 'solved']);
    if (applied.status !== 'solved') continue;
    // Roots of the original request: no suggestion of such a command removes one.
    expect([text, flaws(applied.lockfile, given.request, named)]).toEqual([text, []]);
    const { dialect } = applied.target.rules;
    const actual = changeEffect(lockfile.packages, applied.lockfile.packages, dialect);
    expect([text, { ...effect, notes: [] }]).toEqual([text, { ...actual, notes: [] }]);
    const isMajor = effect!.notes.some((note) => isMajorDowngrade(note));
    losses.push(actual.down + actual.removed + (isMajor ? 1000 : 0));
  }
  expect(losses).toEqual(losses.toSorted((a, b) => a - b));
  return answer.suggestions.length;
}

function isMajorDowngrade(note: string): boolean {
  const [, from, to] = /downgraded from v?(\d+)\S* to v?(\d+)/.exec(note) ?? [];
  return from !== undefined && Number(to) < Number(from);
}

function unlessInputError(error: unknown): undefined {
  expect(error).toBeInstanceOf(InputError);
}

/** Returns a locked request, and a version that is not locked. */
const named = fc
  .tuple(solvable(KNOBS, { crossplane: CROSSPLANE }), fc.nat(), fc.nat())
  .filter(([{ universe }]) => Object.keys(universe.packages).length > 0);

async function lockedOf(
  { request, prereleases, allowCycles }: EditedRequest,
  source: ResolveOptions['source'],
) {
  const answer = await resolve(request, {
    source,
    crossplane: CROSSPLANE,
    prereleases,
    allowCycles,
  });
  if (answer.status !== 'solved') throw new Error(answer.status);
  return answer.lockfile;
}

test('a suggestion of update leads to the named version and keeps every root', async () => {
  let applied = 0;
  await fc.assert(
    fc.asyncProperty(named, async ([{ universe, request, options }, m, n]) => {
      const { prereleases = [], allowCycles = false } = options;
      const given = { request, prereleases, allowCycles, crossplane: CROSSPLANE };
      const source = memorySource(universe);
      const lockfile = await lockedOf(given, source);
      fc.pre(lockfile.packages.length > 0);
      const { repository } = lockfile.packages[m % lockfile.packages.length]!;
      const versions = Object.keys(universe.packages[repository]?.versions ?? {});
      fc.pre(versions.length > 0);
      const wanted = { repository, version: versions[n % versions.length]! };
      const command: Command = ({ request: asked, ...rest }) =>
        update(asked, [{ ...wanted, origin: { file: 'command line' } }], {
          source,
          lockfile,
          ...rest,
        });
      applied += await checkSuggestions(command, given, lockfile, wanted);
    }),
    { numRuns: 150, seed: 24 },
  );
  expect(applied).toBeGreaterThan(20);
});

test('a suggestion of add leads to the named version and keeps every root', async () => {
  let applied = 0;
  await fc.assert(
    fc.asyncProperty(named, async ([{ universe, request, options }, m, n]) => {
      const { prereleases = [], allowCycles = false } = options;
      const given = { request, prereleases, allowCycles, crossplane: CROSSPLANE };
      const source = memorySource(universe);
      const lockfile = await lockedOf(given, source);
      const taken = new Set(
        request.roots.flatMap((r) => (r.root === 'package' ? [r.repository] : [])),
      );
      const free = Object.keys(universe.packages).filter((repository) => !taken.has(repository));
      fc.pre(free.length > 0);
      const repository = free[m % free.length]!;
      const versions = Object.keys(universe.packages[repository]!.versions);
      fc.pre(versions.length > 0);
      const version = versions[n % versions.length]!;
      const origin = { file: 'command line', path: [0] };
      const root = {
        root: 'package' as const,
        repository,
        kind: undefined,
        version: { form: 'tag' as const, tag: version },
        name: undefined,
        spec: {},
        object: undefined,
        ignoreCrossplaneConstraints: false,
        skipDependencyResolution: false,
        isNamed: true,
        origin,
      };
      const adding = { ...given, request: { ...request, roots: [...request.roots, root] } };
      const command: Command = ({ request: asked, ...rest }) =>
        resolve(asked, { source, lockfile, ...rest });
      applied += await checkSuggestions(command, adding, lockfile, { repository, version });
    }),
    { numRuns: 150, seed: 25 },
  );
  expect(applied).toBeGreaterThan(20);
});

test('a suggestion of set leads to the named release and keeps every root', async () => {
  let applied = 0;
  const releases = fc.constantFrom('v1.14.0', 'v1.17.0', 'v1.20.0', 'v2.0.0');
  const scenarios = solvable({ ...KNOBS, crossplane: 0.6 }, { crossplane: CROSSPLANE });
  await fc.assert(
    fc.asyncProperty(scenarios, releases, async ({ universe, request, options }, crossplane) => {
      const { prereleases = [], allowCycles = false } = options;
      const given = { request, prereleases, allowCycles, crossplane: CROSSPLANE };
      const source = memorySource(universe);
      const lockfile = await lockedOf(given, source);
      const command: Command = async ({ request: asked, ...rest }) => {
        const answer = await resolve(asked, { source, lockfile, ...rest, isReleaseNamed: true });
        if (answer.status === 'solved') expect(answer.target.version).toBe(crossplane);
        return answer;
      };
      applied += await checkSuggestions(command, { ...given, crossplane }, lockfile, undefined);
    }),
    { numRuns: 150, seed: 26 },
  );
  expect(applied).toBeGreaterThan(20);
});

function stated({ suggestions }: Unsolvable) {
  return suggestions.map(({ text, edits, effect }) => ({ text, edits, effect }));
}

test('why --not and update have the same suggestions, so update applies those of why --not', async () => {
  let same = 0;
  await fc.assert(
    fc.asyncProperty(named, async ([{ universe, request, options }, m, n]) => {
      const { prereleases = [], allowCycles = false } = options;
      const source = memorySource(universe);
      const all = { source, prereleases, allowCycles, crossplane: CROSSPLANE };
      const lockfile = await lockedOf({ ...all, request }, source);
      fc.pre(lockfile.packages.length > 0);
      const { repository } = lockfile.packages[m % lockfile.packages.length]!;
      const versions = Object.keys(universe.packages[repository]?.versions ?? {});
      fc.pre(versions.length > 0);
      const wanted = { repository, version: versions[n % versions.length]! };
      const moves = [{ ...wanted, origin: { file: 'command line' } }];
      const updated = await update(request, moves, { ...all, lockfile }).catch(unlessInputError);
      const why = await whyNotChosen(request, wanted, { ...all, lockfile }).catch(unlessInputError);
      if (why?.status !== 'refused' || updated?.status !== 'unsolvable') return;
      expect(stated(why.refusal)).toEqual(stated(updated));
      same += updated.suggestions.length;
    }),
    { numRuns: 150, seed: 27 },
  );
  expect(same).toBeGreaterThan(20);
});
