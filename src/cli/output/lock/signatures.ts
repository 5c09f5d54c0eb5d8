import type { LockedSigner } from '../../../lock/lockfile.js';
import type { Repository } from '../../../model/package.js';
import { joinReference } from '../../../model/reference.js';
import type { SourceError } from '../../../model/source-error.js';
import type { Target } from '../../../model/target/target.js';
import { isVerified, type VerifiedSignature } from '../../../signatures/check-image.js';
import { authorityReasons, type LockedSignature } from '../../../supply/locked-signatures.js';
import { lockedSigner } from '../../../supply/signature-rule.js';
import type { Mismatch } from '../../../usecases/mismatch.js';
import { counted } from '../counted.js';

/** What `verify --signatures` adds to a verification. */
export interface SignatureReport {
  /** By package, as JSON has them. */
  readonly signatures: readonly SignatureRow[];
  readonly mismatches: readonly Mismatch[];
  readonly failures: readonly SourceError[];
  readonly notes: readonly string[];
  /** Of all packages, in one line. */
  readonly summary: string;
}

/** A package as JSON has it. */
export interface SignatureRow {
  readonly source: Repository;
  readonly version: string;
  readonly status: 'verified' | 'refused' | 'not-required';
  readonly policy?: string | undefined;
  readonly authority?: string | undefined;
  readonly key?: string | undefined;
  readonly subject?: string | undefined;
  readonly issuer?: string | undefined;
  readonly signature?: string | undefined;
  readonly place?: string | undefined;
  readonly predicateType?: string | undefined;
}

export interface SignatureSetting {
  readonly target: Target;
  readonly hasPolicies: boolean;
  readonly hasRoot: boolean;
}

export function signatureReport(
  found: {
    readonly checked: readonly LockedSignature[];
    readonly failures: readonly SourceError[];
  },
  setting: SignatureSetting,
): SignatureReport {
  const { checked, failures } = found;
  const signatures = checked.map(rowOf);
  const count = (status: SignatureRow['status']) =>
    signatures.filter((row) => row.status === status).length;
  return {
    signatures,
    mismatches: checked.flatMap(mismatchesOf),
    failures,
    notes: signatureNotes(checked, setting),
    summary: `${counted(count('verified'), 'signature')} verified, ${count('not-required')} not required`,
  };
}

function rowOf({ locked, verdict }: LockedSignature): SignatureRow {
  const { repository: source, version } = locked;
  if (verdict === undefined) return { source, version, status: 'not-required' };
  const { policy } = verdict;
  if (!isVerified(verdict)) return { source, version, status: 'refused', policy };
  const { authority, by, signature, place, predicateType } = verdict;
  const proof = { authority, ...by, signature, place, predicateType };
  return { source, version, status: 'verified', policy, ...proof };
}

function mismatchesOf({ locked, verdict }: LockedSignature): Mismatch[] {
  const { repository, version } = locked;
  if (verdict === undefined || isVerified(verdict)) {
    const found = verdict && signerText(lockedSigner(verdict));
    const said = locked.signature && signerText(locked.signature);
    if (said === undefined || said === found) return [];
    const text =
      found === undefined
        ? 'the lockfile says that its signature was verified, and no policy asks for one'
        : 'it is not signed as the lockfile says';
    return [{ kind: 'signature', repository, version, text, locked: said, found }];
  }
  const text = `ImageConfig \`${verdict.policy}\` refuses it: ${authorityReasons(verdict)}`;
  return [{ kind: 'signature', repository, version, text }];
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

/** What holds here and may not hold in the cluster, which is stricter in two ways. */
export function signatureNotes(
  checked: readonly LockedSignature[],
  { target, hasPolicies, hasRoot }: SignatureSetting,
): string[] {
  const notes: string[] = [];
  const verified = checked.flatMap(({ locked, verdict }) =>
    verdict !== undefined && isVerified(verdict) ? [{ locked, verdict }] : [],
  );
  const named = (which: (verdict: VerifiedSignature) => boolean) =>
    verified
      .filter(({ verdict }) => which(verdict))
      .map(({ locked }) => joinReference(locked.repository, locked.version));
  if (!hasPolicies) notes.push('no ImageConfig asks for signatures: none was looked for');
  else if (target.rules.imageConfig?.verification !== true) {
    notes.push(`Crossplane ${target.version} verifies no signatures: none was looked for`);
  } else if (checked.length > 0 && checked.every(({ verdict }) => verdict === undefined)) {
    notes.push(
      'no ImageConfig that asks for signatures is for a locked image, by the name that it is pulled by: none was looked for',
    );
  }
  const referred = named(({ place }) => place === 'referrer');
  if (referred.length > 0) {
    notes.push(
      `signed as referrers, where Crossplane does not look, so the cluster would refuse them: ${referred.join(', ')}`,
    );
  }
  if (hasRoot) return notes;
  const unlogged = named(({ isLogged }) => !isLogged);
  if (unlogged.length > 0) {
    notes.push(
      `signed without an entry in a transparency log, so the cluster would refuse them: ${unlogged.join(', ')}`,
    );
  }
  if (verified.length > unlogged.length) {
    notes.push(
      'entries in the transparency log were not checked, as the cluster does: that takes `--trusted-root FILE`',
    );
  }
  return notes;
}
