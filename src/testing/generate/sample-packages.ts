import { createHash } from 'node:crypto';
import type { PackageKind, Repository } from '../../model/package.js';
import type { Digest } from '../../text/digest.js';

/** A package as generated universes know it: who it is and what it could own. */
export interface SampleRole {
  readonly repository: Repository;
  readonly kind: PackageKind;
  /** Provider, Function: CRD names. Configuration: names of XRDs, each with a claim. */
  readonly apis: readonly string[];
}

const role = (repository: string, kind: PackageKind, ...apis: readonly string[]): SampleRole => ({
  repository,
  kind,
  apis,
});

/**
 * Who plays in a generated universe, in the order they enter: a universe of n packages has the
 * first n, so a universe and a request drawn apart still speak of the same packages.
 */
const CAST: readonly SampleRole[] = [
  role(
    'xpkg.upbound.io/acme/configuration-app',
    'Configuration',
    'xapps.platform.acme.io',
    'xsites.platform.acme.io',
  ),
  role(
    'xpkg.upbound.io/upbound/provider-aws-s3',
    'Provider',
    'buckets.s3.aws.upbound.io',
    'bucketpolicies.s3.aws.upbound.io',
  ),
  role(
    'xpkg.crossplane.io/crossplane-contrib/function-auto-ready',
    'Function',
    'inputs.autoready.fn.crossplane.io',
  ),
  role('docker.io/acme/configuration-network', 'Configuration', 'xnetworks.net.acme.io'),
  role(
    'xpkg.upbound.io/upbound/provider-aws-ec2',
    'Provider',
    'vpcs.ec2.aws.upbound.io',
    'subnets.ec2.aws.upbound.io',
  ),
  role(
    'xpkg.crossplane.io/crossplane-contrib/provider-kubernetes',
    'Provider',
    'objects.kubernetes.crossplane.io',
  ),
  role(
    'xpkg.crossplane.io/crossplane-contrib/function-patch-and-transform',
    'Function',
    'resources.pt.fn.crossplane.io',
  ),
  role('ghcr.io/acme/configuration-database', 'Configuration', 'xdatabases.db.acme.io'),
  role('xpkg.upbound.io/upbound/provider-aws-rds', 'Provider', 'instances.rds.aws.upbound.io'),
  role(
    'xpkg.crossplane.io/crossplane-contrib/provider-helm',
    'Provider',
    'releases.helm.crossplane.io',
  ),
  role(
    'xpkg.crossplane.io/crossplane-contrib/function-go-templating',
    'Function',
    'gotemplates.gotemplating.fn.crossplane.io',
  ),
  role('ghcr.io/acme/provider-vault', 'Provider', 'secrets.vault.acme.io'),
];

export const FAMILY = role(
  'xpkg.upbound.io/upbound/provider-family-aws',
  'Provider',
  'providerconfigs.aws.upbound.io',
);

/** Owns what its family's members own; where it is chosen, none of them can be. */
export const MONOLITH = role(
  'xpkg.upbound.io/upbound/provider-aws',
  'Provider',
  'providerconfigs.aws.upbound.io',
  ...CAST.filter(isMember).flatMap(({ apis }) => apis),
);

/** Required by some, published by nobody. */
export const NOBODY = role('ghcr.io/acme/provider-unpublished', 'Provider');

/** The nth to enter; past the end of the cast, understudies with numbered names. */
export function castMember(n: number): SampleRole {
  const { repository, kind, apis } = CAST[n % CAST.length]!;
  const round = Math.floor(n / CAST.length);
  if (round === 0) return { repository, kind, apis };
  return role(`${repository}-${round + 1}`, kind, ...apis.map((api) => numbered(api, round + 1)));
}

export function isMember({ repository }: SampleRole): boolean {
  return repository.startsWith('xpkg.upbound.io/upbound/provider-aws-');
}

/** Where else a registry's packages are found; `docker.io` is one registry with two names. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'xpkg.upbound.io': 'xpkg.crossplane.io',
  'xpkg.crossplane.io': 'xpkg.upbound.io',
  'docker.io': 'index.docker.io',
};

/** The same package as another registry has it. */
export function aliasOf({ repository, kind, apis }: SampleRole): SampleRole {
  const [host = '', ...path] = repository.split('/');
  const other = ELSEWHERE[host] ?? 'xpkg.upbound.io';
  return role([other, ...path].join('/'), kind, ...apis);
}

/** The claim of a generated XRD: `xapps.platform.acme.io` gives `apps.platform.acme.io`. */
export function claimOf(xrd: string): string {
  return xrd.slice(1);
}

/** What the bytes of a generated version hash to; the same in every universe. */
export function digestOf(repository: string, version: string): Digest {
  return `sha256:${createHash('sha256').update(`${repository}:${version}`).digest('hex')}` as Digest;
}

function numbered(api: string, n: number): string {
  const [plural, ...group] = api.split('.');
  return `${plural}.v${n}.${group.join('.')}`;
}
