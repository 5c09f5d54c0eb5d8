import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  cryptoProvider,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type X509Certificate,
} from '@peculiar/x509';

cryptoProvider.set(webcrypto);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 60 * 60 * 1000;

/** A certificate and its key in PEM, as servers and `SSL_CERT_FILE` expect them. */
export interface Certified {
  readonly cert: string;
  readonly key: string;
}

interface Leaf {
  /** Names and addresses of the certificate. */
  readonly hosts?: readonly string[];
  /** First and last day of its validity, relative to today. */
  readonly days?: readonly [number, number];
}

/** A certificate authority for one test. */
export class Authority {
  readonly #certificate: X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;

  constructor(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair) {
    this.#certificate = certificate;
    this.#keys = keys;
  }

  static async create(name: string): Promise<Authority> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      ...life([-1, 1]),
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [new BasicConstraintsExtension(true, 1, true)],
    });
    return new Authority(certificate, keys);
  }

  get pem(): string {
    return this.#certificate.toString('pem');
  }

  /** Returns a subordinate authority, for servers that send a chain. */
  async intermediate(name: string): Promise<Authority> {
    const keys = await newKeys();
    const extension = new BasicConstraintsExtension(true, 0, true);
    return new Authority(await this.#sign(name, keys, [-1, 1], [extension]), keys);
  }

  async issue({ hosts = ['127.0.0.1'], days = [-1, 1] }: Leaf = {}): Promise<Certified> {
    const keys = await newKeys();
    const names = hosts.map((value) => ({
      type: /^[\d.]+$/.test(value) ? ('ip' as const) : ('dns' as const),
      value,
    }));
    const extensions = hosts.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)];
    const certificate = await this.#sign('registry', keys, days, extensions);
    return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
  }

  #sign(
    name: string,
    keys: webcrypto.CryptoKeyPair,
    days: readonly [number, number],
    extensions: readonly (BasicConstraintsExtension | SubjectAlternativeNameExtension)[],
  ): Promise<X509Certificate> {
    return X509CertificateGenerator.create({
      subject: `CN=${name}`,
      issuer: this.#certificate.subject,
      ...life(days),
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [...extensions],
    });
  }
}

/** Returns a self-signed certificate. */
export async function selfSigned(host: string): Promise<Certified> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=registry',
    ...life([-1, 1]),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: host }])],
  });
  return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function life([from, to]: readonly [number, number]) {
  const now = Date.now();
  return { notBefore: new Date(now + from * DAY_MS), notAfter: new Date(now + to * DAY_MS) };
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${bytes}\n-----END PRIVATE KEY-----\n`;
}
