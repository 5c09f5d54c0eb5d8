import { getOrCreate } from '../../base/collections.js';
import { packageName } from '../../crossplane/packages/repository-names.js';
import type { LockedPackage } from '../../project/lockfile/lockfile.js';
import { parseReference } from '../../crossplane/packages/reference.js';
import { parseVersion, type Version } from '../../crossplane/constraints/version.js';
import {
  uncheckedFinding,
  type LintedProject,
  type LintFinding,
  type LintRule,
  READ_OR_REBUILD,
} from './linted-project.js';

/** Label by which the RBAC manager of Crossplane finds the family of a provider. */
const FAMILY = 'pkg.crossplane.io/provider-family';
/** Maximum difference between minor versions of one family. */
const MAX_MINORS_APART = 2;

/**
 * Providers from another registry or organization than their family. Crossplane gives them no
 * access to the ProviderConfigs of the family: all packages are healthy, but no resource is ever
 * reconciled.
 */
function splitFamilyFindings(set: LintedProject): LintFinding[] {
  return members(set).flatMap(({ member, family }) => {
    const others = familyProviders(set, family).filter((each) => each !== member);
    const [apart] = others;
    if (apart === undefined || others.some((each) => isSameOrganization(each, member))) return [];
    const origin = set.originOf(member.repository);
    const text = `${member.repository} is of the family \`${family}\`, which comes from ${organization(apart)}: Crossplane gives it no access to that family's ProviderConfigs, so everything looks healthy and nothing works`;
    const fix = `take both from one place: replace ${apart.repository} with ${organization(member)}/${family} (\`spec.replace\`), or the member with one of ${organization(apart)}`;
    return [{ rule: 'family-apart', severity: 'error', origin, text, fix }];
  });
}

/** Members with versions far from the provider of their family. */
function farFromProviderFindings(set: LintedProject): LintFinding[] {
  const { dialect } = set.target.rules;
  const distant = members(set).flatMap(({ member, family }) => {
    const provider = familyProviders(set, family).find((each) => isSameOrganization(each, member));
    const [a, b] = [member, provider].map((each) => each && parseVersion(each.version, dialect));
    if (provider === undefined || a === undefined || b === undefined) return [];
    return farApart(a, b) ? [{ member, provider, version: a }] : [];
  });
  return [...new Set(distant.map(({ provider }) => provider))].map((provider): LintFinding => {
    const [first, ...others] = distant.filter((each) => each.provider === provider);
    const { member, version } = first!;
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return {
      rule: 'family-versions',
      severity: 'warning',
      origin: set.originOf(member.repository),
      text: `${member.repository} ${member.version}${more} is far from ${provider.repository} ${provider.version}, the provider of its family; they are released and tested together`,
      fix: `require ${provider.repository} as \`~v${version.major}.${version.minor}.0\`, or members as near to ${provider.version}`,
    };
  });
}

/** Reports that families were not compared, because members cannot be recognized without labels. */
function uncheckedFamilyFindings(set: LintedProject): LintFinding[] {
  const providers = set.lockfile.packages.filter(({ kind }) => kind === 'Provider');
  const unknown = providers.filter(
    ({ repository }) => set.contentsOf(repository)?.metas[0]?.hasUnknownLabels === true,
  );
  if (providers.length < 2 || unknown.length === 0) return [];
  const others = unknown.length === 1 ? '' : ` and ${unknown.length - 1} more`;
  const text = `not checked: whether the providers of a family fit together; the source does not state the labels of ${unknown[0]!.repository}${others}`;
  return [uncheckedFinding(set, 'family-versions', { text, fix: READ_OR_REBUILD })];
}

/** Members with distant versions: they are released and tested together. */
function farApartFindings(set: LintedProject): LintFinding[] {
  const { dialect } = set.target.rules;
  const families = new Map<string, { member: LockedPackage; version: Version }[]>();
  for (const { member, family } of members(set)) {
    const versions = getOrCreate(families, family, () => []);
    const version = parseVersion(member.version, dialect);
    if (version !== undefined) versions.push({ member, version });
  }
  return [...families].flatMap(([family, versions]): LintFinding[] => {
    versions.sort((a, b) => minorOf(a.version) - minorOf(b.version));
    const [first, last] = [versions[0], versions.at(-1)];
    if (!first || !last || !farApart(first.version, last.version)) return [];
    const [oldest, newest] = [first.member, last.member];
    const origin = set.originOf(oldest.repository);
    const text = `members of the family \`${family}\` are far apart: ${oldest.repository} ${oldest.version} and ${newest.repository} ${newest.version}; they are released and tested together`;
    const fix = `ask for all of them in one range, such as \`^${newest.version}\``;
    return [{ rule: 'family-versions', severity: 'warning', origin, text, fix }];
  });
}

function members({ lockfile, contentsOf }: LintedProject) {
  return lockfile.packages.flatMap((member) => {
    const family = contentsOf(member.repository)?.metas[0]?.labels[FAMILY];
    const isMember = family !== undefined && family !== packageName(member.repository);
    return isMember ? [{ member, family }] : [];
  });
}

function familyProviders({ lockfile }: LintedProject, family: string): LockedPackage[] {
  return lockfile.packages.filter(
    ({ kind, repository }) => kind === 'Provider' && packageName(repository) === family,
  );
}

function minorOf({ major, minor }: Version): number {
  return Number(major) * 1_000_000 + Number(minor);
}

function farApart(a: Version, b: Version): boolean {
  return a.major !== b.major || Math.abs(Number(b.minor) - Number(a.minor)) > MAX_MINORS_APART;
}

/** Returns the registry and the first segment of the path, which Crossplane compares. */
function organization({ repository }: LockedPackage): string {
  const reference = parseReference(repository);
  return `${reference?.registry ?? ''}/${reference?.path.split('/')[0] ?? ''}`;
}

function isSameOrganization(a: LockedPackage, b: LockedPackage): boolean {
  return organization(a) === organization(b);
}

export const FAMILY_RULES: readonly LintRule[] = [
  splitFamilyFindings,
  farApartFindings,
  farFromProviderFindings,
  uncheckedFamilyFindings,
];
