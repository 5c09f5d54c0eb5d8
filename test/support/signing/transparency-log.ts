import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A log entry and its time. */
export interface LogEntry {
  readonly body: Buffer;
  /** Unix time in seconds. */
  readonly at: number;
}

/** A log of signatures or certificates that signs its promises and proofs with its own key. */
export class TransparencyLog {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  get id(): Buffer {
    return createHash('sha256').update(spki(this.#keys.publicKey)).digest();
  }

  /** Returns the log as in a trusted root. */
  get instance() {
    return {
      baseUrl: 'https://log.example.test',
      hashAlgorithm: 'SHA2_256',
      publicKey: {
        rawBytes: spki(this.#keys.publicKey).toString('base64'),
        keyDetails: 'PKIX_ECDSA_P256_SHA_256',
        validFor: { start: '2020-01-01T00:00:00Z' },
      },
      logId: { keyId: this.id.toString('base64') },
    };
  }

  sign(bytes: Uint8Array): Buffer {
    return sign('sha256', bytes, this.#keys.privateKey);
  }

  /**
   * Returns the annotation `dev.sigstore.cosign/bundle`: an entry and the promise to include it.
   */
  annotation({ body, at }: LogEntry): string {
    return JSON.stringify({
      SignedEntryTimestamp: this.#promise({ body, at }).toString('base64'),
      Payload: this.#promised({ body, at }),
    });
  }

  /** Returns an entry as in a bundle, with the promise and the proof for a tree with one leaf. */
  tlogEntry({ body, at }: LogEntry) {
    const { kind, apiVersion } = JSON.parse(body.toString('utf8'));
    const root = createHash('sha256')
      .update(Buffer.from([0]))
      .update(body)
      .digest('base64');
    const note = `log.example.test\n1\n${root}\n`;
    const signed = Buffer.concat([this.id.subarray(0, 4), this.sign(Buffer.from(note))]);
    const envelope = `${note}\n\u2014 log.example.test ${signed.toString('base64')}\n`;
    return {
      logIndex: '0',
      logId: { keyId: this.id.toString('base64') },
      kindVersion: { kind, version: apiVersion },
      integratedTime: String(at),
      inclusionPromise: {
        signedEntryTimestamp: this.#promise({ body, at }).toString('base64'),
      },
      inclusionProof: {
        logIndex: '0',
        rootHash: root,
        treeSize: '1',
        hashes: [],
        checkpoint: { envelope },
      },
      canonicalizedBody: body.toString('base64'),
    };
  }

  /** Returns the signed fields of the promise, in the required order of keys. */
  #promised({ body, at }: LogEntry) {
    const logID = this.id.toString('hex');
    return { body: body.toString('base64'), integratedTime: at, logID, logIndex: 0 };
  }

  #promise(entry: LogEntry): Buffer {
    return this.sign(Buffer.from(JSON.stringify(this.#promised(entry))));
  }
}

export function spki(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}
