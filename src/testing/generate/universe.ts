import * as fc from 'fast-check';
import type { IndexFile, IndexPackage, IndexVersion } from '../../model/index-file.js';
import type { PackageKind } from '../../model/package.js';
import type { JsonObject } from '../../text/json.js';
import {
  aliasOf,
  castMember,
  claimOf,
  digestOf,
  FAMILY,
  isMember,
  MONOLITH,
  NOBODY,
  type SampleRole,
} from './sample-packages.js';
import { pick, picked, sometimes, weighted } from './arbitraries.js';
import { constraintPlan, constraintText, type ConstraintPlan } from './constraint-plan.js';
import { DEFAULT_KNOBS, type Knobs } from './knobs.js';

/**
 * Whole universes of packages, shaped as an index file.
 *
 * What is drawn is a plan in which everything is small numbers and short lists, so that a failing
 * universe shrinks to few packages, few versions and plain constraints.
 */
export function universe(knobs: Partial<Knobs> = {}): fc.Arbitrary<IndexFile> {
  return universePlan({ ...DEFAULT_KNOBS, ...knobs }).map(publish);
}

export interface UniversePlan {
  readonly packages: readonly PackagePlan[];
  readonly depth: number;
  readonly family: { readonly family: PackagePlan; readonly monolith: PackagePlan } | undefined;
  /** Which package another registry has too. */
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
  readonly needs: readonly NeedPlan[];
  /** All of its own APIs, or but the first. */
  readonly allApis: boolean;
  /** Whose API it owns beside its own. */
  readonly grabs: number | undefined;
  readonly digested: boolean;
}

interface NeedPlan {
  readonly to: number;
  readonly constraint: ConstraintPlan;
  readonly explicit: boolean;
  readonly astray: 'nobody' | 'wrong-kind' | 'upwards' | undefined;
}

/** Plans of universes: what `scenario` draws beside the plan of a request, so that both shrink. */
export function universePlan(knobs: Knobs): fc.Arbitrary<UniversePlan> {
  const one = packagePlan(knobs);
  const plan = fc.record({
    packages: fc.array(one, { minLength: 1, maxLength: knobs.packages, size: 'max' }),
    depth: fc.constant(knobs.depth),
    family: sometimes(knobs.families, fc.record({ family: one, monolith: one })),
    alias: sometimes(knobs.aliases, pick()),
  });
  // Bias favours short lists, and packages that require nobody conflict with nobody.
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
    needs: fc.array(needPlan(knobs), { maxLength: 3, size: 'max' }),
    allApis: weighted([0.7, true], [0.3, false]),
    grabs: sometimes(knobs.sharedCrds, pick()),
    digested: weighted([1 - knobs.undigested, true], [knobs.undigested, false]),
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

function needPlan(knobs: Knobs): fc.Arbitrary<NeedPlan> {
  return fc.record({
    to: pick(),
    constraint: constraintPlan(knobs, 'package'),
    explicit: weighted([1 - knobs.explicit, false], [knobs.explicit, true]),
    astray: weighted<NeedPlan['astray']>(
      [Math.max(0, 1 - knobs.missing - knobs.kindMismatches - knobs.cycles), undefined],
      [knobs.missing, 'nobody'],
      [knobs.kindMismatches, 'wrong-kind'],
      [knobs.cycles, 'upwards'],
    ),
  });
}

/** A package of the universe with its place in it, its plan and its tags, oldest first. */
interface Player {
  readonly role: SampleRole;
  readonly plan: PackagePlan;
  readonly layer: number;
  readonly tags: readonly string[];
}

/** The universe a plan describes. */
export function publish(plan: UniversePlan): IndexFile {
  const players = enter(plan);
  const packages: Record<string, IndexPackage> = {};
  for (const player of players) packages[player.role.repository] = published(player, players);
  return { packages };
}

function enter({ packages, depth, family, alias }: UniversePlan): Player[] {
  const layers = Math.min(depth + 1, packages.length);
  const players = packages.map((plan, n) =>
    playerOf(castMember(n), plan, Math.floor((n * layers) / packages.length)),
  );
  const twin = alias === undefined ? undefined : picked(alias, players);
  if (twin) players.push({ ...twin, role: aliasOf(twin.role) });
  if (family) {
    // One layer below whoever is lowest: members require the family, and it requires nobody.
    players.push(playerOf(FAMILY, family.family, layers));
    players.push(playerOf(MONOLITH, family.monolith, layers));
  }
  return players;
}

function playerOf(role: SampleRole, plan: PackagePlan, layer: number): Player {
  return { role, plan, layer, tags: tagsOf(plan) };
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

function published(player: Player, players: readonly Player[]): IndexPackage {
  const { role, plan, tags } = player;
  const versions: Record<string, IndexVersion> = {};
  const publishAs = (tag: string, version: VersionPlan) => {
    versions[tag] = contentsOf(tag, version, { player, players });
  };
  plan.versions.forEach((version, n) => publishAs(tags[n]!, version));
  const newest = plan.versions.at(-1)!;
  if (plan.oddTag === 'spelled-twice') publishAs(tags.at(-1)!.slice(1), newest);
  else if (plan.oddTag !== undefined) publishAs(plan.oddTag, newest);
  return { kind: role.kind, versions };
}

interface Stage {
  readonly player: Player;
  readonly players: readonly Player[];
}

function contentsOf(tag: string, plan: VersionPlan, { player, players }: Stage): IndexVersion {
  const { role } = player;
  const dependsOn = plan.needs.flatMap((need) => entryOf(need, { player, players }));
  if (isMember(role) && players.some((other) => other.role === FAMILY))
    dependsOn.push({ provider: FAMILY.repository, version: '>= 0.0.0' });
  return {
    ...(plan.crossplane === undefined ? {} : { crossplane: plan.crossplane }),
    ...(plan.digested ? { digest: digestOf(role.repository, tag) } : {}),
    ...(dependsOn.length === 0 ? {} : { dependsOn }),
    ...objectsOf(role, apisOf(plan, { player, players })),
  };
}

function apisOf({ allApis, grabs }: VersionPlan, { player, players }: Stage): string[] {
  const { role } = player;
  const own = allApis ? role.apis : role.apis.slice(0, 1);
  if (grabs === undefined) return [...own];
  const other = picked(
    grabs,
    players.filter((candidate) => candidate !== player),
  );
  const grabbed = other?.role.apis[0];
  if (grabbed === undefined) return [...own];
  const claimed = other?.role.kind === 'Configuration' && role.kind !== 'Configuration';
  return [...new Set([...own, claimed ? claimOf(grabbed) : grabbed])];
}

function objectsOf({ kind }: SampleRole, apis: readonly string[]): Partial<IndexVersion> {
  if (apis.length === 0) return {};
  if (kind !== 'Configuration') return { crds: apis };
  return {
    xrds: apis.map((name) => (name.startsWith('x') ? { name, claim: claimOf(name) } : { name })),
    compositions: apis.map((name) => `${name.split('.')[0]}-default`),
  };
}

/** The dependsOn entry; none where nobody is there to be required. */
function entryOf(need: NeedPlan, { player, players }: Stage): JsonObject[] {
  const target = targetOf(need, { player, players });
  if (target === undefined) return [];
  const { repository, kind } = target.role;
  const asKind = need.astray === 'wrong-kind' ? wrongKind(kind) : kind;
  const version = constraintText(need.constraint, repository, target.tags);
  return need.explicit
    ? [{ apiVersion: 'pkg.crossplane.io/v1', kind: asKind, package: repository, version }]
    : [{ [asKind.toLowerCase()]: repository, version }];
}

const PUBLISHED_BY_NOBODY = { role: NOBODY, tags: [] };

function targetOf(
  need: NeedPlan,
  { player, players }: Stage,
): Pick<Player, 'role' | 'tags'> | undefined {
  if (need.astray === 'nobody') return PUBLISHED_BY_NOBODY;
  const upwards = need.astray === 'upwards';
  return picked(
    need.to,
    players.filter(
      (other) =>
        mayRequire(player.role.kind, other.role.kind) &&
        (upwards ? other.layer <= player.layer : other.layer > player.layer),
    ),
  );
}

function mayRequire(kind: PackageKind, other: PackageKind): boolean {
  return kind === 'Configuration' || other === 'Provider' || kind === other;
}

function wrongKind(kind: PackageKind): PackageKind {
  return kind === 'Provider' ? 'Function' : 'Provider';
}
