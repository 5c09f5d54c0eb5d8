import * as fc from 'fast-check';
import type { IndexFile } from '../../sources/index/index-file.js';
import { PACKAGE_KINDS, type Repository } from '../../crossplane/packages/package.js';
import type { JsonObject } from '../../base/json.js';
import type {
  LocalRoot,
  PackageRoot,
  Request,
  Root,
  RootVersion,
} from '../../project/inputs/request.js';
import { samplePackage, digestOf } from './sample-packages.js';
import { pick, pickFrom, sometimes, weighted, DEFAULT_KNOBS, type Knobs } from './knobs.js';
import {
  constraintPlan,
  type ConstraintPlan,
  constraintText,
  policyOf,
  policyPlan,
  type PolicyPlan,
} from './constraint-plan.js';

/** A request, planned before the published packages are known. */
interface RequestPlan {
  readonly crossplane: string | undefined;
  readonly roots: readonly RootPlan[];
  readonly override: RulePlan | undefined;
  readonly replace: { readonly of: number; readonly with: number } | undefined;
  readonly exclude: RulePlan | undefined;
  readonly policy: (PolicyPlan & { readonly rule: RulePlan }) | undefined;
}

interface RulePlan {
  readonly of: number;
  readonly constraint: ConstraintPlan;
}

interface RootPlan extends RulePlan {
  readonly form: 'text' | 'tag' | 'digest' | 'crd' | 'local';
  readonly statesKind: boolean;
}

/**
 * Draws requests for packages of `knobs.universe`, or for those that `universe()` usually has. Use
 * `scenario` to draw a universe and a request that shrink together.
 */
export function packageSet(
  knobs: Partial<Knobs> & { readonly universe?: IndexFile } = {},
): fc.Arbitrary<Request> {
  const { universe, ...rest } = knobs;
  const all = { ...DEFAULT_KNOBS, ...rest };
  return requestPlan(all).map((plan) => requestFromPlan(plan, universe ?? typicalUniverse(all)));
}

export function requestPlan(knobs: Knobs): fc.Arbitrary<RequestPlan> {
  const rule = fc.record({ of: pick(), constraint: constraintPlan(knobs, 'request') });
  const plan = fc.record({
    crossplane: weighted<string | undefined>(
      ...TARGETS.map(([share, text]) => [share * (1 - knobs.freeCrossplane), text] as const),
      ...FREE.map((text) => [knobs.freeCrossplane / FREE.length, text] as const),
    ),
    roots: fc.array(rootPlan(knobs), { minLength: 1, maxLength: knobs.roots, size: 'max' }),
    override: sometimes(knobs.overrides, rule),
    replace: sometimes(knobs.replace, fc.record({ of: pick(), with: pick() })),
    exclude: sometimes(knobs.exclude, rule),
    policy: sometimes(knobs.policies, policyPlan(rule)),
  });
  return fc.noBias(plan);
}

const TARGETS: readonly (readonly [share: number, crossplane: string | undefined])[] = [
  [0.4, 'v2.3.4'],
  [0.05, undefined],
  [0.2, 'v1.20.0'],
  [0.15, 'v2.1.4'],
  [0.1, 'v1.17.1'],
  [0.05, 'v2.0.0'],
  [0.05, 'v1.20.0-up.1'],
];

const FREE = ['>=v2.2.0', '~v1.20.0', '>=v1.20.9, <v2.0.3'];

function rootPlan(knobs: Knobs): fc.Arbitrary<RootPlan> {
  const { digests, crdRoots, localRoots } = knobs;
  return fc.record({
    of: pick(),
    constraint: constraintPlan({ ...knobs, digests: 0 }, 'request'),
    form: weighted<RootPlan['form']>(
      [Math.max(0, 0.85 - digests - crdRoots - localRoots), 'text'],
      [0.15, 'tag'],
      [digests, 'digest'],
      [crdRoots, 'crd'],
      [localRoots, 'local'],
    ),
    statesKind: weighted([0.7, true], [0.3, false]),
  });
}

function typicalUniverse({ packages, versions }: Knobs): IndexFile {
  const tags = Array.from({ length: versions }, (_, n) => `v1.${n}.0`);
  const entries = Array.from({ length: Math.max(1, Math.ceil(packages / 2)) }, (_, n) => {
    const { repository, kind, apis } = samplePackage(n);
    const contents = tags.map((tag) => [tag, { digest: digestOf(repository, tag), crds: apis }]);
    return [repository, { kind, versions: Object.fromEntries(contents) }];
  });
  return { packages: Object.fromEntries(entries) };
}

export function requestFromPlan(plan: RequestPlan, universe: IndexFile): Request {
  const replace = replacementOf(plan, universe);
  const roots = plan.roots.map((root, n) => rootOf(root, universe, n));
  // A rule on a replaced package would be ambiguous.
  const rules = (plans: readonly (RulePlan | undefined)[]) =>
    plans
      .flatMap((rule) => (rule === undefined ? [] : ruleOf(rule, universe)))
      .filter(({ repository }) => replace.every((r) => r.repository !== repository));
  return {
    ...(plan.crossplane !== undefined && {
      crossplane: { text: plan.crossplane, origin: originAt(2) },
    }),
    roots: oncePerPackage(roots, replace),
    overrides: rules([plan.override]),
    replace,
    exclude: rules([plan.exclude]),
    defaults: {},
    kept: [],
    ...(plan.policy && { policies: [policyOf(plan.policy, ruleOf(plan.policy.rule, universe))] }),
  };
}

function replacementOf({ replace }: RequestPlan, universe: IndexFile) {
  if (replace === undefined) return [];
  const { packages } = universe;
  const repository = nameOf(replace.of, universe);
  const others = Object.keys(packages).filter(
    (other) => other !== repository && packages[other]!.kind === packages[repository]?.kind,
  );
  const other = pickFrom(replace.with, others);
  return other === undefined ? [] : [{ repository, with: other, origin: originAt(30) }];
}

function ruleOf({ of, constraint }: RulePlan, universe: IndexFile) {
  const repository = nameOf(of, universe);
  const version = constraintText(constraint, repository, plainTags(universe, repository));
  return { repository, version, origin: originAt(20) };
}

function rootOf(plan: RootPlan, universe: IndexFile, n: number): Root {
  const repository = topOf(plan.of, universe);
  if (plan.form === 'local') return localRoot(plan, universe, n);
  const crd = plan.form === 'crd' ? pickFrom(plan.of, apisIn(universe)) : undefined;
  if (crd !== undefined) return { root: 'crd', demand: { crd }, origin: originAt(4 + n) };
  const kind = PACKAGE_KINDS.find((known) => known === universe.packages[repository]?.kind);
  return packageRoot(repository, versionOf(plan, universe, repository), {
    kind: plan.statesKind ? kind : undefined,
    line: 4 + n,
  });
}

/** Returns a root without settings for its object. */
export function packageRoot(
  repository: Repository,
  version: RootVersion,
  given: { readonly kind?: PackageRoot['kind']; readonly line?: number } = {},
): PackageRoot {
  return {
    root: 'package',
    repository,
    kind: given.kind,
    version,
    name: undefined,
    spec: {},
    object: undefined,
    ignoreCrossplaneConstraints: false,
    skipDependencyResolution: false,
    origin: originAt(given.line),
  };
}

function versionOf(plan: RootPlan, universe: IndexFile, repository: string): RootVersion {
  const versions = universe.packages[repository]?.versions ?? {};
  const tag = pickFrom(plan.constraint.at, Object.keys(versions)) ?? 'v1.0.0';
  if (plan.form === 'tag') return { form: 'tag', tag };
  if (plan.form === 'digest') return { form: 'digest', digest: digestOf(repository, tag) };
  const text = constraintText(plan.constraint, repository, plainTags(universe, repository));
  return { form: 'text', text };
}

function localRoot(plan: RootPlan, universe: IndexFile, n: number): LocalRoot {
  const repository = topOf(plan.of, universe);
  const kind = universe.packages[repository]?.kind ?? 'Provider';
  const entry: JsonObject = {
    [kind.toLowerCase()]: repository,
    version: constraintText(plan.constraint, repository, plainTags(universe, repository)),
  };
  return {
    root: 'local',
    kind: 'Configuration',
    name: 'configuration-under-development',
    crossplane: undefined,
    dependsOn: [{ entry, origin: originAt(4 + n) }],
    objects: [],
    origin: originAt(4 + n),
  };
}

function oncePerPackage(roots: readonly Root[], replace: Request['replace']): Root[] {
  const names = roots.map((root) => {
    if (root.root !== 'package') return undefined;
    return replace.find((r) => r.repository === root.repository)?.with ?? root.repository;
  });
  return roots.filter((_, n) => names[n] === undefined || names.indexOf(names[n]) === n);
}

function nameOf(n: number, universe: IndexFile): Repository {
  return pickFrom(n, Object.keys(universe.packages)) ?? samplePackage(0).repository;
}

/** Selects a package for a root, usually from the first half, which requires most of the others. */
function topOf(n: number, universe: IndexFile): Repository {
  const repositories = Object.keys(universe.packages);
  const top = n % 5 === 4 ? repositories.length : Math.ceil(repositories.length / 2);
  return nameOf(Math.floor(n / 5) % top, universe);
}

/** Returns tags of the form `vX.Y.Z`, in the order of publication. */
function plainTags(universe: IndexFile, repository: string): string[] {
  return Object.keys(universe.packages[repository]?.versions ?? {}).filter((tag) =>
    /^v\d+\.\d+\.\d+/.test(tag),
  );
}

function apisIn({ packages }: IndexFile): string[] {
  const versions = Object.values(packages).flatMap((p) => Object.values(p.versions));
  const names = versions.flatMap(({ crds = [], xrds = [] }) => [
    ...crds,
    ...xrds.flatMap(({ name, claim }) => (claim === undefined ? [name] : [name, claim])),
  ]);
  return [...new Set(names)];
}

function originAt(line = 1): { readonly file: string; readonly line: number } {
  return { file: 'request.yaml', line };
}
