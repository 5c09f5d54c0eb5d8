import type { LockedPackage } from '../../lock/lockfile.js';
import { parseReference } from '../../model/reference.js';
import { parseVersion, type Version } from '../../semver/version.js';
import type { LintedSet, SetFinding } from './linted-set.js';

/** The label by which the RBAC manager finds the family of a provider. */
const FAMILY = 'pkg.crossplane.io/provider-family';
/** Minor versions between members that are taken for a release and the next ones. */
const MAX_MINORS_APART = 2;

/**
 * A provider gets access to the ProviderConfigs of its family only if both are from the same
 * registry and organisation; else all is healthy, and no resource is ever reconciled.
 */
export function familyApart(set: LintedSet): SetFinding[] {
  const providers = set.lockfile.packages.filter(({ kind }) => kind === 'Provider');
  return members(set).flatMap(({ member, family }) => {
    const others = providers.filter((each) => lastPart(each) === family && each !== member);
    const apart = others.find((each) => organisation(each) !== organisation(member));
    if (apart === undefined || others.some((each) => organisation(each) === organisation(member))) {
      return [];
    }
    return [
      {
        rule: 'family-apart',
        severity: 'error',
        origin: set.originOf(member.repository),
        text: `${member.repository} is of the family \`${family}\`, which comes from ${organisation(apart)}: Crossplane gives it no access to that family's ProviderConfigs, so everything looks healthy and nothing works`,
        fix: `take both from one place: replace ${apart.repository} with ${organisation(member)}/${family} (\`spec.replace\`), or the member with one of ${organisation(apart)}`,
      },
    ];
  });
}

/** Members of a family are released together and tried together. */
export function familyVersions(set: LintedSet): SetFinding[] {
  const { dialect } = set.target.rules;
  const all = members(set);
  const families = [...new Set(all.map(({ family }) => family))];
  return families.flatMap((family): SetFinding[] => {
    const versions = all.flatMap(({ member, family: own }) => {
      if (own !== family) return [];
      const version = parseVersion(member.version, dialect);
      return version === undefined ? [] : [{ member, version }];
    });
    versions.sort((a, b) => minorOf(a.version) - minorOf(b.version));
    const [oldest, newest] = [versions[0], versions.at(-1)];
    if (oldest === undefined || !farApart(oldest.version, newest!.version)) return [];
    return [
      {
        rule: 'family-versions',
        severity: 'warning',
        origin: set.originOf(oldest.member.repository),
        text: `members of the family \`${family}\` are far apart: ${oldest.member.repository} ${oldest.member.version} and ${newest!.member.repository} ${newest!.member.version}; they are released and tested together`,
        fix: `ask for all of them in one range, such as \`^${newest!.member.version}\``,
      },
    ];
  });
}

interface Member {
  readonly member: LockedPackage;
  readonly family: string;
}

function members({ lockfile, contentsOf }: LintedSet): Member[] {
  return lockfile.packages.flatMap((member) => {
    const family = contentsOf(member.repository)?.metas[0]?.labels[FAMILY];
    return family === undefined || family === lastPart(member) ? [] : [{ member, family }];
  });
}

function minorOf({ major, minor }: Version): number {
  return Number(major) * 1_000_000 + Number(minor);
}

function farApart(a: Version, b: Version): boolean {
  return a.major !== b.major || Number(b.minor) - Number(a.minor) > MAX_MINORS_APART;
}

/** Registry and first part of the path, which is what Crossplane compares. */
function organisation({ repository }: LockedPackage): string {
  const reference = parseReference(repository);
  return `${reference?.registry ?? ''}/${reference?.path.split('/')[0] ?? ''}`;
}

function lastPart({ repository }: LockedPackage): string {
  return repository.slice(repository.lastIndexOf('/') + 1);
}
