import type { LockedPackage, LockedSigner, Lockfile } from '../lock/lockfile.js';
import type { Candidate } from '../model/package.js';
import type { PackageSource } from '../model/package-source.js';
import type { CandidateRule, Ruling } from '../model/policy/ruling.js';
import { joinReference } from '../model/reference.js';
import { SourceError } from '../model/source-error.js';
import type { Target } from '../model/target/target.js';
import { checkImage, isVerified, type VerifiedSignature } from '../signatures/check-image.js';
import type { SignaturePolicies } from '../signatures/signature-policy.js';
import type { SignatureTrust } from '../signatures/trust.js';
import { holdsImages } from '../sources/image/image-holder.js';
import type { Digest } from '../text/digest.js';
import { findByName } from './find-image.js';
import { authorityReasons, requireTrust, type LockedSignature } from './locked-signatures.js';

interface SignatureRuleOptions {
  /** One by one, in the order given. */
  readonly sources: readonly PackageSource[];
  readonly policies: SignaturePolicies;
  readonly trust: SignatureTrust;
}

type Digested = Pick<LockedPackage, 'repository' | 'version' | 'digest'>;

/** That no version is chosen which an ImageConfig refuses; it remembers who signed the others. */
export class SignatureRule implements CandidateRule {
  readonly #options: SignatureRuleOptions;
  /** By name of the version: the image that was verified, and how. */
  readonly #verified = new Map<string, VerifiedImage>();

  constructor(options: SignatureRuleOptions) {
    this.#options = options;
  }

  async judge(
    { repository, version }: Candidate,
    { target }: { readonly target: Target },
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
      this.#verified.set(joinReference(repository, version), { digest, verdict });
      return undefined;
    }
    const { name, origin } = policy;
    return { by: 'signature', policy: name, because: authorityReasons(verdict), origin };
  }

  /** undefined: there is no such version, as reading it will show. */
  async #image(candidate: Candidate, target: Target) {
    const { sources } = this.#options;
    const found = await findByName(candidate, candidate.version, { sources, target });
    if (found !== undefined) return { images: found.images, digest: found.manifest.digest };
    if (sources.every((source) => holdsImages(source))) return undefined;
    const { repository, version } = candidate;
    throw new SourceError(
      'BAD_SOURCE',
      joinReference(repository, version),
      'it must be signed, and no source has its image',
      {
        hint: 'an index and a package cache hold no images: name a source that does with `--from`, such as `--from registry`',
      },
    );
  }

  /** What was found of the packages of a lockfile that came of it. */
  checked({ packages }: Lockfile): readonly LockedSignature[] {
    return packages.map((locked) => {
      const verified = this.#verified.get(joinReference(locked.repository, locked.version));
      return { locked, verdict: verified?.verdict };
    });
  }

  /** Who signed what is about to be locked; undefined: it need not be signed. */
  signer({ repository, version, digest }: Digested, target: Target): LockedSigner | undefined {
    if (this.#options.policies.for({ repository, version }, target) === undefined) return undefined;
    const reference = joinReference(repository, version);
    const verified = this.#verified.get(reference);
    if (verified !== undefined && verified.digest === digest) return lockedSigner(verified.verdict);
    throw new SourceError(
      'BAD_SOURCE',
      reference,
      `its signature is of ${verified?.digest ?? 'no image'}, and ${digest ?? 'an image without a digest'} would be locked`,
      { hint: 'the sources differ: bring the index up to date, or leave it out of `--from`' },
    );
  }
}

interface VerifiedImage {
  readonly digest: Digest;
  readonly verdict: VerifiedSignature;
}

/** As a lockfile keeps it. */
export function lockedSigner(verdict: VerifiedSignature): LockedSigner {
  const { policy, authority, by, predicateType, signature: digest } = verdict;
  return {
    policy,
    authority,
    ...by,
    ...(predicateType !== undefined && { predicateType }),
    digest,
  };
}
