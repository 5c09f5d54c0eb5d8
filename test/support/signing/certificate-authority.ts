import { createHash, createPrivateKey, webcrypto, type KeyObject } from 'node:crypto';
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsageExtension,
  Extension,
  type JsonGeneralNames,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { TransparencyLog } from './transparency-log.js';

cryptoProvider.set(webcrypto);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const ISSUER_OID = '1.3.6.1.4.1.57264.1.8';
const OLD_ISSUER_OID = '1.3.6.1.4.1.57264.1.1';
const SCT_OID = '1.3.6.1.4.1.11129.2.4.2';
const MINUTE_MS = 60_000;

/** A signer with a certificate that is valid for ten minutes. */
export interface Certified {
  readonly key: KeyObject;
  /** The certificate in PEM. */
  readonly certificate: string;
}

interface Identity {
  readonly email: string;
  /** Names in addition to the address. */
  readonly names?: JsonGeneralNames;
  /** Key usages of the certificate; undefined: the extension is missing. */
  readonly uses?: readonly string[] | undefined;
  readonly issuer: string;
  /** Start of the validity. */
  readonly from: Date;
  /** The transparency log of the certificate; undefined: none. */
  readonly log?: TransparencyLog | undefined;
}

/** Issues short-lived certificates, as Fulcio does. */
export class CertificateAuthority {
  readonly #certificate: X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair) {
    this.#certificate = certificate;
    this.#keys = keys;
  }

  static async create(): Promise<CertificateAuthority> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: 'CN=authority',
      notBefore: new Date('2020-01-01T00:00:00Z'),
      notAfter: new Date('2040-01-01T00:00:00Z'),
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [new BasicConstraintsExtension(true, 1, true)],
    });
    return new CertificateAuthority(certificate, keys);
  }

  /** Returns the authority as in a trusted root. */
  get instance() {
    const rawBytes = Buffer.from(this.#certificate.rawData).toString('base64');
    return {
      subject: { organization: 'example', commonName: 'authority' },
      uri: 'https://authority.example.test',
      certChain: { certificates: [{ rawBytes }] },
      validFor: { start: '2020-01-01T00:00:00Z' },
    };
  }

  async certify({ email, names = [], uses, issuer, from, log }: Identity): Promise<Certified> {
    const keys = await newKeys();
    const extensions = [
      new SubjectAlternativeNameExtension([{ type: 'email', value: email }, ...names], true),
      ...(uses === undefined ? [] : [new ExtendedKeyUsageExtension([...uses])]),
      // Fulcio writes the issuer to both places; cosign reads the older one.
      new Extension(OLD_ISSUER_OID, false, Buffer.from(issuer)),
      new Extension(ISSUER_OID, false, der(0x0c, Buffer.from(issuer))),
    ];
    const bare = await this.#sign(keys, from, extensions);
    const timestamps = log && this.#timestamps(bare, from, log);
    const certificate =
      timestamps === undefined
        ? bare
        : await this.#sign(keys, from, [...extensions, new Extension(SCT_OID, false, timestamps)]);
    const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
    return {
      key: createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }),
      certificate: certificate.toString('pem'),
    };
  }

  #sign(
    keys: webcrypto.CryptoKeyPair,
    from: Date,
    extensions: readonly Extension[],
  ): Promise<X509Certificate> {
    return X509CertificateGenerator.create({
      serialNumber: '0a0b0c',
      subject: 'CN=signer',
      issuer: this.#certificate.subject,
      notBefore: from,
      notAfter: new Date(from.getTime() + 10 * MINUTE_MS),
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [...extensions],
    });
  }

  /** Returns the list with one timestamp that a certificate log signs (RFC 6962). */
  #timestamps(certificate: X509Certificate, at: Date, log: TransparencyLog): Buffer {
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(at.getTime()));
    const issuer = Buffer.from(this.#certificate.publicKey.rawData);
    const tbs = firstPart(Buffer.from(certificate.rawData));
    const signed = log.sign(
      Buffer.concat([
        Buffer.from([0, 0]),
        time,
        Buffer.from([0, 1]),
        createHash('sha256').update(issuer).digest(),
        sized(3, tbs),
        Buffer.from([0, 0]),
      ]),
    );
    const sct = Buffer.concat([
      Buffer.from([0]),
      log.id,
      time,
      Buffer.from([0, 0, 4, 3]),
      sized(2, signed),
    ]);
    return der(0x04, sized(2, sized(2, sct)));
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

/** Returns bytes after their length, which takes `width` bytes. */
function sized(width: number, bytes: Buffer): Buffer {
  const length = Buffer.alloc(width);
  length.writeUIntBE(bytes.length, 0, width);
  return Buffer.concat([length, bytes]);
}

function der(tag: number, bytes: Buffer): Buffer {
  const { length } = bytes;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), bytes]);
}

/** Returns the first element of a sequence; in a certificate, the part that is signed. */
function firstPart(sequence: Buffer): Buffer {
  const inside = sequence.subarray(headerOf(sequence));
  return inside.subarray(0, headerOf(inside) + lengthOf(inside));
}

function headerOf(element: Buffer): number {
  return element[1]! < 128 ? 2 : 2 + (element[1]! & 127);
}

function lengthOf(element: Buffer): number {
  const width = element[1]! & 127;
  return element[1]! < 128 ? element[1]! : element.readUIntBE(2, width);
}
