import type { Lockfile } from '../../../lock/lockfile.js';
import type { PackageSource } from '../../../model/package-source.js';
import type { KeptObject } from '../../../model/request.js';
import { targetFor } from '../../../model/target/target.js';
import type { SignatureReport } from '../../output/lock/signatures.js';
import { signatureTrust, type SignatureTrustArgs } from '../../flags/source/signature-flags.js';
import type { Io } from '../io.js';

interface SignatureArgs extends SignatureTrustArgs {
  readonly signatures: boolean;
  readonly concurrency: number;
}

interface Signing {
  /** One by one, in the order given. */
  readonly sources: readonly PackageSource[];
  /** ImageConfigs with policies. */
  readonly kept: readonly KeptObject[];
  /** ImageConfigs that say where images are pulled from. */
  readonly rewriting: readonly KeptObject[];
}

/** What `verify --signatures` finds; undefined: it was not asked for. */
export async function signaturesOf(
  args: SignatureArgs,
  io: Io,
  lockfile: Lockfile,
  { sources, kept, rewriting }: Signing,
): Promise<SignatureReport | undefined> {
  if (!args.signatures) return undefined;
  const { SignaturePolicies } = await import('../../../signatures/signature-policy.js');
  const { lockedSignatures } = await import('../../../supply/locked-signatures.js');
  const { signatureReport } = await import('../../output/lock/signatures.js');
  const target = targetFor(lockfile.crossplane)!;
  const policies = new SignaturePolicies(kept, rewriting);
  const trust = await signatureTrust(args, io);
  const { concurrency } = args;
  const found = await lockedSignatures(lockfile, { sources, target, policies, trust, concurrency });
  return signatureReport(found, {
    target,
    hasPolicies: !policies.isEmpty,
    hasRoot: trust.root !== undefined,
  });
}
