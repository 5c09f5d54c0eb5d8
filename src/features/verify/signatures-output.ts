import type { SourceError } from '../../base/errors.js';
import * as json from '../../cli/kit/json-schema.js';
import { amount } from '../../cli/terminal/package-text.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import {
  signatureReleases,
  type Target,
  verifiesSignatures,
} from '../../crossplane/releases/target.js';
import { isVerified, type VerifiedSignature } from '../../oci/signatures/check-image.js';
import type { LockedSigner } from '../../project/lockfile/lockfile.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import {
  authorityReasons,
  type LockedSignature,
  type lockedSignatures,
  lockedSigner,
} from '../mirror/locked-signatures.js';

/** The result of `verify --signatures`. */
export interface SignatureReport {
  /** One row for each package, as in JSON. */
  readonly signatures: readonly SignatureRow[];
  readonly mismatches: readonly Mismatch[];
  readonly failures: readonly SourceError[];
  readonly notes: readonly string[];
  /** A summary of all packages in one line. */
  readonly summary: string;
}

/** A package in JSON. */
export const signatureSchema = json.record({
  source: json.source,
  version: json.version,
  status: json.oneOf(
    ['verified', 'refused', 'not-required'],
    'Whether it is signed as asked; `not-required`: no policy is for it.',
  ),
  'policy?': json.text('The ImageConfig that asks for a signature.'),
  'authority?': json.text('The authority of the policy that signed it.'),
  'key?': json.text('SHA-256 of the key that signed it (DER).'),
  'subject?': json.text('Who signed it, where a certificate says so.'),
  'issuer?': json.text('Who vouches for that.'),
  'signature?': json.text('SHA-256 of the signature.'),
  'place?': json.oneOf(['tag', 'referrer'], 'Where the signature is kept.'),
  'predicateType?': json.text('What is attested, where the policy asks for an attestation.'),
});

type SignatureRow = json.Static<typeof signatureSchema>;

interface SignatureSetting {
  readonly target: Target;
  readonly hasPolicies: boolean;
  /** Whether ImageConfigs rewrite images. */
  readonly rewrites: boolean;
  readonly hasRoot: boolean;
}

export function signatureReport(
  { values: checked, failures }: Awaited<ReturnType<typeof lockedSignatures>>,
  setting: SignatureSetting,
): SignatureReport {
  const signatures = checked.map(rowOf);
  const count = (status: SignatureRow['status']) =>
    signatures.filter((row) => row.status === status).length;
  return {
    signatures,
    mismatches: [...unenforcedMismatches(setting), ...checked.flatMap(mismatchesOf)],
    failures,
    notes: signatureNotes(checked, setting),
    summary: `${amount(count('verified'), 'signature')} verified, ${count('not-required')} not required`,
  };
}

/** The release of a lockfile must be able to enforce the policies; a pull request can edit it. */
function unenforcedMismatches({ target, hasPolicies, rewrites }: SignatureSetting): Mismatch[] {
  if (!hasPolicies || verifiesSignatures(target, rewrites)) return [];
  const images = rewrites ? ' of rewritten images' : '';
  const why = `Crossplane ${target.version} verifies no signatures${images}: policies of ImageConfigs need Crossplane \`${signatureReleases(rewrites)}\``;
  return [{ kind: 'signature', text: why }];
}

function rowOf({ locked, verdict }: LockedSignature): SignatureRow {
  const about = { source: locked.repository, version: locked.version };
  if (verdict === undefined) return { ...about, status: 'not-required' };
  const { policy } = verdict;
  if (!isVerified(verdict)) return { ...about, status: 'refused', policy };
  const { authority, by, signature, place, predicateType } = verdict;
  const proof = { authority, ...by, signature, place, predicateType };
  return { ...about, status: 'verified', policy, ...proof };
}

function mismatchesOf({ locked, verdict }: LockedSignature): Mismatch[] {
  const about = { repository: locked.repository, version: locked.version };
  if (verdict === undefined || isVerified(verdict)) {
    const found = verdict && signerText(lockedSigner(verdict));
    const expected = locked.signature && signerText(locked.signature);
    if (expected === undefined || expected === found) return [];
    const what =
      found === undefined
        ? 'the lockfile says that its signature was verified, and no policy asks for one'
        : 'it is not signed as the lockfile says';
    return [{ kind: 'signature', ...about, text: what, locked: expected, found }];
  }
  const why = authorityReasons(verdict);
  return [
    { kind: 'signature', ...about, text: `ImageConfig \`${verdict.policy}\` refuses it: ${why}` },
  ];
}

function signerText(signer: LockedSigner): string {
  const { policy, authority, key, subject, issuer, predicateType, digest } = signer;
  return [
    `signature ${digest}`,
    key === undefined ? `by ${subject} (${issuer})` : `by the key ${key}`,
    ...(predicateType === undefined ? [] : [`attesting ${predicateType}`]),
    `for authority ${authority} of ImageConfig ${policy}`,
  ].join(', ');
}

/** Returns notes about two rules in which the cluster is stricter. */
export function signatureNotes(
  checked: readonly LockedSignature[],
  { hasPolicies, hasRoot }: SignatureSetting,
): string[] {
  const verified = checked.flatMap(({ locked, verdict }) =>
    verdict !== undefined && isVerified(verdict) ? [{ locked, verdict }] : [],
  );
  const named = (which: (verdict: VerifiedSignature) => boolean) =>
    verified
      .filter(({ verdict }) => which(verdict))
      .map(({ locked }) => joinReference(locked.repository, locked.version));
  const notes: string[] = [];
  if (!hasPolicies) notes.push('no ImageConfig asks for signatures: none was looked for');
  else if (checked.length > 0 && checked.every(({ verdict }) => verdict === undefined)) {
    notes.push(
      'no ImageConfig that asks for signatures is for a locked image, by the name that it is pulled by: none was looked for',
    );
  }
  const noteRefused = (images: readonly string[], how: string) => {
    if (images.length === 0) return;
    notes.push(`signed ${how}, so the cluster would refuse them: ${images.join(', ')}`);
  };
  const referred = named(({ place }) => place === 'referrer');
  noteRefused(referred, 'as referrers, where Crossplane does not look');
  if (hasRoot) return notes;
  const unlogged = named(({ isLogged }) => !isLogged);
  noteRefused(unlogged, 'without an entry in a transparency log');
  if (verified.length > unlogged.length) {
    notes.push(
      'entries in the transparency log were not checked, as the cluster does: that takes `--trusted-root FILE`',
    );
  }
  return notes;
}
