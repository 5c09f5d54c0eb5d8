import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/kit/command.js';
import { runCli } from '../../src/commands.js';
import { fakeIo } from '../support/fake-io.js';
import { providerYaml } from '../support/package-yaml.js';
import { packageImage } from '../support/registry/image.js';
import { Registry, type Access } from '../support/registry/registry.js';

const image = await packageImage(providerYaml('p'));
const LOUD = ['--crossplane', 'v2.3.4', '--trace', '--debug'];
let folder: string;
let registry: Registry | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secrets-'));
  for (const part of ['home', 'work']) await mkdir(join(folder, part));
});

afterEach(async () => {
  await registry?.stop();
  registry = undefined;
  await rm(folder, { recursive: true });
});

async function serve(access: Access): Promise<string> {
  registry = await new Registry({ access }).start();
  registry.push('a/p', 'v1.0.0', image);
  return registry.host;
}

async function run(...argv: readonly string[]) {
  const env = { DOCKER_CONFIG: join(folder, 'home'), PATH: `${folder}/home:/usr/bin:/bin` };
  const io = fakeIo({ cwd: join(folder, 'work'), env });
  const code = await runCli(argv, io);
  return { code, said: `${io.stdout()}\n${io.notes().join('\n')}` };
}

async function signIn(config: object): Promise<void> {
  await writeFile(join(folder, 'home/config.json'), JSON.stringify(config));
}

/** Returns the names and bytes of all written files: outputs and cache. */
async function written(): Promise<string> {
  const files = await readdir(join(folder, 'work'), { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return `${path.slice(folder.length)}\n${await readFile(path, 'latin1')}`;
    });
  return (await Promise.all(texts)).join('\n');
}

const AUTH = Buffer.from('ann:s3cret').toString('base64');

describe('credentials are in no output, file or message', () => {
  const ways = [
    {
      why: 'a password',
      access: { mode: 'basic', user: 'ann', password: 's3cret' },
      config: (host: string) => ({ auths: { [host]: { auth: AUTH } } }),
    },
    {
      why: 'a password for tokens',
      access: { mode: 'bearer', user: 'ann', password: 's3cret' },
      config: (host: string) => ({ auths: { [host]: { username: 'ann', password: 's3cret' } } }),
    },
    {
      why: 'an identity token',
      access: { mode: 'bearer', refreshToken: 's3cret' },
      config: (host: string) => ({ auths: { [host]: { identitytoken: 's3cret' } } }),
    },
    {
      why: 'a credential helper with any output',
      access: { mode: 'basic', user: 'ann', password: 's3cret' },
      config: () => ({ credsStore: 'chatty' }),
    },
  ] as const;

  beforeEach(async () => {
    const helper = join(folder, 'home/docker-credential-chatty');
    const answer = '{"Username":"ann","Secret":"s3cret"}';
    await writeFile(helper, `#!/bin/sh\necho s3cret >&2\necho '${answer}'\n`);
    await chmod(helper, 0o755);
  });

  test.each(ways)('$why, where it is good', async ({ access, config }) => {
    const host = await serve(access);
    await signIn(config(host));
    const argv = ['resolve', `${host}/a/p@>=v1.0.0`, '--cache', 'kept', ...LOUD];
    const { code, said } = await run(...argv);
    expect(code).toBe(EXIT.done);
    expect(said).toMatch(/trace: GET .*(?:basic|bearer)/);
    const files = await written();
    expect(files).toContain('xpkg.lock.yaml');
    expect(files).toContain('/kept/');
    for (const secret of ['s3cret', AUTH, ...registry!.tokens]) {
      expect(`${said}${files}`).not.toContain(secret);
    }
  });

  test.each(ways)('$why, where it is refused', async ({ access, config }) => {
    const changed = 'refreshToken' in access ? { refreshToken: 'other' } : { password: 'other' };
    const host = await serve({ ...access, ...changed });
    await signIn(config(host));
    const { code, said } = await run('resolve', `${host}/a/p@>=v1.0.0`, ...LOUD);
    expect(code).toBe(EXIT.sourceFailed);
    for (const secret of ['s3cret', AUTH]) expect(said).not.toContain(secret);
  });
});

test('cached files have the same names for all users', async () => {
  const host = await serve({ mode: 'bearer' });
  const names: string[][] = [];
  for (const user of [undefined, 'ann', 'bob']) {
    await signIn(
      user === undefined ? {} : { auths: { [host]: { username: user, password: 'x' } } },
    );
    const cache = join(folder, `cache-${user}`);
    const { code } = await run('resolve', `${host}/a/p@>=v1.0.0`, '--cache', cache, ...LOUD);
    expect(code).toBe(EXIT.done);
    names.push((await readdir(cache, { recursive: true })).sort());
  }
  expect(names[0]!.length).toBeGreaterThan(3);
  expect(names).toEqual([names[0], names[0], names[0]]);
});

describe('an input with a password is rejected without repeating the password', () => {
  const at = 'ann:s3cret@a.io';
  const provider = JSON.stringify({
    apiVersion: 'pkg.crossplane.io/v1',
    kind: 'Provider',
    metadata: { name: 'p' },
    spec: { package: `${at}/a/p:v1.0.0` },
  });
  const packageSet = JSON.stringify({
    apiVersion: 'xpkg-resolve.dev/v1alpha1',
    kind: 'PackageSet',
    metadata: { name: 'p' },
    spec: { packages: [{ provider: `https://${at}/a/p`, version: 'v1.0.0' }] },
  });

  beforeEach(async () => {
    await writeFile(join(folder, 'work/provider.yaml'), provider);
    await writeFile(join(folder, 'work/set.yaml'), packageSet);
    const broken = 'stringData:\n  .dockerconfigjson: "s3cret" x\n';
    await writeFile(join(folder, 'work/secret.yaml'), `kind: Secret\n${broken}`);
    await writeFile(
      join(folder, 'work/secret.json'),
      '{"kind": "Secret", "data": {"a": "s3cret" x',
    );
  });

  test.each([
    `resolve ${at}/a/p:v1.0.0`,
    `resolve ${at}/a/p@^v1.0.0`,
    `resolve https://${at}/a/p:v1.0.0`,
    'resolve -f provider.yaml',
    'resolve -f set.yaml',
    'resolve -f secret.yaml',
    'resolve -f secret.json',
    'resolve a.io/a/p:v1.0.0 --pull-secret secret.yaml',
    'resolve a.io/a/p:v1.0.0 --pull-secret secret.json',
    `resolve -f https://${at}/xpkg.yaml`,
    `resolve a.io/a/p:v1.0.0 --from oci://${at}/index:v1`,
    `resolve a.io/a/p:v1.0.0 --from https://${at}/index:v1`,
    `resolve a.io/a/p:v1.0.0 --lock oci://${at}/lock:v1`,
    `resolve a.io/a/p:v1.0.0 --insecure-registry ${at}`,
    `resolve a.io/a/p:v1.0.0 --insecure-registry http://${at}`,
    `resolve a.io/a/p:v1.0.0 --nonsense https://${at}/`,
    `inspect https://${at}/a/p:v1.0.0`,
    `inspect ${at}/a/p:v1.0.0`,
    `index push oci://${at}/index:v1`,
    `index push ${at}/index:v1`,
  ])('%s', async (line) => {
    const { code, said } = await run(...line.split(' '), '--debug');
    expect(said).not.toContain('s3cret');
    expect(code).toBe(EXIT.badInput);
  });
});
