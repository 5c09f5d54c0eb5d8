import { isDigest } from '../../base/digest.js';
import { InputError, type Origin } from '../../base/errors.js';
import { shellWord } from '../../base/escape.js';
import type { JsonObject } from '../../base/json.js';
import { parseConstraint } from '../../crossplane/constraints/constraint.js';
import { INDEPENDENT_DIALECT } from '../../crossplane/constraints/dialects.js';
import { parseVersion } from '../../crossplane/constraints/version.js';
import type { Released, Repository } from '../../crossplane/packages/package.js';
import { isTag, pullName, withPlainHost } from '../../crossplane/packages/reference.js';
import type { ReleaseRules } from '../../crossplane/releases/release-facts.js';

/**
 * `spec.policy` of a PackageSet: the versions that may be chosen, for all packages of the closure.
 * Several policies apply together.
 */
export interface Policy {
  /** Allowed registries; undefined for any. */
  readonly registries?:
    { readonly allowed: readonly string[]; readonly origin: Origin } | undefined;
  readonly deny: readonly PolicyEntry[];
  readonly minimumAge?: MinimumAge | undefined;
}

/** Packages, or versions of them, in a policy. */
export interface PolicyEntry {
  /** A repository, or a prefix of repositories that ends before a slash. */
  readonly packages: string;
  /** Constraint or tag; undefined for every version. */
  readonly version: string | undefined;
  readonly reason?: string | undefined;
  readonly origin: Origin;
}

/**
 * Returns a predicate for the versions that an entry names.
 *
 * Ranges are read in the newest dialect on every release: if the release decided, the search could
 * choose a release that reads the range as something weaker. Throws `InputError` for a text that is
 * neither a constraint nor a tag nor a digest.
 */
export function versionMatcher(
  { version: text, origin }: PolicyEntry,
  /** `all`: a range includes the prereleases between its bounds, as a ban must. */
  prereleases: 'named' | 'all',
): (version: string) => boolean {
  if (text === undefined) return () => true;
  const constraint = isDigest(text) ? undefined : parseConstraint(text, INDEPENDENT_DIALECT);
  if (constraint?.invalid === false) {
    return (version) => {
      if (version === text) return true;
      const parsed = parseVersion(version, INDEPENDENT_DIALECT);
      return (
        parsed !== undefined && constraint.admits(parsed, { prereleases: prereleases === 'all' })
      );
    };
  }
  if (isDigest(text) || isTag(text)) return (version) => version === text;
  throw new InputError(`\`${text}\` is neither a constraint, nor a tag, nor a digest`, {
    origin,
    hint: `\`xpkg-resolve constraint ${shellWord(text)}\` explains why`,
  });
}

/** Minimum time between the publication of a version and its use. */
export interface MinimumAge {
  /** Text of the duration: `7d`. */
  readonly text: string;
  readonly milliseconds: number;
  /** Packages and versions that may have any age. */
  readonly except: readonly PolicyEntry[];
  /** Treatment of versions with an unknown age. */
  readonly unknown: 'refuse' | 'allow';
  readonly origin: Origin;
}

/**
 * Returns whether `prefix` names a repository or its first path segments. A default registry and
 * the spelling of the host make no difference.
 */
export function matchesPackages(
  repository: Repository,
  prefix: string,
  target: ReleaseRules,
): boolean {
  const name = withPlainHost(pullName(repository, target));
  const start = withPlainHost(prefix.replace(/\/$/, ''));
  return name === start || name.startsWith(`${start}/`);
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Pattern of a duration for a JSON Schema. */
export const DURATION_PATTERN = '^[0-9]{1,5}[mhdw]$';
const DURATION = new RegExp(DURATION_PATTERN, 'u');

/** Parses `90m`, `24h`, `7d` or `2w` into milliseconds. Returns undefined for other texts. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  const unit = text.at(-1) as keyof typeof UNITS; // the pattern allows only these
  return Number(text.slice(0, -1)) * UNITS[unit];
}

/** No package is older. An earlier date is a placeholder of a reproducible build. */
const FIRST_YEAR = 2018;

/**
 * Returns the time when a version was published, in milliseconds, or why it is unknown.
 *
 * The claim of the publisher is overruled by an index that first saw the version later.
 */
export function publishedAt({
  created,
  firstSeen,
}: Released): number | { readonly unknown: string } {
  const [claimed, seen] = [timeOf(created), timeOf(firstSeen)];
  const known = [claimed, seen].filter((time) => time !== undefined);
  if (known.length > 0) return Math.max(...known);
  if (created === undefined || created === '') return { unknown: 'its image names no date' };
  return { unknown: `its image says \`${created}\`, which is no date of publishing` };
}

/** Parses a time. Returns undefined if invalid, and for placeholders of reproducible builds. */
function timeOf(text: string | undefined): number | undefined {
  if (text === undefined || !RFC_3339.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) || new Date(time).getUTCFullYear() < FIRST_YEAR ? undefined : time;
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Formats a time to the second: `2026-11-22T10:00:00Z`. */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Returns `spec.policy` in the format of a PackageSet. */
export function policyDocument({ registries, deny, minimumAge }: Policy): JsonObject {
  return {
    ...(registries !== undefined && { registries: registries.allowed }),
    ...(deny.length > 0 && { deny: deny.map(deniedDocument) }),
    ...(minimumAge !== undefined && {
      minimumAge: minimumAge.text,
      ...(minimumAge.except.length > 0 && {
        minimumAgeExcept: minimumAge.except.map(exceptionText),
      }),
      unknownAge: minimumAge.unknown,
    }),
  };
}

function deniedDocument({ packages, version, reason }: PolicyEntry): JsonObject {
  return {
    package: packages,
    ...(version !== undefined && { version }),
    ...(reason !== undefined && { reason }),
  };
}

function exceptionText({ packages, version }: PolicyEntry): string {
  return version === undefined ? packages : `${packages}@${version}`;
}
