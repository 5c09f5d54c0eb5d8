import pLimit from 'p-limit';
import { findByReference, findImage, NO_IMAGES } from './lockfile-images.js';
import type { Digest } from '../../base/digest.js';
import { InputError, SourceError, valuesAndFailures } from '../../base/errors.js';
import type { Candidate } from '../../crossplane/packages/package.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import type { ReleaseRules } from '../../crossplane/releases/release-facts.js';
import { signatureReleases, type Target } from '../../crossplane/releases/target.js';
import {
  checkImage,
  isVerified,
  type RefusedImage,
  type SignatureVerdict,
  trustOf,
  type VerifiedSignature,
} from '../../oci/signatures/check-image.js';
import type { SignaturePolicies, SignaturePolicy } from '../../oci/signatures/signature-policy.js';
import type { SignatureTrust } from '../../oci/signatures/trust.js';
import type { LockedPackage, LockedSigner, Lockfile } from '../../project/lockfile/lockfile.js';
import type { CandidateRule, ReleaseRequirement, Ruling } from '../../resolver/solver/problem.js';
import { hasImages } from '../../sources/images/fetch-image.js';
import type { PackageSource } from '../../sources/package-source.js';

interface SignatureChecking {
  readonly sources: readonly PackageSource[];
  readonly target: Target;
  readonly policies: SignaturePolicies;
  readonly trust: SignatureTrust;
  readonly concurrency: number;
}

/** The result of checking the signature of one locked package. */
export interface LockedSignature {
  readonly locked: LockedPackage;
  /** undefined: no policy applies, so no signature is required. */
  readonly verdict: SignatureVerdict | undefined;
}

/** Checks every locked image to which a policy applies. Collects source errors as `failures`. */
export async function lockedSignatures(lockfile: Lockfile, options: SignatureChecking) {
  const { policies, target, trust, concurrency } = options;
  const checks = lockfile.packages.map((locked) => [locked, policies.for(locked, target)] as const);
  for (const [, policy] of checks) if (policy !== undefined) requireTrust(policy, trust);
  const limit = pLimit(concurrency);
  return valuesAndFailures(
    checks.map(([locked, policy]) => limit(() => checkLocked(locked, policy, options))),
  );
}

async function checkLocked(
  locked: LockedPackage,
  policy: SignaturePolicy | undefined,
  { sources, target, trust }: SignatureChecking,
): Promise<LockedSignature> {
  const { digest } = locked;
  if (policy === undefined) return { locked, verdict: undefined };
  if (digest === undefined) {
    const why = 'it is locked without a digest, so nothing says which image is to be signed';
    const reasons = policy.authorities.map(({ name: authority }) => ({ authority, why }));
    return { locked, verdict: { policy: policy.name, reasons } };
  }
  const { images } = await findImage({ ...locked, digest }, sources, target);
  return { locked, verdict: await checkImage({ images, digest }, policy, trust) };
}

/** Returns why each authority rejects an image, as one line. */
export function authorityReasons({ reasons }: RefusedImage): string {
  return reasons.map(({ authority, why }) => `authority \`${authority}\`: ${why}`).join('; ');
}

/** Throws if no authority of a policy can be checked because keys or trusted roots are missing. */
function requireTrust(policy: SignaturePolicy, trust: SignatureTrust): void {
  const problems = policy.authorities.flatMap((authority) => {
    const known = trustOf(authority, trust);
    return typeof known === 'string' ? `authority \`${authority.name}\`: ${known}` : [];
  });
  if (problems.length < policy.authorities.length) return;
  throw new InputError(
    `ImageConfig \`${policy.name}\` asks for signatures, and none of its authorities can be checked: ${problems.join('; ')}`,
    {
      origin: policy.origin,
      hint: '`--public-key FILE` takes the Secret that it names, as the cluster has it, or the key itself; `--trusted-root FILE` takes the authorities that certify signers',
    },
  );
}

type SignatureRuleOptions = Pick<SignatureChecking, 'sources' | 'policies' | 'trust'>;

/** A candidate rule that rejects versions whose image an ImageConfig rejects. */
export class SignatureRule implements CandidateRule {
  readonly #options: SignatureRuleOptions;
  /** Verified images by reference. */
  readonly #verdicts = new Map<string, { digest: Digest; verdict: VerifiedSignature }>();

  constructor(options: SignatureRuleOptions) {
    this.#options = options;
  }

  get enforcedBy(): ReleaseRequirement | undefined {
    const { first: policy, rewrites } = this.#options.policies;
    if (policy === undefined) return undefined;
    const { name, origin } = policy;
    const images = rewrites ? ' for rewritten images' : '';
    const by = `the signature policy of ImageConfig \`${name}\`${images}`;
    return { constraint: signatureReleases(rewrites), by, origin };
  }

  async judge(
    { repository, version }: Candidate,
    { target }: { readonly target: ReleaseRules },
  ): Promise<Ruling | undefined> {
    const { policies, trust } = this.#options;
    const candidate = { repository, version };
    const policy = policies.for(candidate, target);
    if (policy === undefined) return undefined;
    requireTrust(policy, trust);
    const image = await this.#image(candidate, target);
    if (image === undefined) return undefined;
    const verdict = await checkImage(image, policy, trust);
    if (isVerified(verdict)) {
      const { digest } = image;
      this.#verdicts.set(joinReference(repository, version), { digest, verdict });
      return undefined;
    }
    const { name, origin } = policy;
    return { by: 'signature', policy: name, because: authorityReasons(verdict), origin };
  }

  /** Returns undefined if the version does not exist; reading the version reports that. */
  async #image(candidate: Candidate, target: ReleaseRules) {
    const { sources } = this.#options;
    const found = await findByReference(candidate, candidate.version, sources, target);
    if (found !== undefined) return { images: found.images, digest: found.manifest.digest };
    if (sources.every((source) => hasImages(source))) return undefined;
    const { repository, version } = candidate;
    throw new SourceError(
      'BAD_SOURCE',
      joinReference(repository, version),
      'it must be signed, and no source has its image',
      { hint: `${NO_IMAGES}, such as \`--from registry\`` },
    );
  }

  /** Returns the results of earlier checks for the packages of a new lockfile. */
  checked({ packages }: Lockfile): readonly LockedSignature[] {
    return packages.map((locked) => {
      const verified = this.#verdicts.get(joinReference(locked.repository, locked.version));
      return { locked, verdict: verified?.verdict };
    });
  }

  /** Returns the signer of a package to lock, if a policy applies. Throws for another image. */
  signer(
    { repository, version, digest }: Pick<LockedPackage, 'repository' | 'version' | 'digest'>,
    target: Target,
  ): LockedSigner | undefined {
    if (this.#options.policies.for({ repository, version }, target) === undefined) return undefined;
    const reference = joinReference(repository, version);
    const verified = this.#verdicts.get(reference);
    if (verified !== undefined && verified.digest === digest) return lockedSigner(verified.verdict);
    throw new SourceError(
      'BAD_SOURCE',
      reference,
      `its signature is of ${verified?.digest ?? 'no image'}, and ${digest ?? 'an image without a digest'} would be locked`,
      { hint: 'the sources differ: bring the index up to date, or leave it out of `--from`' },
    );
  }
}

/** Converts a verified signature to its form in a lockfile. */
export function lockedSigner(verdict: VerifiedSignature): LockedSigner {
  const { policy, authority, by, predicateType, signature: digest } = verdict;
  const type = predicateType !== undefined && { predicateType };
  return { policy, authority, ...by, ...type, digest };
}
