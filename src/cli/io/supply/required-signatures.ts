import type { PackageSource } from '../../../model/package-source.js';
import type { KeptObject } from '../../../model/request.js';
import type { Answer } from '../../../usecases/resolve/answer.js';
import type { ResolveOptions } from '../../../usecases/resolve/resolve.js';
import { signatureTrust, type SignatureTrustArgs } from '../../flags/source/signature-flags.js';
import type { Io } from '../io.js';

interface RequiringArgs extends SignatureTrustArgs {
  readonly requireSignatures: boolean;
}

/** What `--require-signatures` adds to a resolution. */
interface RequiredSignatures {
  readonly options: Pick<ResolveOptions, 'rules' | 'signerOf'>;
  /** Tells what the cluster may see otherwise, of an answer. */
  readonly tell: (answer: Answer) => Promise<void>;
}

export async function requiredSignatures(
  args: RequiringArgs,
  io: Io,
  {
    sources,
    kept,
  }: {
    /** One by one, in the order given. */
    readonly sources: readonly PackageSource[];
    readonly kept: readonly KeptObject[];
  },
): Promise<RequiredSignatures> {
  if (!args.requireSignatures) return { options: {}, tell: async () => undefined };
  const { SignaturePolicies } = await import('../../../signatures/signature-policy.js');
  const { SignatureRule } = await import('../../../supply/signature-rule.js');
  const policies = new SignaturePolicies(kept);
  const trust = await signatureTrust(args, io);
  const rule = new SignatureRule({ sources, policies, trust });
  return {
    options: { rules: [rule], signerOf: (locked, target) => rule.signer(locked, target) },
    tell: async (answer) => {
      if (answer.status !== 'solved') return;
      const { lockfile, target } = answer;
      const { signatureNotes } = await import('../../output/lock/signatures.js');
      const setting = {
        target,
        hasPolicies: !policies.isEmpty,
        hasRoot: trust.root !== undefined,
      };
      for (const note of signatureNotes(rule.checked(lockfile), setting)) io.note(`note: ${note}`);
    },
  };
}
