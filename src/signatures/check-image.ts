import type { Digest } from '../text/digest.js';
import { checkSignature, type AuthorityTrust, type SignedBy } from './check-signature.js';
import type { SignaturePolicy, SigningAuthority } from './signature-policy.js';
import {
  storedSignatures,
  type SignatureKind,
  type SignaturePlace,
  type SignedImage,
  type StoredSignature,
} from './stored-signatures.js';
import { givenKey, type SignatureTrust } from './trust.js';

/** What a policy says of an image. */
export type SignatureVerdict = VerifiedSignature | RefusedImage;

/** The first authority of the policy that has signed it. */
export interface VerifiedSignature {
  readonly policy: string;
  readonly authority: string;
  readonly by: SignedBy;
  /** Of the signature. */
  readonly signature: Digest;
  readonly place: SignaturePlace;
  /** Of the attestation; undefined: a signature was asked for. */
  readonly predicateType: string | undefined;
  /** Has an entry in a transparency log, checked or not. */
  readonly isLogged: boolean;
}

/** None has. */
export interface RefusedImage {
  readonly policy: string;
  /** Why not, by authority, in the order of the policy. */
  readonly reasons: readonly { readonly authority: string; readonly why: string }[];
}

export function isVerified(verdict: SignatureVerdict): verdict is VerifiedSignature {
  return 'by' in verdict;
}

const PLACES: readonly SignaturePlace[] = ['tag', 'referrer'];

/**
 * Looks for a signature that an authority of the policy accepts. Tags come first, for clusters look
 * nowhere else; referrers are asked for only where no tag will do.
 */
export async function checkImage(
  image: SignedImage,
  policy: SignaturePolicy,
  trust: SignatureTrust,
): Promise<SignatureVerdict> {
  const authorities = policy.authorities.map((authority) => {
    return { authority, known: trustOf(authority, trust), reasons: new Set<string>() };
  });
  for (const place of PLACES) {
    const kept = new Map<SignatureKind, readonly StoredSignature[]>();
    for (const { authority, known, reasons } of authorities) {
      if (typeof known === 'string') {
        reasons.add(known);
        continue;
      }
      const kind = kindFor(authority);
      const all = kept.get(kind) ?? (await storedSignatures(image, kind, place));
      kept.set(kind, all);
      for (const stored of all) {
        const by = judged(stored, authority, known, image.digest);
        if (typeof by !== 'string') return verifiedBy(stored, by, { policy, authority });
        reasons.add(by);
      }
    }
  }
  return {
    policy: policy.name,
    reasons: authorities.map(({ authority, reasons }) => ({
      authority: authority.name,
      why: summed([...reasons], kindFor(authority)),
    })),
  };
}

/** What an authority is checked with; a text: it was not given. */
export function trustOf(
  authority: SigningAuthority,
  trust: SignatureTrust,
): AuthorityTrust | string {
  const { root } = trust;
  if (authority.key === undefined) {
    if (root !== undefined) return { key: undefined, root };
    return 'it is not checked, for no trusted root was given (`--trusted-root FILE`)';
  }
  const key = givenKey(authority.key, trust);
  if (key !== undefined) return { key, root };
  const { secret, field } = authority.key;
  return `it is not checked, for its key was not given (\`--public-key ${secret}/${field}=FILE\`)`;
}

function judged(
  { payload }: StoredSignature,
  authority: SigningAuthority,
  known: AuthorityTrust,
  digest: Digest,
): SignedBy | string {
  if (typeof payload === 'string') return payload;
  const by = checkSignature(payload, authority, known, digest);
  const { predicateType } = payload;
  if (typeof by === 'string' || predicateType === undefined) return by;
  if (authority.predicateTypes.includes(predicateType)) return by;
  return `it attests \`${predicateType}\`, and not ${authority.predicateTypes.map((type) => `\`${type}\``).join(' or ')}`;
}

function verifiedBy(
  { digest, place, payload }: StoredSignature,
  by: SignedBy,
  at: { readonly policy: SignaturePolicy; readonly authority: SigningAuthority },
): VerifiedSignature {
  const { predicateType, entries } = typeof payload === 'string' ? { entries: [] } : payload;
  return {
    policy: at.policy.name,
    authority: at.authority.name,
    by,
    signature: digest,
    place,
    predicateType,
    isLogged: entries.length > 0,
  };
}

const MAX_REASONS = 3;

/** Why an authority accepts none, in one line. */
function summed(reasons: readonly string[], kind: SignatureKind): string {
  if (reasons.length === 0) return `there is no ${kind}`;
  const shown = reasons.slice(0, MAX_REASONS).join('; ');
  const rest = reasons.length - MAX_REASONS;
  return rest > 0 ? `${shown}; and ${rest} more` : shown;
}

function kindFor({ predicateTypes }: SigningAuthority): SignatureKind {
  return predicateTypes.length > 0 ? 'attestation' : 'signature';
}
