import pLimit from 'p-limit';
import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import { InputError } from '../model/input-error.js';
import type { PackageSource } from '../model/package-source.js';
import { SourceError } from '../model/source-error.js';
import type { Target } from '../model/target/target.js';
import {
  checkImage,
  trustOf,
  type RefusedImage,
  type SignatureVerdict,
} from '../signatures/check-image.js';
import type { SignaturePolicies, SignaturePolicy } from '../signatures/signature-policy.js';
import type { SignatureTrust } from '../signatures/trust.js';
import { findImage } from './find-image.js';

export interface SignatureChecking {
  readonly sources: readonly PackageSource[];
  readonly target: Target;
  readonly policies: SignaturePolicies;
  readonly trust: SignatureTrust;
  readonly concurrency: number;
}

/** What became of the signatures of one locked package. */
export interface LockedSignature {
  readonly locked: LockedPackage;
  /** undefined: no policy is for it, so it need not be signed. */
  readonly verdict: SignatureVerdict | undefined;
}

/** Checks every locked image that a policy is for; the failure of one source does not stop the rest. */
export async function lockedSignatures(
  lockfile: Lockfile,
  options: SignatureChecking,
): Promise<{
  readonly checked: readonly LockedSignature[];
  readonly failures: readonly SourceError[];
}> {
  const { policies, target, trust, concurrency } = options;
  const asked = lockfile.packages.map((locked) => ({
    locked,
    policy: policies.for(locked, target),
  }));
  for (const { policy } of asked) if (policy !== undefined) requireTrust(policy, trust);
  const limit = pLimit(concurrency);
  const outcomes = await Promise.allSettled(
    asked.map(({ locked, policy }) => limit(() => checkLocked(locked, policy, options))),
  );
  const checked: LockedSignature[] = [];
  const failures: SourceError[] = [];
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') checked.push(outcome.value);
    else if (outcome.reason instanceof SourceError) failures.push(outcome.reason);
    else throw outcome.reason;
  }
  return { checked, failures };
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

/** Why an image is refused, by authority. */
export function authorityReasons({ reasons }: RefusedImage): string {
  return reasons.map(({ authority, why }) => `authority \`${authority}\`: ${why}`).join('; ');
}

/** Refuses a policy of which nothing can be checked: what it needs was not given. */
export function requireTrust(policy: SignaturePolicy, trust: SignatureTrust): void {
  const each = policy.authorities.flatMap((authority) => {
    const known = trustOf(authority, trust);
    return typeof known === 'string' ? [`authority \`${authority.name}\`: ${known}`] : [];
  });
  if (each.length < policy.authorities.length) return;
  throw new InputError(
    `ImageConfig \`${policy.name}\` asks for signatures, and none of its authorities can be checked: ${each.join('; ')}`,
    {
      origin: policy.origin,
      hint: '`--public-key FILE` takes the Secret that it names, as the cluster has it, or the key itself; `--trusted-root FILE` takes the authorities that certify signers',
    },
  );
}
