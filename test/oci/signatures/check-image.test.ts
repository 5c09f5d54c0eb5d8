import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Descriptor } from '../../../src/oci/image/descriptor.js';
import type { ImageRepository } from '../../../src/oci/image/image-repository.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { checkImage, isVerified } from '../../../src/oci/signatures/check-image.js';
import {
  SignaturePolicies,
  type SignaturePolicy,
} from '../../../src/oci/signatures/signature-policy.js';
import {
  keyFingerprint,
  parsePublicKey,
  parseTrustedRoot,
  type SignatureTrust,
} from '../../../src/oci/signatures/trust.js';
import type { Digest } from '../../../src/base/digest.js';
import type { JsonObject } from '../../../src/base/json.js';
import { imageOf, blobOf, type Image } from '../../support/registry/image.js';
import {
  CertificateAuthority,
  type Certified,
} from '../../support/signing/certificate-authority.js';
import {
  attestation,
  bundle,
  LAYER,
  publicPem,
  signatureManifest,
  SIGNING,
  simplePayload,
  simpleSignature,
  trustedRoot,
  type SignatureLayer,
} from '../../support/signing/signatures.js';
import { TransparencyLog } from '../../support/signing/transparency-log.js';

const image = imageOf([blobOf('package')]);
const other = imageOf([blobOf('other')]);
const digest = image.digest as Digest;
const SPDX = 'https://spdx.dev/Document';

/** A repository of the image with signature manifests under tags and as referrers. */
function repository(
  tags: Readonly<Record<string, Image>>,
  referrers: readonly Image[] = [],
): ImageRepository & { readonly asked: string[] } {
  const all = [...Object.values(tags), ...referrers];
  const asked: string[] = [];
  return {
    name: 'registry.example.test/acme/p',
    asked,
    tags: async () => Object.keys(tags),
    manifest: async (reference) => {
      asked.push(reference);
      const found = tags[reference] ?? all.find((each) => each.digest === reference);
      return found && { digest: found.digest as Digest, bytes: found.bytes };
    },
    blob: async ({ digest: wanted }) =>
      all.flatMap(({ blobs }) => blobs).find((blob) => blob.digest === wanted)?.bytes,
    referrers: async () => {
      asked.push('referrers');
      return referrers.map(({ bytes, mediaType, digest: at }): Descriptor => {
        const { artifactType } = JSON.parse(Buffer.from(bytes).toString('utf8'));
        const [own, annotations] = [at as Digest, new Map<string, string>()];
        return {
          digest: own,
          size: bytes.length,
          mediaType,
          artifactType,
          annotations,
          platform: undefined,
        };
      });
    },
  };
}

const tag = (suffix: 'sig' | 'att') => `${digest.replace(':', '-')}.${suffix}`;

/** The image with signatures under its tag. */
function signedBy(...layers: readonly SignatureLayer[]) {
  return { images: repository({ [tag('sig')]: signatureManifest(layers) }), digest };
}

function attestedBy(...layers: readonly SignatureLayer[]) {
  return { images: repository({ [tag('att')]: signatureManifest(layers) }), digest };
}

function policyOf(...authorities: readonly JsonObject[]): SignaturePolicy {
  const object: JsonObject = {
    kind: 'ImageConfig',
    metadata: { name: 'signed' },
    spec: {
      matchImages: [{ prefix: 'registry.example.test/' }],
      verification: { provider: 'Cosign', cosign: { authorities } },
    },
  };
  const policies = new SignaturePolicies([{ object, origin: { file: 'config.yaml', line: 1 } }]);
  const candidate = { repository: 'registry.example.test/acme/p', version: 'v1.0.0' };
  return policies.for(candidate, targetFor('v2.3.4')!)!;
}

const keyed = (more: JsonObject = {}): JsonObject => ({
  name: 'release',
  key: { secretRef: { name: 'keys', key: 'cosign.pub' }, ...more },
});

const keyless = (...identities: readonly JsonObject[]): JsonObject => ({
  name: 'people',
  keyless: { identities },
});

function trusting(key: KeyObject, root?: SignatureTrust['root']): SignatureTrust {
  const given = parsePublicKey(publicPem(key), 'cosign.pub');
  return { keys: [{ secret: 'keys', field: 'cosign.pub', key: given }], root };
}

async function refusal(...args: Parameters<typeof checkImage>): Promise<string> {
  const verdict = await checkImage(...args);
  if (isVerified(verdict)) throw new Error(`it is accepted: ${JSON.stringify(verdict)}`);
  return verdict.reasons.map(({ authority, why }) => `${authority}: ${why}`).join('\n');
}

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const fingerprint = (key: KeyObject) => keyFingerprint(parsePublicKey(publicPem(key), 'x'));

describe('a key', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const ed = generateKeyPairSync('ed25519').privateKey;
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;

  test.each([
    ['ECDSA P-256', ec, undefined],
    ['ECDSA P-384 with SHA-384', p384, 'sha384'],
    ['RSA', rsa, undefined],
    ['RSA with SHA-512', rsa, 'sha512'],
    ['Ed25519', ed, undefined],
  ] as const)('a signature by %s is accepted for one image only', async (_, key, hash) => {
    const policy = policyOf(keyed(hash === undefined ? {} : { hashAlgorithm: hash }));
    const verdict = await checkImage(
      signedBy(simpleSignature(digest, { key, hash })),
      policy,
      trusting(key),
    );
    expect(verdict).toMatchObject({
      policy: 'signed',
      authority: 'release',
      by: { key: fingerprint(key) },
      place: 'tag',
      isLogged: false,
    });
    const about = signedBy(simpleSignature(other.digest, { key, hash }));
    expect(await refusal(about, policy, trusting(key))).toBe(
      `release: it is about another image, ${other.digest}`,
    );
  });

  test('another key, payload or hash is rejected', async () => {
    const layer = simpleSignature(digest, { key: stranger });
    const notBy = `release: it is not signed by the key ${fingerprint(ec)}`;
    expect(await refusal(signedBy(layer), policyOf(keyed()), trusting(ec))).toBe(notBy);
    const signature = simpleSignature(other.digest, { key: ec });
    const swapped = { ...signature, bytes: simplePayload(digest) };
    expect(await refusal(signedBy(swapped), policyOf(keyed()), trusting(ec))).toBe(notBy);
    const policy = policyOf(keyed({ hashAlgorithm: 'sha512' }));
    const good = signedBy(simpleSignature(digest, { key: ec }));
    expect(await refusal(good, policy, trusting(ec))).toBe(notBy);
  });

  test.each([
    ['critical', 'has `critical` twice'],
    ['Critical', 'has `Critical`, which differs from `critical` only in case'],
  ])('a payload in which `%s` names a second image is refused', async (key, why) => {
    const { critical } = JSON.parse(simplePayload(digest));
    const payload = simplePayload(other.digest).replace(
      /^\{/,
      `{"${key}":${JSON.stringify(critical)},`,
    );
    const layer = simpleSignature(digest, { key: ec }, payload);
    expect(await refusal(signedBy(layer), policyOf(keyed()), trusting(ec))).toBe(
      `release: what is signed ${why}`,
    );
  });

  test.each([
    ['bundle', bundle],
    ['envelope', attestation],
  ])('a %s with duplicate keys is refused', async (what, sign) => {
    const layer = sign({ digest, predicateType: SIGNING }, { key: ec });
    const bytes = layer.bytes.replace(/^\{/, '{"payloadType":"a","payloadType":"b",');
    expect(await refusal(signedBy({ ...layer, bytes }), policyOf(keyed()), trusting(ec))).toBe(
      `release: its ${what} has \`payloadType\` twice`,
    );
  });

  test('one of several signatures and one of several authorities suffice', async () => {
    const layers = [
      simpleSignature(digest, { key: stranger }),
      simpleSignature(digest, { key: ec }),
    ];
    const first = { name: 'first', key: { secretRef: { name: 'missing', key: 'k' } } };
    const verdict = await checkImage(signedBy(...layers), policyOf(first, keyed()), trusting(ec));
    expect(verdict).toMatchObject({ authority: 'release', by: { key: fingerprint(ec) } });
    expect(await refusal(signedBy(layers[0]!), policyOf(first, keyed()), trusting(ec))).toBe(
      'first: it is not checked, for its key was not given (`--public-key missing/k=FILE`)\n' +
        `release: it is not signed by the key ${fingerprint(ec)}`,
    );
  });

  test('missing and damaged signatures are rejected with the reason', async () => {
    const policy = policyOf(keyed());
    const bare = { images: repository({}), digest };
    expect(await refusal(bare, policy, trusting(ec))).toBe('release: there is no signature');
    const { annotations: _, ...layer } = simpleSignature(digest, { key: ec });
    expect(await refusal(signedBy({ ...layer, annotations: {} }), policy, trusting(ec))).toBe(
      'release: it lacks the annotation `dev.cosignproject.cosign/signature`',
    );
    const bad = {
      ...layer,
      annotations: { 'dev.cosignproject.cosign/signature': '%', 'dev.sigstore.cosign/bundle': '{' },
    };
    expect(await refusal(signedBy(bad), policy, trusting(ec))).toBe(
      'release: its log entry is not valid JSON',
    );
    const manifest = signatureManifest([simpleSignature(digest, { key: ec })]);
    const images = repository({ [tag('sig')]: { ...manifest, blobs: [] } });
    expect(await refusal({ images, digest }, policy, trusting(ec))).toBe(
      'release: it is not there',
    );
  });

  test('too many signatures are an error', async () => {
    const layers = Array.from({ length: 101 }, () => simpleSignature(digest, { key: stranger }));
    const many = checkImage(signedBy(...layers), policyOf(keyed()), trusting(ec));
    await expect(many).rejects.toMatchObject({ name: 'SourceError', code: 'TOO_LARGE' });
    const referrers = layers.map((_, i) =>
      signatureManifest([bundle({ digest, predicateType: `x:${i}` }, { key: stranger })], {
        subject: image,
        artifactType: LAYER.bundle,
      }),
    );
    const referred = { images: repository({}, referrers), digest };
    await expect(checkImage(referred, policyOf(keyed()), trusting(ec))).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
  });
});

describe('referrers', () => {
  test.each([
    [
      'the older format',
      simpleSignature(digest, { key: ec }),
      'application/vnd.dev.cosign.artifact.sig.v1+json',
    ],
    ['a bundle', bundle({ digest, predicateType: SIGNING }, { key: ec }), LAYER.bundle],
  ])('%s is found without a tag', async (_, layer, artifactType) => {
    // cosign v2 lists bundles in a referrers tag with the type of their empty config.
    for (const listed of [artifactType, 'application/vnd.oci.empty.v1+json']) {
      const manifest = signatureManifest([layer], { subject: image, artifactType: listed });
      const images = repository({}, [manifest]);
      const verdict = await checkImage({ images, digest }, policyOf(keyed()), trusting(ec));
      expect(verdict).toMatchObject({ place: 'referrer', by: { key: fingerprint(ec) } });
    }
  });

  test('are not requested if a tag suffices, as in the cluster', async () => {
    const signed = signedBy(simpleSignature(digest, { key: ec }));
    await checkImage(signed, policyOf(keyed()), trusting(ec));
    expect(signed.images.asked).toEqual([tag('sig')]);
  });

  test('a bundle for another image and a swapped one are rejected', async () => {
    const refer = (layer: SignatureLayer) => ({
      images: repository({}, [
        signatureManifest([layer], { subject: image, artifactType: LAYER.bundle }),
      ]),
      digest,
    });
    const about = bundle({ digest: other.digest, predicateType: SIGNING }, { key: ec });
    expect(await refusal(refer(about), policyOf(keyed()), trusting(ec))).toBe(
      `release: it is about another image, ${other.digest}`,
    );
    const [mine, theirs] = [digest, other.digest].map((each) =>
      JSON.parse(bundle({ digest: each, predicateType: SIGNING }, { key: ec }).bytes),
    );
    mine.dsseEnvelope.signatures = theirs.dsseEnvelope.signatures;
    const swapped = { ...about, bytes: JSON.stringify(mine) };
    expect(await refusal(refer(swapped), policyOf(keyed()), trusting(ec))).toBe(
      `release: it is not signed by the key ${fingerprint(ec)}`,
    );
  });
});

describe('attestations', () => {
  const policy = policyOf({
    ...keyed(),
    attestations: [{ name: 'sbom', predicateType: 'spdxjson' }],
  });

  test('one with the required type suffices; a signature does not', async () => {
    const statement = { digest, predicateType: SPDX };
    const verdict = await checkImage(
      attestedBy(attestation(statement, { key: ec })),
      policy,
      trusting(ec),
    );
    expect(verdict).toMatchObject({ predicateType: SPDX, by: { key: fingerprint(ec) } });
    const signed = signedBy(simpleSignature(digest, { key: ec }));
    expect(await refusal(signed, policy, trusting(ec))).toBe('release: there is no attestation');
    const referrer = signatureManifest([bundle(statement, { key: ec })], {
      subject: image,
      artifactType: LAYER.bundle,
    });
    const referred = { images: repository({}, [referrer]), digest };
    expect(await checkImage(referred, policy, trusting(ec))).toMatchObject({ place: 'referrer' });
    expect(await refusal(referred, policyOf(keyed()), trusting(ec))).toBe(
      'release: there is no signature',
    );
  });

  test('another type, key or image is rejected', async () => {
    const by = (statement: { digest: string; predicateType: string }, key: KeyObject) =>
      refusal(attestedBy(attestation(statement, { key })), policy, trusting(ec));
    expect(await by({ digest, predicateType: 'https://slsa.dev/provenance/v1' }, ec)).toBe(
      'release: it attests `https://slsa.dev/provenance/v1`, and not `https://spdx.dev/Document`',
    );
    expect(await by({ digest, predicateType: SPDX }, stranger)).toContain('not signed by the key');
    expect(await by({ digest: other.digest, predicateType: SPDX }, ec)).toContain('another image');
  });
});

describe('with a trusted root', () => {
  const [log, certificates] = [new TransparencyLog(), new TransparencyLog()];
  const [email, issuer] = ['dev@example.test', 'https://accounts.example.test'];
  const from = new Date('2026-01-01T12:00:00Z');
  const at = new Date('2026-01-01T12:05:00Z');
  let authority: CertificateAuthority;
  let signer: Certified;
  let trust: SignatureTrust;
  beforeAll(async () => {
    authority = await CertificateAuthority.create();
    signer = await authority.certify({ email, issuer, from, log: certificates });
    const root = parseTrustedRoot(trustedRoot(authority, { log, certificates }), 'root.json');
    trust = { keys: [], root };
  });

  test('a certified signer is accepted in each format, by text or expression', async () => {
    const patterns: JsonObject[] = [
      { issuer, subject: email },
      { issuerRegExp: 'accounts', subjectRegExp: '^dev@' },
      { subject: 'x', subjectRegExp: '@example' },
      {},
    ];
    for (const pattern of patterns) {
      const signed = signedBy(simpleSignature(digest, { ...signer, log, at }));
      expect(await checkImage(signed, policyOf(keyless(pattern)), trust)).toMatchObject({
        by: { subject: email, issuer },
        isLogged: true,
      });
    }
    const layer = bundle({ digest, predicateType: SIGNING }, { ...signer, log, at });
    const images = repository({}, [
      signatureManifest([layer], { subject: image, artifactType: LAYER.bundle }),
    ]);
    expect(
      await checkImage({ images, digest }, policyOf(keyless({ subject: email })), trust),
    ).toMatchObject({ place: 'referrer', by: { subject: email } });
    const attested = attestedBy(
      attestation({ digest, predicateType: SPDX }, { ...signer, log, at }),
    );
    const policy = policyOf({
      ...keyless({ subject: email }),
      attestations: [{ name: 'sbom', predicateType: 'spdx' }],
    });
    expect(await checkImage(attested, policy, trust)).toMatchObject({ predicateType: SPDX });
  });

  test('another identity is rejected and named', async () => {
    const signed = signedBy(simpleSignature(digest, { ...signer, log, at }));
    const wanted = policyOf(keyless({ subject: 'ops@example.test' }, { issuerRegExp: '^other' }));
    expect(await refusal(signed, wanted, trust)).toBe(
      'people: it is signed by `dev@example.test` (issuer `https://accounts.example.test`), ' +
        'and not by subject `ops@example.test`; or issuer matching `^other`',
    );
  });

  test('each full name in a certificate counts, and the matching one is reported', async () => {
    const names = [
      { type: 'email', value: 'ops@example.test' },
      { type: 'dns', value: 'build.example.test' },
      { type: 'url', value: 'https://example.test/workflow@refs/tags/v1' },
      { type: 'ip', value: '192.0.2.7' },
      { type: 'ip', value: '2001:db8::1' },
    ] as const;
    const many = await authority.certify({
      email,
      names: [...names],
      issuer,
      from,
      log: certificates,
    });
    const signed = signedBy(simpleSignature(digest, { ...many, log, at }));
    const subjects = [email, ...names.map(({ value }) => value)];
    for (const subject of subjects) {
      const verdict = await checkImage(signed, policyOf(keyless({ issuer, subject })), trust);
      expect(verdict).toMatchObject({ by: { subject, issuer } });
    }
    const last = policyOf(keyless({ subjectRegExp: '/workflow@refs/tags/v[0-9]+$' }));
    expect(await checkImage(signed, last, trust)).toMatchObject({
      by: { subject: names[2].value },
    });
    const elsewhere = { issuer: 'https://other.example.test', subject: email };
    const part = { issuer, subject: 'example.test' };
    expect(await refusal(signed, policyOf(keyless(elsewhere, part)), trust)).toBe(
      'people: it is signed by `build.example.test`, `dev@example.test`, `ops@example.test` and 3 more ' +
        '(issuer `https://accounts.example.test`), and not by ' +
        'subject `dev@example.test`, issuer `https://other.example.test`; or ' +
        'subject `example.test`, issuer `https://accounts.example.test`',
    );
  });

  test('names must be equal in all bits', async () => {
    const lookalike = await authority.certify({
      email: '\u00e4ev@example.test',
      issuer,
      from,
      log: certificates,
    });
    const signed = signedBy(simpleSignature(digest, { ...lookalike, log, at }));
    expect(await refusal(signed, policyOf(keyless({ subject: email })), trust)).toContain(
      'it is signed by `\u00e4ev@example.test`',
    );
  });

  test('a certificate without code signing is rejected', async () => {
    const policy = policyOf(keyless({ subject: email }));
    const signedFor = async (...uses: readonly string[]) => {
      const certified = await authority.certify({ email, uses, issuer, from, log: certificates });
      return signedBy(simpleSignature(digest, { ...certified, log, at }));
    };
    const [serving, signing] = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.3'];
    expect(await refusal(await signedFor(serving), policy, trust)).toBe(
      'people: its certificate is not for signing code',
    );
    expect(isVerified(await checkImage(await signedFor(serving, signing), policy, trust))).toBe(
      true,
    );
  });

  test.each([
    [
      'an expired certificate',
      () => simpleSignature(digest, { ...signer, log, at: new Date('2026-01-01T12:30:00Z') }),
      'its certificate does not hold (certificate is not valid or expired at the specified date)',
    ],
    [
      'no entry in a log',
      () => simpleSignature(digest, { ...signer }),
      'it has no entry in a transparency log',
    ],
    [
      'the entry of another log',
      () => simpleSignature(digest, { ...signer, log: new TransparencyLog(), at }),
      'its entry in the transparency log does not hold (inclusion promise could not be verified)',
    ],
    [
      'the entry of another signature',
      () => {
        const { annotations, ...layer } = simpleSignature(digest, { ...signer, log, at });
        const of = simpleSignature(digest, { ...signer, log, at }).annotations;
        const entry = of['dev.sigstore.cosign/bundle']!;
        return { ...layer, annotations: { ...annotations, 'dev.sigstore.cosign/bundle': entry } };
      },
      'its entry in the transparency log does not hold (signature mismatch)',
    ],
    [
      'no certificate',
      () => simpleSignature(digest, { key: ec, log, at }),
      'it comes without a certificate',
    ],
  ])('%s is refused', async (_, layer, why) => {
    const policy = policyOf(keyless({ subject: email }));
    expect(await refusal(signedBy(layer()), policy, trust)).toBe(`people: ${why}`);
  });

  test('another authority and a certificate outside its log are rejected', async () => {
    const policy = policyOf(keyless({ subject: email }));
    const rogue = await CertificateAuthority.create();
    const theirs = await rogue.certify({ email, issuer, from, log: certificates });
    const signed = signedBy(simpleSignature(digest, { ...theirs, log, at }));
    expect(await refusal(signed, policy, trust)).toMatch(/^people: its certificate does not hold/);
    const unlogged = await authority.certify({ email, issuer, from });
    const bare = signedBy(simpleSignature(digest, { ...unlogged, log, at }));
    expect(await refusal(bare, policy, trust)).toBe(
      'people: its certificate does not hold (expected 1 SCTs, got 0)',
    );
    const ignoring = policyOf({
      name: 'people',
      keyless: { identities: [{ subject: email }], insecureIgnoreSCT: true },
    });
    expect(isVerified(await checkImage(bare, ignoring, trust))).toBe(true);
  });

  test('without one, a certified signer cannot be checked', async () => {
    const signed = signedBy(simpleSignature(digest, { ...signer, log, at }));
    const policy = policyOf(keyless({ subject: email }));
    expect(await refusal(signed, policy, { keys: [], root: undefined })).toBe(
      'people: it is not checked, for no trusted root was given (`--trusted-root FILE`)',
    );
  });

  test('a key also needs a log entry, which must name that key', async () => {
    const both = trusting(ec, trust.root);
    const logged = signedBy(simpleSignature(digest, { key: ec, log, at }));
    expect(isVerified(await checkImage(logged, policyOf(keyed()), both))).toBe(true);
    const unlogged = signedBy(simpleSignature(digest, { key: ec }));
    expect(await refusal(unlogged, policyOf(keyed()), both)).toBe(
      'release: it has no entry in a transparency log',
    );
    const { certificate } = signer;
    const misnamed = signedBy(simpleSignature(digest, { key: ec, certificate, log, at }));
    expect(await refusal(misnamed, policyOf(keyed()), both)).toBe(
      'release: its entry in the transparency log names another key',
    );
  });
});
