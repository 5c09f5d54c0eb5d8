import type { SignatureReport } from './signatures-output.js';
import { signatureTrust, type SignatureTrustArgs } from '../../cli/arguments/signature-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import type { KeptObject } from '../../crossplane/package-manager/image-config.js';
import { targetFor } from '../../crossplane/releases/target.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import type { Answer } from '../../resolver/resolve/answer.js';
import type { ResolveOptions } from '../../resolver/resolve/to-problem.js';
import type { PackageSource } from '../../sources/package-source.js';

export interface RequiringArgs extends SignatureTrustArgs {
  readonly requireSignatures: boolean;
}

/** The options that `--require-signatures` adds to a resolution. */
interface RequiredSignatures {
  readonly options: Pick<ResolveOptions, 'rules' | 'signerOf'>;
  /** Prints notes about differences that a cluster may see. */
  readonly printNotes: (answer: Answer) => Promise<void>;
}

export async function requiredSignatures(
  args: RequiringArgs,
  io: RunIo,
  { sources, kept }: Pick<SigningContext, 'sources' | 'kept'>,
): Promise<RequiredSignatures> {
  if (!args.requireSignatures) return { options: {}, printNotes: async () => undefined };
  const { SignatureRule } = await import('../mirror/locked-signatures.js');
  const { setting, ...checks } = await signatureChecks(args, io, kept);
  const rule = new SignatureRule({ sources, ...checks });
  return {
    options: { rules: [rule], signerOf: (locked, target) => rule.signer(locked, target) },
    printNotes: async (answer) => {
      if (answer.status !== 'solved') return;
      const { lockfile, target } = answer;
      const { signatureNotes } = await import('./signatures-output.js');
      const notes = signatureNotes(rule.checked(lockfile), { ...setting, target });
      for (const note of notes) io.note(`note: ${note}`);
    },
  };
}

async function signatureChecks(
  args: SignatureTrustArgs,
  io: RunIo,
  kept: readonly KeptObject[],
  rewriting?: readonly KeptObject[],
) {
  const { SignaturePolicies } = await import('../../oci/signatures/signature-policy.js');
  const policies = new SignaturePolicies(kept, rewriting);
  const trust = await signatureTrust(args, io);
  const { rewrites } = policies;
  const setting = { hasPolicies: !policies.isEmpty, rewrites, hasRoot: trust.root !== undefined };
  return { policies, trust, setting };
}

interface SignatureArgs extends SignatureTrustArgs {
  readonly signatures: boolean;
  readonly concurrency: number;
}

interface SigningContext {
  /** The sources one by one, in the order of the flags. */
  readonly sources: readonly PackageSource[];
  /** ImageConfigs with policies. */
  readonly kept: readonly KeptObject[];
  /** ImageConfigs that rewrite image locations. */
  readonly rewriting: readonly KeptObject[];
}

/** The result of `verify --signatures`; undefined without the flag. */
export async function signaturesOf(
  args: SignatureArgs,
  io: RunIo,
  lockfile: Lockfile,
  { sources, kept, rewriting }: SigningContext,
): Promise<SignatureReport | undefined> {
  if (!args.signatures) return undefined;
  const { lockedSignatures } = await import('../mirror/locked-signatures.js');
  const { signatureReport } = await import('./signatures-output.js');
  const target = targetFor(lockfile.crossplane)!;
  const { setting, ...checks } = await signatureChecks(args, io, kept, rewriting);
  const { concurrency } = args;
  const found = await lockedSignatures(lockfile, { sources, target, concurrency, ...checks });
  return signatureReport(found, { ...setting, target });
}
