import { X509Certificate as NodeCertificate } from 'node:crypto';
import { X509Certificate } from '@sigstore/core';

const ALTERNATIVE_NAMES = '2.5.29.17';
/** The one type of other name that Fulcio writes. */
const USER_NAME = '1.3.6.1.4.1.57264.1.7';
const TAG = { other: 0, email: 1, dns: 2, uri: 6, ip: 7 } as const;

/** All names that a certificate (DER) has for its signer, in the order in which cosign lists them. */
export function signerNames(certificate: Buffer): readonly string[] {
  const extension = X509Certificate.parse(Buffer.from(certificate)).extension(ALTERNATIVE_NAMES);
  const all = extension?.valueObj.subs[0]?.subs ?? [];
  const tagged = (tag: number) => all.filter((name) => name.tag.isContextSpecific(tag));
  // Not `ascii`, which drops a bit, so that other bytes would read as the name that is wanted.
  const texts = (tag: number) => tagged(tag).map(({ value }) => value.toString('latin1'));
  return [
    ...texts(TAG.dns),
    ...texts(TAG.email),
    ...tagged(TAG.ip).flatMap(({ value }) => addressText(value) ?? []),
    ...texts(TAG.uri),
    ...userName(tagged(TAG.other)),
  ];
}

function addressText(bytes: Buffer): string | undefined {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return undefined;
  const address = bytes.toString('hex').replace(/....(?=.)/g, '$&:');
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** Other names count only where there is one, of the type that Fulcio writes. */
function userName(others: readonly X509Certificate['root'][]): readonly string[] {
  const [type, value] = others.length === 1 ? others[0]!.subs : [];
  const text = value?.subs[0]?.value.toString('utf8');
  if (text === undefined || type?.tag.isOID() !== true) return [];
  return type.toOID() === USER_NAME ? [text] : [];
}

const SIGNING_USES = ['1.3.6.1.5.5.7.3.3', '2.5.29.37.0'];

/** Whether a certificate (DER) is for signing code; one that names no use is for all. */
export function isForSigning(certificate: Buffer): boolean {
  const uses = new NodeCertificate(certificate).keyUsage as readonly string[] | undefined;
  return uses === undefined || uses.some((use) => SIGNING_USES.includes(use));
}
