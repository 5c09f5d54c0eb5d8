import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keyFingerprint, parsePublicKey } from '../../../src/oci/signatures/trust.js';
import { sha256 } from '../../../src/base/digest.js';
import { packageImage, type Image } from '../../support/registry/image.js';
import { Registry } from '../../support/registry/registry.js';
import { providerYaml } from '../../support/package-yaml.js';
import { publicPem, signatureManifest, simpleSignature } from '../../support/signing/signatures.js';
import { VerifyFolder } from '../../support/verify-folder.js';

const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { privateKey: stranger } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const fingerprint = keyFingerprint(parsePublicKey(publicPem(key), 'x'));
const SIGNED = ['--require-signatures', '--public-key', 'cosign-key=cosign.pub'];

let at: VerifyFolder;
let registry: Registry;
const run: VerifyFolder['run'] = (...args) => at.run(...args);
const write = (name: string, text: string) => writeFile(join(at.path, name), text);
const lockText = () => readFile(at.lockfile, 'utf8');

beforeEach(async () => {
  at = new VerifyFolder();
  registry = await new Registry().start();
  await write('cosign.pub', publicPem(key));
});

afterEach(async () => {
  await registry.stop();
  at.remove();
});

/** Publishes a version and its signature by a key; returns the digest of the signature. */
async function publish(version: string, by?: typeof key): Promise<string> {
  const image = await packageImage(`${providerYaml('p')}# ${version}\n`);
  registry.push('acme/p', version, image);
  return by === undefined ? '' : sign(image, by);
}

function sign(image: Image, by: typeof key, repository = 'acme/p'): string {
  const layer = simpleSignature(image.digest, { key: by });
  registry.push(repository, `${image.digest.replace(':', '-')}.sig`, signatureManifest([layer]));
  return sha256(Buffer.from(layer.annotations['dev.cosignproject.cosign/signature']!, 'base64'));
}

interface Names {
  readonly host?: string | undefined;
  readonly name?: string;
  /** A registry whose images are pulled from `registry`. */
  readonly upstream?: string;
}

function ask(
  version: string,
  crossplane = 'v2.3.4',
  { host = registry.host, name = 'acme/p', upstream }: Names = {},
): Promise<void> {
  const rewrite = `---
apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata: { name: mirrored }
spec:
  matchImages: [{ prefix: "${upstream}/" }]
  rewriteImage: { prefix: "${host}/" }
`;
  return write(
    'xpkg.yaml',
    `apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
spec:
  crossplane: "${crossplane}"
  packages: [{ package: ${upstream ?? host}/${name}, version: "${version}" }]
---
apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata: { name: signed }
spec:
  matchImages: [{ prefix: "${host}/" }]
  verification:
    provider: Cosign
    cosign:
      authorities:
        - { name: release, key: { secretRef: { name: cosign-key, key: cosign.pub } } }
${upstream === undefined ? '' : rewrite}`,
  );
}

test('chooses the newest version that the policy accepts, and locks its signer', async () => {
  const digest = await publish('v1.0.0', key);
  await publish('v1.1.0', stranger);
  await publish('v1.2.0');
  await ask('>=v1.0.0');
  expect((await run('resolve', '--no-write')).stdout).toContain('v1.2.0');
  const { code, stdout, stderr } = await run('resolve', ...SIGNED);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('v1.0.0');
  expect(stderr).toContain('signed without an entry in a transparency log');
  expect(await lockText()).toContain(`    signature:
      policy: signed
      authority: release
      key: ${fingerprint}
      digest: ${digest}
`);
});

describe('a refusal', () => {
  test('states the ImageConfig, the authority and the reason', async () => {
    await publish('v1.1.0', stranger);
    await publish('v1.0.0', key);
    await ask('>=v1.1.0');
    const { code, stderr } = await run('resolve', ...SIGNED);
    expect(code).toBe(3);
    const words = stderr.replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      `asks for ${registry.host}/acme/p \`>=v1.1.0\`, which lacks the signature that ImageConfig \`signed\` asks for (xpkg.yaml:7): authority \`release\`: it is not signed by the key ${fingerprint}`,
    );
    const { stdout } = await run('resolve', ...SIGNED, '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'unsolvable',
      core: expect.arrayContaining([expect.objectContaining({ kind: 'policy' })]),
    });
  });

  test('states a reason that several versions share only once', async () => {
    await publish('v1.1.0');
    await publish('v1.2.0');
    await ask('>=v1.0.0');
    const { code, stderr } = await run('resolve', ...SIGNED);
    expect(code).toBe(3);
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /every version of which lacks the signature that ImageConfig `signed` asks for \(xpkg\.yaml:7\): authority `release`: there is no signature/,
    );
  });
});

describe('a release that cannot enforce the policy', () => {
  test('is not chosen to allow an unsigned package', async () => {
    await publish('v1.0.0');
    await ask('v1.0.0', '>=v1.14.0');
    expect((await run('resolve', '--no-write')).code).toBe(0);
    const { code, stderr } = await run('resolve', ...SIGNED);
    expect(code).toBe(3);
    const words = stderr.replaceAll(/\s+/g, ' ');
    expect(words).toContain('lacks the signature that ImageConfig `signed` asks for');
    expect(words).toMatch(
      /note: Crossplane v1\.14\.\d+ to v1\.17\.\d+ are no candidates: the signature policy of ImageConfig `signed` \(xpkg\.yaml:7\) needs Crossplane `>=v1\.18\.0-0`/,
    );
  });

  test('is rejected as the target, with the releases that can enforce it', async () => {
    await publish('v1.0.0', key);
    await ask('v1.0.0', 'v1.17.3');
    const { code, stderr } = await run('resolve', ...SIGNED);
    expect(code).toBe(3);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'the signature policy of ImageConfig `signed` (xpkg.yaml:7) needs Crossplane `>=v1.18.0-0`',
    );
  });

  test('fails `verify --signatures` if a lockfile is edited to name it', async () => {
    await publish('v1.0.0', key);
    await ask('v1.0.0', '>=v1.14.0');
    expect((await run('resolve', ...SIGNED)).code).toBe(0);
    await at.editLock(/^crossplane: .*$/m, 'crossplane: v1.17.3');
    const flags = ['--signatures', '--public-key', 'cosign-key=cosign.pub'];
    const { code, stderr } = await run('verify', ...flags);
    expect(code).toBe(4);
    expect(stderr).toContain('Crossplane v1.17.3 verifies no signatures');
  });

  test('is one that does not rewrite images, which a policy knows by their new names', async () => {
    await publish('v1.0.0');
    const upstream = registry.host.replace('127.0.0.1', 'localhost');
    await ask('v1.0.0', '>=v1.18.0', { upstream });
    const flags = [...SIGNED, '--insecure-registry', 'localhost'];
    const { code, stderr } = await run('resolve', ...flags);
    expect(code).toBe(3);
    const words = stderr.replaceAll(/\s+/g, ' ');
    expect(words).toContain('lacks the signature that ImageConfig `signed` asks for');
    expect(words).toMatch(
      /note: Crossplane v1\.18\.0 to v1\.19\.\d+ are no candidates: the signature policy of ImageConfig `signed` for rewritten images \(xpkg\.yaml:7\) needs Crossplane `>=v1\.20\.0-0`/,
    );
    await ask('v1.0.0', 'v1.19.3', { upstream });
    expect((await run('resolve', ...flags)).code).toBe(3);
    expect((await run('resolve', '--insecure-registry', 'localhost')).code).toBe(0);
    const keys = ['--public-key', 'cosign-key=cosign.pub', '--insecure-registry', 'localhost'];
    const verified = await run('verify', '--signatures', ...keys);
    expect(verified.code).toBe(4);
    expect(verified.stderr).toContain('Crossplane v1.19.3 verifies no signatures of rewritten');
  });
});

test('another spelling of a dependency does not escape the policy', async () => {
  await publish('v1.0.0');
  const [lower, capitals] = ['localhost', 'LOCALHOST'].map((host) =>
    registry.host.replace('127.0.0.1', host),
  );
  const dependsOn = `spec:\n  dependsOn:\n    - provider: ${capitals}/acme/p\n      version: ">=v1.0.0"\n`;
  const top = await packageImage(`${providerYaml('top')}${dependsOn}`);
  registry.push('acme/top', 'v1.0.0', top);
  sign(top, key, 'acme/top');
  await ask('v1.0.0', 'v1.20.0', { host: lower, name: 'acme/top' });
  const insecure = ['--insecure-registry', 'localhost', '--insecure-registry', 'LOCALHOST'];
  expect((await run('resolve', '--no-write', ...insecure)).code).toBe(0);
  const { code, stderr } = await run('resolve', ...SIGNED, ...insecure);
  expect(code).toBe(3);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    `requires ${capitals}/acme/p, which lacks the signature that ImageConfig \`signed\` asks for`,
  );
});

describe('locked signers', () => {
  test('stay byte for byte, also without --require-signatures', async () => {
    await publish('v1.0.0', key);
    await ask('>=v1.0.0');
    expect((await run('resolve', ...SIGNED)).code).toBe(0);
    const before = await lockText();
    expect((await run('resolve', '--locked', ...SIGNED)).code).toBe(0);
    expect((await run('resolve', '--locked')).code).toBe(0);
    expect((await run('resolve')).code).toBe(0);
    expect(await lockText()).toBe(before);
    expect((await run('verify')).code).toBe(0);
  });

  test('are checked by `verify --signatures`', async () => {
    await publish('v1.0.0', key);
    await ask('>=v1.0.0');
    await run('resolve', ...SIGNED);
    const flags = ['--signatures', '--public-key', 'cosign-key=cosign.pub'];
    expect((await run('verify', ...flags)).code).toBe(0);
    await at.editLock(/authority: release/, 'authority: root');
    const { code, stderr } = await run('verify', ...flags);
    expect(code).toBe(4);
    expect(stderr).toContain('it is not signed as the lockfile says');
    expect(stderr).toContain('for authority root of ImageConfig signed');
  });

  test('are removed with their version', async () => {
    await publish('v1.0.0', key);
    await ask('>=v1.0.0');
    await run('resolve', ...SIGNED);
    await publish('v1.1.0');
    expect((await run('resolve', '--upgrade')).code).toBe(0);
    expect(await lockText()).not.toContain('signature:');
    expect((await run('update', ...SIGNED)).code).toBe(0);
    expect(await lockText()).toContain('version: v1.0.0');
  });
});

test('a version in an index without an image in any source exits with 5', async () => {
  await publish('v1.0.0', key);
  await ask('>=v1.0.0');
  const name = `${registry.host}/acme/p`;
  const versions = { 'v1.0.0': { digest: sha256('other') } };
  await write(
    'index.json',
    JSON.stringify({ packages: { [name]: { kind: 'Provider', versions } } }),
  );
  const index = ['--from', 'index:index.json'];
  const alone = await run('resolve', ...SIGNED, ...index);
  expect(alone.code).toBe(5);
  expect(alone.stderr).toContain('it must be signed, and no source has its image');
  const both = await run('resolve', ...SIGNED, ...index, '--from', 'registry');
  expect(both.code).toBe(5);
  expect(both.stderr).toMatch(/its signature is of sha256:\w+, and sha256:\w+ would be locked/);
});

test('a missing key is a usage error, and `--frozen` makes no request', async () => {
  await publish('v1.0.0', key);
  await ask('v1.0.0');
  const { code, stderr } = await run('resolve', '--require-signatures');
  expect(code).toBe(2);
  expect(stderr).toContain('xpkg.yaml:7: ImageConfig `signed` asks for signatures');
  expect((await run('resolve', '--require-signatures', '--frozen')).code).toBe(2);
});
