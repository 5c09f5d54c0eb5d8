import type { PackageKind, Repository } from '../../model/package.js';
import { sha256, type Digest } from '../../text/digest.js';

/** A package of generated universes: its name, its kind and the APIs that its versions may own. */
export interface SamplePackage {
  readonly repository: Repository;
  readonly kind: PackageKind;
  /** Provider, Function: CRD names. Configuration: names of XRDs, each with a claim. */
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
 * The packages of generated universes: a universe of n packages has the first n, so that a universe
 * and a request that are drawn apart still name the same packages.
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

/** Required by every provider of its family. */
export const FAMILY_PROVIDER = sample(
  'xpkg.upbound.io/upbound/provider-family-aws',
  'Provider',
  'providerconfigs.aws.upbound.io',
);

/** Owns every API of the family: no set of packages can have it beside one of its members. */
export const MONOLITHIC_PROVIDER = sample(
  'xpkg.upbound.io/upbound/provider-aws',
  'Provider',
  'providerconfigs.aws.upbound.io',
  ...SAMPLES.filter(isFamilyMember).flatMap(({ apis }) => apis),
);

/** A package that others require, and that is not published. */
export const UNPUBLISHED = sample('ghcr.io/acme/provider-unpublished', 'Provider');

/** The nth sample; past the end of the list, samples come again with numbered names. */
export function samplePackage(n: number): SamplePackage {
  const { repository, kind, apis } = SAMPLES[n % SAMPLES.length]!;
  const round = Math.floor(n / SAMPLES.length);
  if (round === 0) return { repository, kind, apis };
  return sample(`${repository}-${round + 1}`, kind, ...apis.map((api) => numbered(api, round + 1)));
}

/** Whether a package is a provider of the family that `FAMILY_PROVIDER` and the monolith belong to. */
export function isFamilyMember({ repository }: SamplePackage): boolean {
  return repository.startsWith('xpkg.upbound.io/upbound/provider-aws-');
}

/** A registry with copies of another's packages; `docker.io` is one registry with two names. */
const OTHER_REGISTRY: Readonly<Record<string, string>> = {
  'xpkg.upbound.io': 'xpkg.crossplane.io',
  'xpkg.crossplane.io': 'xpkg.upbound.io',
  'docker.io': 'index.docker.io',
};

/** The copy of a package in another registry. */
export function aliasOf({ repository, kind, apis }: SamplePackage): SamplePackage {
  const [host = '', ...path] = repository.split('/');
  const other = OTHER_REGISTRY[host] ?? 'xpkg.upbound.io';
  return sample([other, ...path].join('/'), kind, ...apis);
}

/** The claim of a generated XRD: `xapps.platform.acme.io` gives `apps.platform.acme.io`. */
export function claimOf(xrd: string): string {
  return xrd.slice(1);
}

/** A made-up digest of a version: equal in every universe, so that requests can name it. */
export function digestOf(repository: string, version: string): Digest {
  return sha256(`${repository}:${version}`);
}

function numbered(api: string, n: number): string {
  const [plural, ...group] = api.split('.');
  return `${plural}.v${n}.${group.join('.')}`;
}
