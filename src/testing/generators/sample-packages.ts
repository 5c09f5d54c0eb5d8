import type { PackageKind, Repository } from '../../crossplane/packages/package.js';
import { sha256, type Digest } from '../../base/digest.js';

/** A package of generated universes: its name, its kind, and the APIs that its versions may own. */
export interface SamplePackage {
  readonly repository: Repository;
  readonly kind: PackageKind;
  /** CRD names of a Provider or Function; XRD names of a Configuration, each with a claim. */
  readonly apis: readonly string[];
}

const sample = (
  repository: string,
  kind: PackageKind,
  ...apis: readonly string[]
): SamplePackage => ({
  repository,
  kind,
  apis,
});

/**
 * Packages of generated universes. A universe of n packages has the first n, so that universes and
 * requests use the same names even if they are drawn separately.
 */
const SAMPLES: readonly SamplePackage[] = [
  sample(
    'xpkg.upbound.io/acme/configuration-app',
    'Configuration',
    'xapps.platform.acme.io',
    'xsites.platform.acme.io',
  ),
  sample(
    'xpkg.upbound.io/upbound/provider-aws-s3',
    'Provider',
    'buckets.s3.aws.upbound.io',
    'bucketpolicies.s3.aws.upbound.io',
  ),
  sample(
    'xpkg.crossplane.io/crossplane-contrib/function-auto-ready',
    'Function',
    'inputs.autoready.fn.crossplane.io',
  ),
  sample('docker.io/acme/configuration-network', 'Configuration', 'xnetworks.net.acme.io'),
  sample(
    'xpkg.upbound.io/upbound/provider-aws-ec2',
    'Provider',
    'vpcs.ec2.aws.upbound.io',
    'subnets.ec2.aws.upbound.io',
  ),
  sample(
    'xpkg.crossplane.io/crossplane-contrib/provider-kubernetes',
    'Provider',
    'objects.kubernetes.crossplane.io',
  ),
  sample(
    'xpkg.crossplane.io/crossplane-contrib/function-patch-and-transform',
    'Function',
    'resources.pt.fn.crossplane.io',
  ),
  sample('ghcr.io/acme/configuration-database', 'Configuration', 'xdatabases.db.acme.io'),
  sample('xpkg.upbound.io/upbound/provider-aws-rds', 'Provider', 'instances.rds.aws.upbound.io'),
  sample(
    'xpkg.crossplane.io/crossplane-contrib/provider-helm',
    'Provider',
    'releases.helm.crossplane.io',
  ),
  sample(
    'xpkg.crossplane.io/crossplane-contrib/function-go-templating',
    'Function',
    'gotemplates.gotemplating.fn.crossplane.io',
  ),
  sample('ghcr.io/acme/provider-vault', 'Provider', 'secrets.vault.acme.io'),
];

/** Every provider of the family requires it. */
export const FAMILY_PROVIDER = sample(
  'xpkg.upbound.io/upbound/provider-family-aws',
  'Provider',
  'providerconfigs.aws.upbound.io',
);

/** Owns every API of the family, so it conflicts with every member. */
export const MONOLITHIC_PROVIDER = sample(
  'xpkg.upbound.io/upbound/provider-aws',
  'Provider',
  'providerconfigs.aws.upbound.io',
  ...SAMPLES.filter(isFamilyMember).flatMap(({ apis }) => apis),
);

/** A required package that is not published. */
export const UNPUBLISHED = sample('ghcr.io/acme/provider-unpublished', 'Provider');

/** Returns the nth sample. After the end of the list, samples repeat with numbered names. */
export function samplePackage(n: number): SamplePackage {
  const { repository, kind, apis } = SAMPLES[n % SAMPLES.length]!;
  const round = Math.floor(n / SAMPLES.length);
  if (round === 0) return { repository, kind, apis };
  return sample(`${repository}-${round + 1}`, kind, ...apis.map((api) => apiName(api, round + 1)));
}

export function isFamilyMember({ repository }: SamplePackage): boolean {
  return repository.startsWith('xpkg.upbound.io/upbound/provider-aws-');
}

/** Registries with copies of other registries. `docker.io` is one registry with two names. */
const OTHER_REGISTRY: Readonly<Record<string, string>> = {
  'xpkg.upbound.io': 'xpkg.crossplane.io',
  'xpkg.crossplane.io': 'xpkg.upbound.io',
  'docker.io': 'index.docker.io',
};

/** Returns the copy of a package in another registry. */
export function aliasOf({ repository, kind, apis }: SamplePackage): SamplePackage {
  const [host = '', ...path] = repository.split('/');
  const other = OTHER_REGISTRY[host] ?? 'xpkg.upbound.io';
  return sample([other, ...path].join('/'), kind, ...apis);
}

/** Returns the claim of a generated XRD: `apps.platform.acme.io` for `xapps.platform.acme.io`. */
export function claimOf(xrd: string): string {
  return xrd.slice(1);
}

/** Returns a fictional digest of a version, equal in every universe. */
export function digestOf(repository: string, version: string): Digest {
  return sha256(`${repository}:${version}`);
}

function apiName(api: string, n: number): string {
  const [plural, ...group] = api.split('.');
  return `${plural}.v${n}.${group.join('.')}`;
}
