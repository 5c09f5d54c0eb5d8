import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type {
  IndexFile,
  IndexPackage,
  IndexVersion,
} from '../../../src/sources/index/index-file.js';
import type { Request, Root } from '../../../src/project/inputs/request.js';
import { digestOf } from '../../../src/testing/generators/sample-packages.js';
import { exhaustive, targetsFor } from '../../../src/testing/oracles/exhaustive.js';
import { packageRoot } from '../../../src/testing/generators/package-set.js';
import type { Outcome, ResolverOptions } from '../../../src/testing/resolver.js';
import { scenario } from '../../../src/testing/generators/scenario.js';
import { TargetView, violationsOf } from '../../../src/testing/oracles/target-view.js';

const ORIGIN = { file: 'request.yaml' };
const at = (name: string) => `xpkg.io/acme/${name}`;

/**
 * Returns a universe: `a: v1.0.0` is a version of `xpkg.io/acme/a`. Names `c-…` and `f-…` are
 * Configurations and Functions, others Providers.
 */
function universe(packages: Record<string, Record<string, IndexVersion>>): IndexFile {
  const entries = Object.entries(packages).map(([name, versions]): [string, IndexPackage] => [
    at(name),
    { kind: kindOf(name), versions },
  ]);
  return { packages: Object.fromEntries(entries) };
}

function kindOf(name: string): string {
  return name.startsWith('c-') ? 'Configuration' : name.startsWith('f-') ? 'Function' : 'Provider';
}

/** Parses dependencies: `b >=v1.0.0`. */
function needs(...texts: readonly string[]): IndexVersion {
  return {
    dependsOn: texts.map((text) => {
      const [name = '', ...constraint] = text.split(' ');
      return { [kindOf(name).toLowerCase()]: at(name), version: constraint.join(' ') };
    }),
  };
}

const owns = (...crds: string[]): IndexVersion => ({ crds });
const root = (name: string, text: string): Root => packageRoot(at(name), { form: 'text', text });
const rule = (name: string, version: string) => ({ repository: at(name), version, origin: ORIGIN });

function request(roots: readonly Root[], rest: Partial<Request> = {}): Request {
  return { roots, overrides: [], replace: [], exclude: [], defaults: {}, kept: [], ...rest };
}

interface Row {
  readonly why: string;
  readonly packages: Record<string, Record<string, IndexVersion>>;
  readonly roots: readonly Root[];
  readonly rest?: Partial<Request>;
  readonly options?: ResolverOptions;
  readonly want: string;
}

const V2 = { crossplane: 'v2.3.4' };
const B = { 'v1.0.0': {}, 'v1.1.0': {}, 'v2.0.0': {} };
const B_DIGEST = digestOf(at('b'), 'v1.1.0');

const ROWS: readonly Row[] = [
  {
    why: 'the newest of each where that is valid',
    packages: { a: { 'v1.0.0': {}, 'v1.1.0': needs('b >=v1.0.0') }, b: B },
    roots: [root('a', '*')],
    want: 'a v1.1.0, b v2.0.0',
  },
  {
    why: 'two parents share what both admit',
    packages: { a: { 'v1.0.0': needs('b >=v1.0.0') }, c: { 'v1.0.0': needs('b <v2.0.0') }, b: B },
    roots: [root('a', '*'), root('c', '*')],
    want: 'a v1.0.0, b v1.1.0, c v1.0.0',
  },
  {
    why: 'two parents that disagree',
    packages: { a: { 'v1.0.0': needs('b v1.0.0') }, c: { 'v1.0.0': needs('b v2.0.0') }, b: B },
    roots: [root('a', '*'), root('c', '*')],
    want: 'unsolvable',
  },
  {
    why: 'the first root keeps its newest, the second gives way',
    packages: {
      a: { 'v1.0.0': {}, 'v2.0.0': needs('b v1.0.0') },
      c: { 'v1.0.0': {}, 'v2.0.0': needs('b v2.0.0') },
      b: B,
    },
    roots: [root('a', '*'), root('c', '*')],
    want: 'a v2.0.0, b v1.0.0, c v1.0.0',
  },
  {
    why: 'the same with the roots the other way round',
    packages: {
      a: { 'v1.0.0': {}, 'v2.0.0': needs('b v1.0.0') },
      c: { 'v1.0.0': {}, 'v2.0.0': needs('b v2.0.0') },
      b: B,
    },
    roots: [root('c', '*'), root('a', '*')],
    want: 'a v1.0.0, b v2.0.0, c v2.0.0',
  },
  {
    why: 'breadth first: what a root requires is decided after every root',
    packages: {
      a: { 'v1.0.0': needs('b *') },
      b: { 'v1.0.0': {}, 'v2.0.0': needs('c v1.0.0') },
      c: { 'v1.0.0': {}, 'v2.0.0': {} },
    },
    roots: [root('a', '*'), root('c', '*')],
    want: 'a v1.0.0, b v1.0.0, c v2.0.0',
  },
  {
    why: 'a CRD has one owner',
    packages: { a: { 'v1.0.0': owns('x.acme.io') }, b: { 'v1.0.0': owns('x.acme.io') } },
    roots: [root('a', '*'), root('b', '*')],
    want: 'unsolvable',
  },
  {
    why: 'an older version that leaves the CRD alone will do',
    packages: {
      a: { 'v1.0.0': owns('x.acme.io') },
      b: { 'v1.0.0': {}, 'v1.1.0': owns('x.acme.io') },
    },
    roots: [root('a', '*'), root('b', '*')],
    want: 'a v1.0.0, b v1.0.0',
  },
  {
    why: 'the claim of an XRD is a CRD too',
    packages: {
      a: { 'v1.0.0': owns('dbs.acme.io') },
      'c-b': { 'v1.0.0': { xrds: [{ name: 'xdbs.acme.io', claim: 'dbs.acme.io' }] } },
    },
    roots: [root('a', '*'), root('c-b', '*')],
    want: 'unsolvable',
  },
  {
    why: 'functions install their CRDs on old targets',
    packages: { 'f-a': { 'v1.0.0': owns('i.fn.io') }, 'f-b': { 'v1.0.0': owns('i.fn.io') } },
    roots: [root('f-a', '*'), root('f-b', '*')],
    options: { crossplane: 'v2.1.4' },
    want: 'unsolvable',
  },
  {
    why: 'and do not on new ones',
    packages: { 'f-a': { 'v1.0.0': owns('i.fn.io') }, 'f-b': { 'v1.0.0': owns('i.fn.io') } },
    roots: [root('f-a', '*'), root('f-b', '*')],
    options: { crossplane: 'v2.2.0' },
    want: 'f-a v1.0.0, f-b v1.0.0',
  },
  {
    why: 'a constraint on Crossplane steers the pick',
    packages: { a: { 'v1.0.0': {}, 'v2.0.0': { crossplane: '<v2.0.0' } } },
    roots: [root('a', '*')],
    want: 'a v1.0.0',
  },
  {
    why: 'a free Crossplane is decided before all else, newest first',
    packages: { a: { 'v1.0.0': { crossplane: '<=v2.2.2' }, 'v2.0.0': { crossplane: '<v2.0.0' } } },
    roots: [root('a', '*')],
    options: { crossplane: '>=v1.20.0' },
    want: 'a v1.0.0 on v2.2.2',
  },
  {
    why: 'a digest satisfies no range',
    packages: {
      a: { 'v1.0.0': { dependsOn: [{ provider: at('b'), version: B_DIGEST }] } },
      c: { 'v1.0.0': needs('b >=v1.0.0') },
      b: { 'v1.1.0': { digest: B_DIGEST } },
    },
    roots: [root('a', '*'), root('c', '*')],
    want: 'unsolvable',
  },
  {
    why: 'a digest that is demanded is the version',
    packages: {
      a: { 'v1.0.0': { dependsOn: [{ provider: at('b'), version: B_DIGEST }] } },
      b: { 'v1.1.0': { digest: B_DIGEST }, 'v2.0.0': {} },
    },
    roots: [root('a', '*')],
    want: `a v1.0.0, b ${B_DIGEST}`,
  },
  {
    why: 'a cycle is no solution',
    packages: { a: { 'v1.0.0': needs('b *') }, b: { 'v1.0.0': needs('a *') } },
    roots: [root('a', '*')],
    want: 'unsolvable',
  },
  {
    why: 'unless cycles are allowed',
    packages: { a: { 'v1.0.0': needs('b *') }, b: { 'v1.0.0': needs('a *') } },
    roots: [root('a', '*')],
    options: { ...V2, allowCycles: true },
    want: 'a v1.0.0, b v1.0.0',
  },
  {
    why: 'a dependency names its kind',
    packages: {
      a: { 'v1.0.0': { dependsOn: [{ function: at('b'), version: '*' }] } },
      b: B,
    },
    roots: [root('a', '*')],
    want: 'unsolvable',
  },
  {
    why: 'a version that requires the unpublished is passed over',
    packages: { a: { 'v1.0.0': {}, 'v1.1.0': needs('nobody *') } },
    roots: [root('a', '*')],
    want: 'a v1.0.0',
  },
  {
    why: 'a version with a constraint that is none is passed over',
    packages: { a: { 'v1.0.0': {}, 'v1.1.0': needs('b latest') }, b: B },
    roots: [root('a', '*')],
    want: 'a v1.0.0',
  },
  {
    why: 'an incomplete tag is a version on old targets',
    packages: { a: { v1: {}, 'v0.9.0': {} } },
    roots: [root('a', '>=v0.5.0')],
    options: { crossplane: 'v1.20.0' },
    want: 'a v1',
  },
  {
    why: 'and is passed over on new ones',
    packages: { a: { v1: {}, 'v0.9.0': {} } },
    roots: [root('a', '>=v0.5.0')],
    options: { crossplane: 'v2.1.0' },
    want: 'a v0.9.0',
  },
  {
    why: 'a tag named by a root is that tag',
    packages: { a: { v1: {}, 'v0.9.0': {}, latest: {} } },
    roots: [packageRoot(at('a'), { form: 'tag', tag: 'latest' })],
    want: 'a latest',
  },
  {
    why: 'text that is no constraint is a tag',
    packages: { a: { 'v0.9.0': {}, main: {} } },
    roots: [root('a', 'main')],
    want: 'a main',
  },
  {
    why: 'of one version spelled twice the greatest string',
    packages: { a: { '1.0.0': {}, 'v1.0.0': {} } },
    roots: [root('a', '1.0.0')],
    want: 'a v1.0.0',
  },
  {
    why: 'an override replaces every constraint, the root’s too',
    packages: { a: { 'v1.0.0': needs('b v2.0.0') }, b: B },
    roots: [root('a', '*'), root('b', '>=v1.1.0')],
    rest: { overrides: [rule('b', 'v1.0.0')] },
    want: 'a v1.0.0, b v1.0.0',
  },
  {
    why: 'a requirement on the one is met by the other',
    packages: { a: { 'v1.0.0': needs('gone >=v1.0.0') }, b: B },
    roots: [root('a', '*')],
    rest: { replace: [{ repository: at('gone'), with: at('b'), origin: ORIGIN }] },
    want: 'a v1.0.0, b v2.0.0',
  },
  {
    why: 'what is excluded is never chosen',
    packages: { a: { 'v1.0.0': needs('b *') }, b: B },
    roots: [root('a', '*')],
    rest: { exclude: [rule('b', '>=v1.1.0')] },
    want: 'a v1.0.0, b v1.0.0',
  },
  {
    why: 'prereleases only where admitted',
    packages: { a: { 'v1.0.0': {}, 'v1.1.0-rc.1': {} } },
    roots: [root('a', '>=v1.0.0')],
    options: { ...V2, prereleases: [at('a')] },
    want: 'a v1.1.0-rc.1',
  },
  {
    why: 'lowest first',
    packages: { a: { 'v1.0.0': needs('b >=v1.1.0'), 'v2.0.0': {} }, b: B },
    roots: [root('a', '*')],
    options: { ...V2, prefer: 'lowest' },
    want: 'a v1.0.0, b v1.1.0',
  },
  {
    why: 'the locked version comes first',
    packages: { a: { 'v1.0.0': needs('b *'), 'v2.0.0': needs('b *') }, b: B },
    roots: [root('a', '*')],
    options: { ...V2, locked: new Map([[at('a'), 'v1.0.0']]) },
    want: 'a v1.0.0, b v2.0.0',
  },
  {
    why: 'a CRD is given by a package that owns it and can be installed',
    packages: {
      a: { 'v1.0.0': { ...owns('x.acme.io'), ...needs('nobody *') } },
      b: { 'v1.0.0': owns('x.acme.io'), 'v2.0.0': {} },
    },
    roots: [{ root: 'crd', demand: { crd: 'x.acme.io' }, origin: ORIGIN }],
    want: 'b v1.0.0',
  },
  {
    why: 'a package under development has demands and is not chosen',
    packages: { b: B },
    roots: [
      {
        root: 'local',
        kind: 'Configuration',
        name: 'mine',
        crossplane: undefined,
        dependsOn: [{ entry: { provider: at('b'), version: '<v2.0.0' }, origin: ORIGIN }],
        objects: [],
        origin: ORIGIN,
      },
    ],
    want: 'b v1.1.0',
  },
];

test.each(ROWS)('$why → $want', ({ packages, roots, rest, options = V2, want }) => {
  const outcome = exhaustive(universe(packages), request(roots, rest), options);
  expect(inWords(outcome, want)).toBe(want);
});

function inWords(outcome: Outcome, want: string): string {
  if (outcome.status !== 'solved') return outcome.status;
  const versions = [...outcome.selected]
    .map(([repository, version]) => `${repository.slice('xpkg.io/acme/'.length)} ${version}`)
    .sort()
    .join(', ');
  return want.includes(' on ') ? `${versions} on ${outcome.crossplane}` : versions;
}

test('a universe that is too large is an error', () => {
  const many = Object.fromEntries(
    Array.from({ length: 9 }, (_, n) => [`v1.${n}.0`, needs('b v9.0.0')]),
  );
  const search = () =>
    exhaustive(universe({ a: many, b: B }), request([root('a', '*')]), { maxSteps: 3 });
  expect(search).toThrow(/too large/);
});

test('finds a selection exactly if a valid one exists', () => {
  const tiny = scenario({
    packages: 3,
    versions: 2,
    families: 0,
    freeCrossplane: 0,
    incompleteTags: 0,
  });
  const agrees = fc.property(tiny, ({ universe: u, request: asked, options }) => {
    const outcome = exhaustive(u, asked, options);
    const [target] = targetsFor(asked, options);
    const world = new TargetView(u, asked, { target: target!, options });
    const valid = everySelection(u).filter(
      (selected) => violationsOf(world, selected).length === 0,
    );
    expect(outcome.status).toBe(valid.length > 0 ? 'solved' : 'unsolvable');
    if (outcome.status === 'solved') expect(valid).toContainEqual(outcome.selected);
  });
  fc.assert(agrees, { seed: 11, numRuns: 150 });
});

/** Returns every combination of at most one version of each package, by tag or by digest. */
function everySelection({ packages }: IndexFile): Map<string, string>[] {
  return Object.entries(packages).reduce<Map<string, string>[]>(
    (selections, [repository, { versions }]) => {
      const names = Object.entries(versions).flatMap(([tag, { digest }]) => [tag, digest ?? tag]);
      return selections.flatMap((selected) => [
        selected,
        ...names.map((name) => new Map([...selected, [repository, name]])),
      ]);
    },
    [new Map()],
  );
}
