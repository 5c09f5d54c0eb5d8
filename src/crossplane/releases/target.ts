import parse from 'semver/functions/parse.js';
import { getOrCreate } from '../../base/collections.js';
import {
  type KnownState,
  type PackageManagerRules,
  type Release,
  releaseFacts,
  type ReleaseFacts,
  type ReleaseRules,
  type TargetRules,
} from './release-facts.js';

export interface Target extends ReleaseRules {
  /** As given: `v1.20.0-up.1` keeps its suffix, which package constraints compare. */
  readonly version: string;
  readonly packageManager: PackageManagerRules;
  readonly knowledge: ReleaseKnowledge;
  /** A warning if the release is unknown. It names the release whose rules apply. */
  readonly warning: string | undefined;
}

/** How well the rules of a target are known. */
export interface ReleaseKnowledge {
  /** The known release whose rules apply. */
  readonly release: string;
  readonly state: KnownState | 'unknown';
  /** When the release was tested; in other states, when the facts were collected. */
  readonly asOf: string;
}

type Triple = readonly [number, number, number];

/** Known targets by version, which a search requests again and again, for each state of the facts. */
const targetCaches = new WeakMap<ReleaseFacts, Map<string, Target>>();

/** Returns the target of an exact version, or undefined if `version` is not one. */
export function targetFor(version: string): Target | undefined {
  const cache = getOrCreate(targetCaches, releaseFacts(), () => new Map<string, Target>());
  const known = cache.get(version);
  if (known !== undefined) return known;
  const target = deriveTarget(version);
  if (target?.knowledge.release === version) cache.set(version, target);
  return target;
}

/** Accepts `2.0.0`, but the target is `v2.0.0`, as releases are tagged. */
function deriveTarget(text: string): Target | undefined {
  const triple = parseRelease(text);
  if (triple === undefined) return undefined;
  const version = text.startsWith('v') ? text : `v${text}`;
  const { release, state } = releaseOf(version, triple);
  const { rules, packageManager, testedOn } = release;
  const { asOf } = releaseFacts();
  return {
    version,
    rules,
    packageManager,
    knowledge: {
      release: release.version,
      state,
      asOf: (state === 'tested' ? testedOn : undefined) ?? asOf,
    },
    warning:
      state === 'unknown'
        ? `Crossplane ${version} is not a release this tool knows; it is treated as ${release.version}`
        : undefined,
  };
}

/**
 * Returns the release with the rules of a version, and how well they are known: the release itself;
 * for a build of Upbound, the release that it is made from; else the nearest one below.
 */
function releaseOf(
  version: string,
  triple: Triple,
): { readonly release: Release; readonly state: ReleaseKnowledge['state'] } {
  const candidates = releaseFacts().lines.flatMap((line) => line.candidates);
  const stable = stableReleases();
  const exact = [...stable, ...candidates].find((release) => release.version === version);
  if (exact !== undefined) return { release: exact, state: exact.state };
  const isSame = ({ version: other }: Release) => numberOf(other) === numberOf(version);
  const own = isUpboundBuild({ version }) ? stable.find(isSame) : undefined;
  if (own !== undefined) return { release: own, state: 'inferred' };
  const below = stable.filter(
    (release) => compareTriples(parseRelease(release.version)!, triple) <= 0,
  );
  const release = (isCandidate(version) && candidates.find(isSame)) || below.at(-1) || stable[0]!;
  return { release, state: 'unknown' };
}

/** Returns the version without what follows a dash. */
function numberOf(version: string): string {
  return version.split('-')[0]!;
}

function isCandidate(version: string): boolean {
  return version.includes('-') && !isUpboundBuild({ version });
}

function stableReleases(): Release[] {
  return releaseFacts().lines.flatMap(({ releases }) => releases);
}

/** Returns the known stable releases, oldest first. */
export function knownReleases(): readonly string[] {
  return getOrCreate(versions, releaseFacts(), () =>
    stableReleases().map(({ version }) => version),
  );
}

const versions = new WeakMap<ReleaseFacts, readonly string[]>();

/** Whether a release verifies signatures; with `rewrites`, also of images that it rewrites. */
export function verifiesSignatures({ rules }: ReleaseRules, rewrites: boolean): boolean {
  const { verification = false, rewrite = false } = rules.imageConfig ?? {};
  return verification && (rewrite || !rewrites);
}

/** Returns a constraint that admits these releases, including prereleases. */
export function signatureReleases(rewrites: boolean): string {
  const oldest = stableReleases().find((release) => verifiesSignatures(release, rewrites));
  return `>=${oldest!.version}-0`;
}

/** Returns the other known releases: newer ones, then older ones, each nearest first. */
export function otherReleases(target: Target): Target[] {
  const all = knownReleases().map((release) => targetFor(release)!);
  const newer = all.filter((other) => isNewer(other, target));
  return [...newer, ...all.filter((other) => isNewer(target, other)).reverse()];
}

/** Whether `a` is newer than `than`. A release is newer than its candidates; ignores `-up.1`. */
export function isNewer(a: Target, than: Target): boolean {
  const order = compareTriples(parseRelease(a.version)!, parseRelease(than.version)!);
  return order > 0 || (order === 0 && isCandidate(than.version) && !isCandidate(a.version));
}

/** Whether two targets have equal rules, so that they can be solved together. */
export function sameRules(a: Target, b: Target): boolean {
  const [text, other] = [a, b].map(({ rules }) => getOrCreate(rulesTexts, rules, JSON.stringify));
  return text === other;
}

/** Cached, because serializing takes longer than comparing. */
const rulesTexts = new WeakMap<TargetRules, string>();

/** Parses a release of Crossplane, which is strict SemVer 2 unlike versions of packages. */
function parseRelease(release: string): Triple | undefined {
  const parsed = /\s/.test(release) ? null : parse(release);
  return parsed === null ? undefined : [parsed.major, parsed.minor, parsed.patch];
}

function compareTriples(a: Triple, b: Triple): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/**
 * Returns the releases between two others, in the direction of travel: the newest known patch of
 * every minor version, because Crossplane supports upgrades only by one minor version. Releases
 * whose rules are only inferred are left out.
 *
 * Returns none for builds of Upbound, which are not among the known releases.
 */
export function releasesBetween(from: Target, to: Target): Target[] {
  if (isUpboundBuild(from) || isUpboundBuild(to)) return [];
  return minorsBetween(from, to).flatMap((minor) => {
    const found = releaseFacts().lines.find(({ line }) => line === minor);
    const newest = found?.releases.findLast(({ state }) => state !== 'inferred');
    return newest === undefined ? [] : [targetFor(newest.version)!];
  });
}

/** Returns the minor versions between two releases, as `v1.19`, in the direction of travel. */
export function minorsBetween(from: Target, to: Target): string[] {
  const [a, b] = [parseRelease(from.version)!, parseRelease(to.version)!];
  const isBackwards = compareTriples(a, b) > 0;
  const [low, high] = isBackwards ? [b, a] : [a, b];
  const minors: string[] = [];
  for (let major = low[0]; major <= high[0]; major += 1) {
    const first = major === low[0] ? low[1] + 1 : 0;
    const newest = knownReleases().findLast((release) => release.startsWith(`v${major}.`));
    const last = major === high[0] ? high[1] - 1 : (parseRelease(newest ?? '')?.[1] ?? -1);
    for (let minor = first; minor <= last; minor += 1) minors.push(`v${major}.${minor}`);
  }
  return isBackwards ? minors.reverse() : minors;
}

/** Whether a release is a build of Upbound, such as `v1.20.0-up.1`, which has its own chart. */
export function isUpboundBuild({ version }: Pick<Target, 'version'>): boolean {
  return /-up\./.test(version);
}

/** Whether an upgrade gives every package a revision of another name. */
export function renamesRevisions(before: Target, after: Target): boolean {
  return before.packageManager.revisionNames !== after.packageManager.revisionNames;
}

export function isUpgradeToV2(from: Target, to: Target): boolean {
  return parseRelease(from.version)![0] < 2 && parseRelease(to.version)![0] >= 2;
}
