import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keyFingerprint, parsePublicKey } from '../../../src/oci/signatures/trust.js';
import { sha256 } from '../../../src/base/digest.js';
import { on, status } from '../../support/registry/faults.js';
import { packageImage, type Image } from '../../support/registry/image.js';
import { Registry, type Fault } from '../../support/registry/registry.js';
import { providerYaml } from '../../support/package-yaml.js';
import { CertificateAuthority } from '../../support/signing/certificate-authority.js';
import {
  bundle,
  LAYER,
  publicPem,
  signatureManifest,
  SIGNING,
  simpleSignature,
  trustedRoot,
  type SignatureLayer,
} from '../../support/signing/signatures.js';
import { TransparencyLog } from '../../support/signing/transparency-log.js';
import { VerifyFolder } from '../../support/verify-folder.js';

const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { privateKey: stranger } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const fingerprint = keyFingerprint(parsePublicKey(publicPem(key), 'x'));
const CROSSPLANE = ['--crossplane', 'v2.3.4'];
const KEY = ['--public-key', 'cosign-key=cosign.pub'];

let at: VerifyFolder;
let registry: Registry;
let image: Image;
let faults: Fault[];

beforeEach(async () => {
  at = new VerifyFolder();
  faults = [];
  const faulty: Fault = (...args) => faults.some((fault) => fault(...args));
  registry = await new Registry({ faults: [faulty] }).start();
  image = await packageImage(providerYaml('p'));
  registry.push('acme/p', 'v1.0.0', image);
  await write('cosign.pub', publicPem(key));
});

afterEach(async () => {
  await registry.stop();
  at.remove();
});

function write(name: string, text: string): Promise<void> {
  return writeFile(join(at.path, name), text);
}

const run: VerifyFolder['run'] = (...args) => at.run(...args);
const report: VerifyFolder['report'] = (...args) => at.report(...args);

function push(...layers: readonly SignatureLayer[]): void {
  registry.push('acme/p', `${image.digest.replace(':', '-')}.sig`, signatureManifest(layers));
}

const byKey = `key: { secretRef: { name: cosign-key, key: cosign.pub } }`;

/** Returns xpkg.yaml with one package, and an ImageConfig with a policy. */
function inputs(authority: string, { prefix = registry.host, more = '' } = {}): Promise<void> {
  return write(
    'xpkg.yaml',
    `apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
metadata: { name: platform }
spec:
  packages: [{ package: ${registry.host}/acme/p, version: v1.0.0 }]
---
apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata: { name: signed }
spec:
  matchImages: [{ prefix: "${prefix}" }]
  verification:
    provider: Cosign
    cosign: { authorities: [{ name: release, ${authority} }] }
${more}`,
  );
}

async function lock(authority = byKey, options?: Parameters<typeof inputs>[1]): Promise<void> {
  await inputs(authority, options);
  const { code, stderr } = await run('resolve', ...CROSSPLANE);
  expect(code, stderr).toBe(0);
}

const verify = (...more: readonly string[]) =>
  run('verify', ...CROSSPLANE, '--signatures', ...more);
const verifyJson = (...more: readonly string[]) => report(...CROSSPLANE, '--signatures', ...more);

describe('a policy with a key', () => {
  test('accepts what the key signed, and prints the signer', async () => {
    await lock();
    const layer = simpleSignature(image.digest, { key });
    const signature = Buffer.from(
      layer.annotations['dev.cosignproject.cosign/signature']!,
      'base64',
    );
    push(layer);
    expect(await verifyJson(...KEY)).toMatchObject({
      code: 0,
      status: 'verified',
      signatures: [
        {
          source: `${registry.host}/acme/p`,
          version: 'v1.0.0',
          status: 'verified',
          policy: 'signed',
          authority: 'release',
          key: fingerprint,
          signature: sha256(signature),
          place: 'tag',
        },
      ],
      notes: expect.arrayContaining([
        expect.stringMatching(/^signed without an entry in a transparency log/),
      ]),
    });
    const { code, stdout } = await verify(...KEY);
    expect(code).toBe(0);
    expect(stdout).toContain('; 1 signature verified, 0 not required\n');
  });

  test('rejects unsigned images and those that another key signed: exit code 4', async () => {
    await lock();
    push(simpleSignature(image.digest, { key: stranger }));
    const text = `ImageConfig \`signed\` refuses it: authority \`release\`: it is not signed by the key ${fingerprint}`;
    expect(await verifyJson(...KEY)).toMatchObject({
      code: 4,
      status: 'mismatch',
      signatures: [{ status: 'refused', policy: 'signed' }],
      mismatches: [{ kind: 'signature', version: 'v1.0.0', text }],
    });
    push();
    const { code, stderr } = await verify(...KEY);
    expect(code).toBe(4);
    expect(stderr).toContain(
      `error: ${registry.host}/acme/p v1.0.0: ImageConfig \`signed\` refuses it: authority \`release\`: there is no signature`,
    );
  });

  test('is only checked on request', async () => {
    await lock();
    registry.log.length = 0;
    expect((await run('verify', ...CROSSPLANE)).code).toBe(0);
    expect(registry.asked.filter((line) => line.includes('.sig'))).toEqual([]);
  });

  test('reads the key from a Secret of the cluster', async () => {
    await lock();
    push(simpleSignature(image.digest, { key }));
    const data = Buffer.from(publicPem(key)).toString('base64');
    const secret = {
      kind: 'Secret',
      metadata: { name: 'cosign-key' },
      data: { 'cosign.pub': data },
    };
    await write('secret.yaml', JSON.stringify({ kind: 'List', items: [secret] }));
    expect((await verify('--public-key', 'secret.yaml')).code).toBe(0);
  });

  test.each([
    [
      'no key',
      [],
      'no trusted root|its key was not given \\(`--public-key cosign-key/cosign.pub=FILE`\\)',
    ],
    ['the key of another Secret', ['--public-key', 'other=cosign.pub'], 'its key was not given'],
    [
      'a key for nothing',
      ['--public-key', 'cosign.pub'],
      'nothing says which Secret this public key stands for',
    ],
    ['a private key', ['--public-key', 'cosign-key=private.pem'], 'no public key is in it'],
    ['a file without keys', ['--public-key', 'xpkg.yaml'], 'no Secret with a public key is in it'],
    ['no trusted root', [...KEY, '--trusted-root', 'xpkg.yaml'], 'not a trusted root of Sigstore'],
  ])('%s is a usage error: exit code 2, with a suggestion', async (_, flags, message) => {
    await lock();
    const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    await write('private.pem', pem);
    const { code, stderr } = await verify(...flags);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(message));
    expect(stderr).toContain('hint: ');
    expect(stderr).not.toContain(pem.split('\n')[1]);
  });

  test('still prints what the cluster would reject', async () => {
    await lock();
    registry.push(
      'acme/p',
      undefined,
      signatureManifest([bundle({ digest: image.digest, predicateType: SIGNING }, { key })], {
        subject: image,
        artifactType: LAYER.bundle,
      }),
    );
    const { code, stderr } = await verify(...KEY);
    expect(code).toBe(0);
    expect(stderr).toContain('signed as referrers, where Crossplane does not look');
    expect(stderr).toContain('signed without an entry in a transparency log');
  });

  test('a failing registry exits with 5, as do bytes with another digest', async () => {
    await lock();
    push(simpleSignature(image.digest, { key }));
    faults.push(on('.sig', status(403)));
    expect(await verifyJson(...KEY)).toMatchObject({ code: 5, status: 'failed' });
  });

  test('is reported in the formats of build systems, at the line of the package', async () => {
    await lock();
    const { code, stdout } = await verify(...KEY, '--format', 'github');
    expect(code).toBe(4);
    expect(stdout).toMatch(
      /^::error .*file=xpkg\.lock\.yaml,line=\d+.*title=xpkg-resolve%3A signature::/m,
    );
    expect(stdout).toContain('there is no signature');
  });
});

describe('policies and images', () => {
  test('an image without a policy need not be signed', async () => {
    await lock(byKey, { prefix: 'elsewhere.example.org' });
    expect(await verifyJson(...KEY)).toMatchObject({
      code: 0,
      signatures: [{ status: 'not-required' }],
      notes: expect.arrayContaining([
        expect.stringMatching(/^no ImageConfig that asks for signatures is for a locked image/),
      ]),
    });
  });

  test('reports that there is no policy', async () => {
    expect((await run('resolve', `${registry.host}/acme/p:v1.0.0`, ...CROSSPLANE)).code).toBe(0);
    const { code, stderr } = await run('verify', '--signatures');
    expect(code).toBe(0);
    expect(stderr).toContain('note: no ImageConfig asks for signatures: none was looked for');
  });

  test('a release without signature verification is a mismatch, edited or resolved', async () => {
    await inputs(byKey);
    const old = ['--crossplane', 'v1.17.3'];
    expect((await run('resolve', ...old)).code).toBe(0);
    const { code, stderr } = await run('verify', ...old, '--signatures', ...KEY);
    expect(code, stderr).toBe(4);
    expect(stderr).toContain('Crossplane v1.17.3 verifies no signatures');
  });

  test('finds the policy of a rewritten image by its new name, and its signature at the mirror', async () => {
    const mirror = await new Registry().start();
    try {
      mirror.push('copy/acme/p', 'v1.0.0', image);
      const signature = simpleSignature(image.digest, { key });
      const tag = `${image.digest.replace(':', '-')}.sig`;
      mirror.push('copy/acme/p', tag, signatureManifest([signature]));
      const more = `---
apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata: { name: mirrored }
spec:
  matchImages: [{ prefix: "${registry.host}" }]
  rewriteImage: { prefix: "${mirror.host}/copy" }
`;
      await lock(byKey, { prefix: `${mirror.host}/copy/`, more });
      expect((await verifyJson(...KEY)).code).toBe(0);
      expect(registry.asked).toEqual([]);
      await lock(byKey, { more });
      expect(await verifyJson()).toMatchObject({ signatures: [{ status: 'not-required' }] });
    } finally {
      await mirror.stop();
    }
  });

  test.each([
    [
      'name: x',
      'provider: Cosign',
      'provider: Notation',
      '`spec.verification.provider` must be `Cosign`',
    ],
    [
      'keyless: { identities: [{ subjectRegExp: "(" }] }',
      '',
      '',
      'is not a regular expression that Go reads',
    ],
    [
      'key: { secretRef: { name: a } }',
      '',
      '',
      '`spec.verification.cosign.authorities[0].key.secretRef.key` must be a text',
    ],
    [
      'key: { secretRef: { name: a, key: b }, hashAlgorithm: md5 }',
      '',
      '',
      'must be one of sha224, sha256',
    ],
    ['keyless: { identities: x }', '', '', 'must be a list'],
  ])('rejects a policy with `%s` at its line', async (authority, from, to, message) => {
    await lock();
    await inputs(authority.replace('name: x', ''));
    await write(
      'xpkg.yaml',
      (await import('node:fs')).readFileSync(join(at.path, 'xpkg.yaml'), 'utf8').replace(from, to),
    );
    const { code, stderr } = await verify(...KEY);
    expect(code).toBe(2);
    expect(stderr).toContain('xpkg.yaml:7: ImageConfig `signed`: ');
    expect(stderr).toContain(message);
  });
});

test('checks signers without a known key against a trusted root', async () => {
  const [log, certificates] = [new TransparencyLog(), new TransparencyLog()];
  const authority = await CertificateAuthority.create();
  const [email, issuer] = ['dev@example.test', 'https://accounts.example.test'];
  const signer = await authority.certify({ email, issuer, from: new Date(), log: certificates });
  await write('trusted_root.json', trustedRoot(authority, { log, certificates }));
  await lock(`keyless: { identities: [{ issuer: "${issuer}", subject: "${email}" }] }`);
  push(simpleSignature(image.digest, { ...signer, log }));
  expect(await verifyJson('--trusted-root', 'trusted_root.json')).toMatchObject({
    code: 0,
    signatures: [{ status: 'verified', subject: email, issuer }],
  });
  const { code, stderr } = await verify();
  expect(code).toBe(2);
  expect(stderr).toContain('no trusted root was given (`--trusted-root FILE`)');
});

describe('without the original registry', () => {
  const CACHE = ['--cache', 'cache'];
  const offline = (...more: readonly string[]) => verify(...KEY, ...CACHE, '--offline', ...more);

  async function lockSigned(): Promise<void> {
    await inputs(byKey);
    const signed = ['--require-signatures', ...KEY];
    const { code, stderr } = await run('resolve', ...CROSSPLANE, ...signed, ...CACHE);
    expect(code, stderr).toBe(0);
    registry.log.length = 0;
  }

  test('--offline checks the cached signature without any request', async () => {
    push(simpleSignature(image.digest, { key }));
    await lockSigned();
    const { code, stdout, stderr } = await offline();
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('; 1 signature verified, 0 not required\n');
    expect(registry.log).toEqual([]);
    await write('cosign.pub', publicPem(stranger));
    expect((await offline()).code).toBe(5);
  });

  test('--offline does not report unsigned images if nothing is known: exit code 5', async () => {
    await inputs(byKey);
    expect((await run('resolve', ...CROSSPLANE, ...CACHE)).code).toBe(0);
    push(simpleSignature(image.digest, { key }));
    const unasked = await offline();
    expect(unasked.code).toBe(5);
    expect(unasked.stderr).toContain('.sig: not in the cache, and `--offline` forbids the network');
  });

  test('--offline cannot list referrers: exit code 5, although a tag is known to be missing', async () => {
    const layer = bundle({ digest: image.digest, predicateType: SIGNING }, { key });
    const referrer = { subject: image, artifactType: LAYER.bundle };
    registry.push('acme/p', undefined, signatureManifest([layer], referrer));
    await lockSigned();
    const { code, stderr } = await offline();
    expect(code).toBe(5);
    expect(stderr).toContain('what refers to it is not known offline');
    expect(stderr).not.toContain('there is no signature');
    expect((await verify(...KEY, ...CACHE)).code).toBe(0);
    expect((await run('bundle', 'whole.tar')).code).toBe(0);
    registry.log.length = 0;
    const carried = await offline('--from', 'layout:whole.tar');
    expect(carried.code, carried.stderr).toBe(0);
    expect(registry.log).toEqual([]);
  });

  test('--mirror reads signatures only from the mirror, by the policy for names there', async () => {
    const mirror = await new Registry().start();
    try {
      push(simpleSignature(image.digest, { key }));
      await lock(byKey, { prefix: `${mirror.host}/copy/` });
      mirror.push('copy/acme/p', 'v1.0.0', image);
      registry.log.length = 0;
      const there = ['--no-bundle', '--mirror', `${mirror.host}/copy`, ...KEY];
      const unsigned = await verify(...there);
      expect(unsigned.code).toBe(4);
      expect(unsigned.stderr).toContain('there is no signature');
      const tag = `${image.digest.replace(':', '-')}.sig`;
      const by = (signer: typeof key) =>
        signatureManifest([simpleSignature(image.digest, { key: signer })]);
      mirror.push('copy/acme/p', tag, by(stranger));
      expect((await verify(...there)).code).toBe(4);
      mirror.push('copy/acme/p', tag, by(key));
      const { code, stdout, stderr } = await verify(...there);
      expect(code, stderr).toBe(0);
      expect(stdout).toContain('; 1 signature verified, 0 not required\n');
      expect(registry.log).toEqual([]);
    } finally {
      await mirror.stop();
    }
  });
});
