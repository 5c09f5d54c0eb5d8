import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/commands.js';
import { DockerRegistry } from '../conformance/docker-registry.js';
import { readPage } from '../support/docs/page.js';
import { runnable } from '../support/docs/run-page.js';
import { fakeIo } from '../support/fake-io.js';
import { providerYaml } from '../support/package-yaml.js';
import { packageImage, type Image } from '../support/registry/image.js';
import { CertificateAuthority } from '../support/signing/certificate-authority.js';
import { signatureManifest, simpleSignature, trustedRoot } from '../support/signing/signatures.js';
import { TransparencyLog } from '../support/signing/transparency-log.js';
import { PEERS } from './peers.js';

const ROOT = join(import.meta.dirname, '../..');
const CLI = join(ROOT, 'dist/main.js');
/** What keeps each release from asking servers on the internet. */
const OFFLINE = {
  cosign2: ['--tlog-upload=false'],
  cosign3: ['--tlog-upload=false', '--use-signing-config=false'],
};
type Cosign = keyof typeof OFFLINE;

let folder: string;
let registry: DockerRegistry;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cosign-'));
  registry = await DockerRegistry.start();
  for (const name of ['own', 'other'])
    await run('cosign3', ['generate-key-pair', '--output-key-prefix', name]);
});

afterAll(async () => {
  await registry.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program without blocking: the log of the registry must be read meanwhile, or it stops. */
function ran(program: string, args: readonly string[], cwd = folder): Promise<Ran> {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    COSIGN_PASSWORD: '',
    COSIGN_EXPERIMENTAL: '1',
    XPKG_RESOLVE_CACHE: join(cwd, '.cache'),
  };
  return new Promise((resolve, reject) => {
    execFile(program, [...args], { cwd, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      if (Number.isNaN(code)) reject(new Error(`\`${program}\` cannot be run`, { cause: error }));
      else resolve({ code, stdout, stderr });
    });
  });
}

function cosign(name: Cosign, args: readonly string[]): Promise<Ran> {
  return ran(join(PEERS, name), args);
}

async function run(name: Cosign, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await cosign(name, args);
  expect(code, `${name} ${args.join(' ')}\n${stdout}\n${stderr}`).toBe(0);
}

interface Published {
  /** Path at the registry. */
  readonly path: string;
  readonly image: Image;
  /** By digest. */
  readonly reference: string;
}

/** A package of its own, in a repository of its own. */
async function publish(): Promise<Published> {
  const path = `acme/p-${randomUUID()}`;
  const image = await packageImage(providerYaml(path));
  await registry.push(path, 'v1.0.0', image);
  return { path, image, reference: `${registry.host}/${path}@${image.digest}` };
}

const KEYED = 'key: { secretRef: { name: cosign-key, key: cosign.pub } }';

/** What `verify --signatures -o json` says of a package under a policy. */
async function verdict({ path }: Published, authority: string, flags: readonly string[]) {
  const cwd = await mkdtemp(join(folder, 'set-'));
  await writeFile(
    join(cwd, 'xpkg.yaml'),
    `apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
spec:
  crossplane: v2.3.4
  packages: [{ package: ${registry.host}/${path}, version: v1.0.0 }]
---
apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata: { name: signed }
spec:
  matchImages: [{ prefix: "${registry.host}/" }]
  verification: { provider: Cosign, cosign: { authorities: [{ name: release, ${authority} }] } }
`,
  );
  const cli = async (...args: readonly string[]) => {
    const io = fakeIo({ cwd, env: { HOME: cwd } });
    return { code: await runCli(args, io), stdout: io.stdout(), notes: io.notes().join('\n') };
  };
  const resolved = await cli('resolve');
  expect(resolved.code, resolved.notes).toBe(0);
  const { code, stdout, notes } = await cli('verify', '--signatures', '-o', 'json', ...flags);
  expect(stdout, notes).not.toBe('');
  const { signatures, mismatches } = JSON.parse(stdout);
  return { code, signature: signatures?.[0], mismatches };
}

const root = () => ['--trusted-root', join(folder, 'trusted_root.json')];
const byKey = (name: string) => ['--public-key', `cosign-key=${join(folder, `${name}.pub`)}`];

/** How each release of cosign may store a signature, where it then is, and how cosign v3 finds it. */
const WAYS: readonly (readonly [Cosign, readonly string[], string, readonly string[]])[] = [
  ['cosign2', [], 'tag', ['--new-bundle-format=false']],
  [
    'cosign2',
    ['--registry-referrers-mode=oci-1-1'],
    'referrer',
    ['--new-bundle-format=false', '--experimental-oci11'],
  ],
  ['cosign2', ['--new-bundle-format'], 'referrer', []],
  ['cosign3', [], 'referrer', []],
  ['cosign3', ['--new-bundle-format=false'], 'tag', ['--new-bundle-format=false']],
];

describe.each(WAYS)('%s %j', (name, way, place, looking) => {
  test('images that cosign signs are accepted with the same key, and with no other', async () => {
    const published = await publish();
    const { reference } = published;
    await run(name, ['sign', '-y', '--key', 'own.key', ...OFFLINE[name], ...way, reference]);
    expect(await verdict(published, KEYED, byKey('own'))).toMatchObject({
      code: 0,
      signature: { status: 'verified', place, authority: 'release' },
    });
    expect(await verdict(published, KEYED, byKey('other'))).toMatchObject({
      code: 4,
      mismatches: [{ kind: 'signature', text: expect.stringContaining('not signed by the key') }],
    });
    const check = (key: string) => {
      const flags = ['--key', key, '--insecure-ignore-tlog', ...looking];
      return cosign('cosign3', ['verify', ...flags, reference]);
    };
    expect((await check('own.pub')).code).toBe(0);
    expect((await check('other.pub')).code).not.toBe(0);
  });
});

test.each([
  ['rsa', 0],
  // cosign signs with Ed25519ph, which Crossplane does not read: it takes keys for plain Ed25519.
  ['ed25519', 4],
] as const)('a signature by an imported key of type %s: exit %i', async (type, code) => {
  const published = await publish();
  const { privateKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  await writeFile(join(folder, `${type}.pem`), pem);
  await run('cosign3', ['import-key-pair', '--key', `${type}.pem`, '--output-key-prefix', type]);
  const flags = ['-y', '--key', `${type}.key`, ...OFFLINE.cosign2];
  await run('cosign2', ['sign', ...flags, published.reference]);
  expect(await verdict(published, KEYED, byKey(type))).toMatchObject({ code });
  expect(await verdict(published, KEYED, byKey('own'))).toMatchObject({ code: 4 });
});

describe.each([
  ['cosign2', [], 'tag'],
  ['cosign2', ['--new-bundle-format'], 'referrer'],
  ['cosign3', [], 'referrer'],
] as const)('attestations of %s %j', (name, way, place) => {
  test('are accepted by their type', async () => {
    const published = await publish();
    const predicate = join(folder, 'predicate.json');
    await writeFile(predicate, JSON.stringify({ spdxVersion: 'SPDX-2.3', name: 'p' }));
    const flags = ['--type', 'spdxjson', '--predicate', predicate, '--key', 'own.key'];
    await run(name, ['attest', '-y', ...flags, ...OFFLINE[name], ...way, published.reference]);
    const asking = (type: string) =>
      `${KEYED}, attestations: [{ name: a, predicateType: ${type} }]`;
    expect(await verdict(published, asking('spdxjson'), byKey('own'))).toMatchObject({
      code: 0,
      signature: { place, predicateType: 'https://spdx.dev/Document' },
    });
    expect(await verdict(published, asking('cyclonedx'), byKey('own'))).toMatchObject({ code: 4 });
    expect(await verdict(published, asking('spdxjson'), byKey('other'))).toMatchObject({ code: 4 });
    expect(await verdict(published, KEYED, byKey('own'))).toMatchObject({ code: 4 });
  });
});

describe('signers without a known key', () => {
  const [email, issuer] = ['dev@example.test', 'https://accounts.example.test'];
  const [log, certificates] = [new TransparencyLog(), new TransparencyLog()];
  let authority: CertificateAuthority;
  beforeAll(async () => {
    authority = await CertificateAuthority.create();
    await writeFile(
      join(folder, 'trusted_root.json'),
      trustedRoot(authority, { log, certificates }),
    );
  });

  const keyless = (subject: string) =>
    `keyless: { identities: [{ issuer: "${issuer}", subject: ${subject} }] }`;

  test.each([
    { why: 'all is right', accepted: true },
    { why: 'another identity', wanted: 'ops@example.test', accepted: false },
    { why: 'signed after the certificate expired', minutes: 20, accepted: false },
    { why: 'no entry in the log', entered: 'nowhere', accepted: false },
    { why: 'the entry of another log', entered: 'elsewhere', accepted: false },
    { why: 'a certificate that is in no log', certified: 'unlogged', accepted: false },
    { why: 'another authority', certified: 'elsewhere', accepted: false },
    { why: 'a signature of another image', about: 'other', accepted: false },
  ])(
    'cosign and this agree: $why',
    async ({ wanted = email, minutes = 5, entered, certified, about, accepted }) => {
      const published = await publish();
      const { path, image, reference } = published;
      const from = new Date(Date.now() - 60 * 60_000);
      const by = certified === 'elsewhere' ? await CertificateAuthority.create() : authority;
      const ct = certified === 'unlogged' ? undefined : certificates;
      const signer = await by.certify({ email, issuer, from, log: ct });
      const signed = about === undefined ? image : (await publish()).image;
      const layer = simpleSignature(signed.digest, {
        ...signer,
        log:
          entered === 'nowhere' ? undefined : entered === undefined ? log : new TransparencyLog(),
        at: new Date(from.getTime() + minutes * 60_000),
      });
      const tag = `${image.digest.replace(':', '-')}.sig`;
      await registry.push(path, tag, signatureManifest([layer]));
      const identity = ['--certificate-identity', wanted, '--certificate-oidc-issuer', issuer];
      const flags = ['--new-bundle-format=false', '--offline', ...root(), ...identity];
      const theirs = await cosign('cosign3', ['verify', ...flags, reference]);
      expect(theirs.code === 0, theirs.stderr).toBe(accepted);
      const ours = await verdict(published, keyless(wanted), root());
      expect(ours.code, JSON.stringify(ours)).toBe(accepted ? 0 : 4);
    },
  );
});

test('the commands of docs/signatures.md run', async () => {
  const published = await publish();
  const page = readPage('docs/signatures.md');
  const cwd = await mkdtemp(join(folder, 'docs-'));
  const own = (text: string) => text.replaceAll('registry.example.org', registry.host);
  for (const [path, text] of page.files) await writeFile(join(cwd, path), own(text));
  const source = `${registry.host}/${published.path}`;
  const set = `apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec:\n  crossplane: v2.3.4\n  packages: [{ package: ${source}, version: v1.0.0 }]\n`;
  await writeFile(join(cwd, 'xpkg.yaml'), set);
  await symlink(join(PEERS, 'cosign3'), join(cwd, 'cosign'));
  const blocks = runnable(page, 'test/peers/cosign.test.ts');
  expect(blocks.length).toBeGreaterThan(0);
  for (const { body } of blocks) {
    const script = `xpkg-resolve() { "${process.execPath}" "${CLI}" "$@"; }\nPATH="${cwd}:$PATH"\nIMAGE=${published.reference}\nset -eu\n${body}`;
    const { code, stdout, stderr } = await ran('bash', ['-c', script], cwd);
    expect(code, `${stdout}\n${stderr}`).toBe(0);
  }
  expect(await readFile(join(cwd, 'xpkg.lock.yaml'), 'utf8')).toContain(published.image.digest);
});
