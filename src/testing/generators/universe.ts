import * as fc from 'fast-check';
import type { IndexFile, IndexPackage, IndexVersion } from '../../sources/index/index-file.js';
import type { JsonObject } from '../../base/json.js';
import {
  aliasOf,
  samplePackage,
  claimOf,
  digestOf,
  FAMILY_PROVIDER,
  isFamilyMember,
  MONOLITHIC_PROVIDER,
  UNPUBLISHED,
  type SamplePackage,
} from './sample-packages.js';
import { pick, pickFrom, sometimes, weighted, DEFAULT_KNOBS, type Knobs } from './knobs.js';
import {
  constraintPlan,
  type ConstraintPlan,
  constraintText,
  generatedRelease,
} from './constraint-plan.js';

/**
 * Draws universes of packages in the form of an index file.
 *
 * It draws plans of small numbers and short lists, so that a failing universe shrinks to few
 * packages, few versions and simple constraints.
 */
export function universe(knobs: Partial<Knobs> = {}): fc.Arbitrary<IndexFile> {
  return universePlan({ ...DEFAULT_KNOBS, ...knobs }).map(publish);
}

interface UniversePlan {
  readonly packages: readonly PackagePlan[];
  readonly depth: number;
  readonly family: { readonly family: PackagePlan; readonly monolith: PackagePlan } | undefined;
  /** Selects a package that is also published in another registry. */
  readonly alias: number | undefined;
}

interface PackagePlan {
  readonly versions: readonly VersionPlan[];
  readonly oddTag: 'v1' | '1.2' | 'latest' | 'spelled-twice' | undefined;
}

interface VersionPlan {
  readonly bump: 'minor' | 'patch' | 'major';
  readonly prerelease: string | undefined;
  readonly crossplane: string | undefined;
  readonly requirements: readonly RequirementPlan[];
  /** Whether the version owns all APIs of its package or only the first. */
  readonly allApis: boolean;
  /** Selects another package that shares an API with this one. */
  readonly sharesApiOf: number | undefined;
  readonly hasDigest: boolean;
  /** Form of its Compositions; undefined if the index does not state it. */
  readonly compositions: 'pipeline' | 'resources' | undefined;
}

interface RequirementPlan {
  readonly to: number;
  readonly constraint: ConstraintPlan;
  readonly explicit: boolean;
  /** The mistake: an unpublished package, a wrong kind, or a requirement that may close a cycle. */
  readonly fault: 'unpublished' | 'wrong-kind' | 'upwards' | undefined;
}

/** Draws plans of universes. `scenario` uses plans so that universe and request shrink together. */
export function universePlan(knobs: Knobs): fc.Arbitrary<UniversePlan> {
  const one = packagePlan(knobs);
  const plan = fc.record({
    packages: fc.array(one, { minLength: 1, maxLength: knobs.packages, size: 'max' }),
    depth: fc.constant(knobs.depth),
    family: sometimes(knobs.families, fc.record({ family: one, monolith: one })),
    alias: sometimes(knobs.aliases, pick()),
  });
  // Bias prefers short lists, and packages without dependencies have no conflicts.
  return fc.noBias(plan);
}

function packagePlan(knobs: Knobs): fc.Arbitrary<PackagePlan> {
  return fc.record({
    versions: fc.array(versionPlan(knobs), {
      minLength: 1,
      maxLength: knobs.versions,
      size: 'max',
    }),
    oddTag: weighted<PackagePlan['oddTag']>(
      [Math.max(0, 1 - knobs.incompleteTags - knobs.oddTags), undefined],
      [knobs.incompleteTags / 2, 'v1'],
      [knobs.incompleteTags / 2, '1.2'],
      [knobs.oddTags / 2, 'latest'],
      [knobs.oddTags / 2, 'spelled-twice'],
    ),
  });
}

function versionPlan(knobs: Knobs): fc.Arbitrary<VersionPlan> {
  return fc.record({
    bump: weighted<VersionPlan['bump']>([0.6, 'minor'], [0.2, 'patch'], [0.2, 'major']),
    prerelease: sometimes(knobs.prereleases, fc.constantFrom('rc.1', 'beta.2', 'alpha')),
    crossplane: sometimes(knobs.crossplane, fc.constantFrom(...CROSSPLANE_CONSTRAINTS)),
    requirements: fc.array(requirementPlan(knobs), { maxLength: 3, size: 'max' }),
    allApis: weighted([0.7, true], [0.3, false]),
    sharesApiOf: sometimes(knobs.sharedCrds, pick()),
    hasDigest: weighted([1 - knobs.undigested, true], [knobs.undigested, false]),
    compositions: weighted<VersionPlan['compositions']>(
      [(1 - knobs.resourceCompositions) / 2, undefined],
      [(1 - knobs.resourceCompositions) / 2, 'pipeline'],
      [knobs.resourceCompositions, 'resources'],
    ),
  });
}

const CROSSPLANE_CONSTRAINTS = [
  '>=v1.14.0',
  '>=v1.14.0-0',
  '^v1.14.1-0 || ^v2.0.0-0',
  '>=v1.20.0',
  '<v2.0.0',
  '>=v2.0.0-rc.0',
  '>=v2.3.0',
];

function requirementPlan(knobs: Knobs): fc.Arbitrary<RequirementPlan> {
  return fc.record({
    to: pick(),
    constraint: constraintPlan(knobs, 'package'),
    explicit: weighted([1 - knobs.explicit, false], [knobs.explicit, true]),
    fault: weighted<RequirementPlan['fault']>(
      [Math.max(0, 1 - knobs.missing - knobs.kindMismatches - knobs.cycles), undefined],
      [knobs.missing, 'unpublished'],
      [knobs.kindMismatches, 'wrong-kind'],
      [knobs.cycles, 'upwards'],
    ),
  });
}

/** A package of the universe that a plan describes. */
interface PlacedPackage {
  readonly sample: SamplePackage;
  readonly plan: PackagePlan;
  /** The package requires only packages of greater layers, except for cycles. */
  readonly layer: number;
  /** Oldest first. */
  readonly tags: readonly string[];
}

export function publish(plan: UniversePlan): IndexFile {
  const all = placePackages(plan);
  const packages: Record<string, IndexPackage> = {};
  for (const self of all) packages[self.sample.repository] = publishPackage(self, all);
  return { packages };
}

function placePackages({ packages, depth, family, alias }: UniversePlan): PlacedPackage[] {
  const layers = Math.min(depth + 1, packages.length);
  const place = (sample: SamplePackage, one: PackagePlan, layer: number) =>
    all.push({ sample, plan: one, layer, tags: tagsOf(one) });
  const all: PlacedPackage[] = [];
  for (const [n, one] of packages.entries())
    place(samplePackage(n), one, Math.floor((n * layers) / packages.length));
  const aliased = alias === undefined ? undefined : pickFrom(alias, all);
  if (aliased) all.push({ ...aliased, sample: aliasOf(aliased.sample) });
  if (family) {
    // The deepest layer: members require the family provider, which requires nothing.
    place(FAMILY_PROVIDER, family.family, layers);
    place(MONOLITHIC_PROVIDER, family.monolith, layers);
  }
  return all;
}

function tagsOf({ versions }: PackagePlan): string[] {
  let [major, minor, patch] = [1, 0, -1];
  return versions.map(({ bump, prerelease }, n) => {
    if (n === 0 || bump === 'patch') patch += 1;
    else if (bump === 'minor') [minor, patch] = [minor + 1, 0];
    else [major, minor, patch] = [major + 1, 0, 0];
    return `v${major}.${minor}.${patch}${prerelease === undefined ? '' : `-${prerelease}`}`;
  });
}

function publishPackage(self: PlacedPackage, all: readonly PlacedPackage[]): IndexPackage {
  const { sample, plan, tags } = self;
  const oddTagText = plan.oddTag === 'spelled-twice' ? tags.at(-1)!.slice(1) : plan.oddTag;
  const published = plan.versions.map((version, n) => [tags[n]!, version] as const);
  if (oddTagText !== undefined) published.push([oddTagText, plan.versions.at(-1)!]);
  const contents = published.map(([tag, version]) => [
    tag,
    contentsOf(tag, version, { self, all }),
  ]);
  return { kind: sample.kind, versions: Object.fromEntries(contents) };
}

interface UniversePackage {
  readonly self: PlacedPackage;
  readonly all: readonly PlacedPackage[];
}

function contentsOf(tag: string, plan: VersionPlan, { self, all }: UniversePackage): IndexVersion {
  const { sample } = self;
  const dependsOn = plan.requirements.flatMap((requirement) => entryOf(requirement, { self, all }));
  if (isFamilyMember(sample) && all.some((other) => other.sample === FAMILY_PROVIDER))
    dependsOn.push({ provider: FAMILY_PROVIDER.repository, version: '>= 0.0.0' });
  return {
    ...(plan.crossplane === undefined ? {} : { crossplane: plan.crossplane }),
    ...(plan.hasDigest ? { digest: digestOf(sample.repository, tag) } : {}),
    ...(dependsOn.length === 0 ? {} : { dependsOn }),
    ...generatedRelease(sample.repository, tag, Math.max(0, self.tags.indexOf(tag))),
    ...objectsOf(sample, apisOf(plan, { self, all }), plan),
  };
}

function apisOf({ allApis, sharesApiOf }: VersionPlan, { self, all }: UniversePackage): string[] {
  const { sample } = self;
  const own = sample.apis.slice(0, allApis ? undefined : 1);
  const others = all.filter((candidate) => candidate !== self);
  const other = sharesApiOf === undefined ? undefined : pickFrom(sharesApiOf, others)?.sample;
  const shared = other?.apis[0];
  if (shared === undefined) return own;
  const isClaim = other?.kind === 'Configuration' && sample.kind !== 'Configuration';
  return [...new Set([...own, isClaim ? claimOf(shared) : shared])];
}

function objectsOf(
  { kind }: SamplePackage,
  apis: readonly string[],
  { compositions: form }: VersionPlan,
): Partial<IndexVersion> {
  if (apis.length === 0) return {};
  if (kind !== 'Configuration') return { crds: apis };
  const compositions = apis.map((name) => `${name.split('.')[0]}-default`);
  const spec = form === 'pipeline' ? { mode: 'Pipeline', pipeline: true } : { pipeline: false };
  return {
    xrds: apis.map((name) => (name.startsWith('x') ? { name, claim: claimOf(name) } : { name })),
    compositions,
    ...(form !== undefined && {
      compositionSpecs: Object.fromEntries(compositions.map((name) => [name, spec])),
    }),
  };
}

/** Returns the `dependsOn` entry; none if no package can be required. */
function entryOf(requirement: RequirementPlan, { self, all }: UniversePackage): JsonObject[] {
  const required = requiredPackage(requirement, { self, all });
  if (required === undefined) return [];
  const { repository, kind } = required.sample;
  const wrongKind = kind === 'Provider' ? 'Function' : 'Provider';
  const asKind = requirement.fault === 'wrong-kind' ? wrongKind : kind;
  const version = constraintText(requirement.constraint, repository, required.tags);
  return requirement.explicit
    ? [{ apiVersion: 'pkg.crossplane.io/v1', kind: asKind, package: repository, version }]
    : [{ [asKind.toLowerCase()]: repository, version }];
}

function requiredPackage(
  requirement: RequirementPlan,
  { self, all }: UniversePackage,
): Pick<PlacedPackage, 'sample' | 'tags'> | undefined {
  if (requirement.fault === 'unpublished') return { sample: UNPUBLISHED, tags: [] };
  const isUpwards = requirement.fault === 'upwards';
  const { kind } = self.sample;
  const possible = all.filter(
    ({ sample, layer }) =>
      (kind === 'Configuration' || sample.kind === 'Provider' || kind === sample.kind) &&
      layer <= self.layer === isUpwards,
  );
  return pickFrom(requirement.to, possible);
}
