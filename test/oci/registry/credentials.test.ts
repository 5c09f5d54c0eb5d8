import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  runCredentialHelper,
  credentialFiles,
  longestPrefixEntry,
  fileCredentials,
  credentialHelpers,
  parseDockerConfig,
} from '../../../src/oci/registry/docker-credentials.js';
import type { SourceError } from '../../../src/base/errors.js';
import type { Credentials } from '../../../src/oci/registry/credentials.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
});

afterAll(() => rm(folder, { recursive: true }));

function shown(credentials: Credentials | undefined): string | undefined {
  if (credentials === undefined) return undefined;
  return credentials.kind === 'basic'
    ? `${credentials.username}:${credentials.password.reveal()}`
    : `${credentials.kind} ${credentials.token.reveal()}`;
}

function auth(text: string): { auth: string } {
  return { auth: Buffer.from(text).toString('base64') };
}

function ask(name: string): Promise<Credentials | undefined> {
  return runCredentialHelper(name, 'a.io', {
    env: { PATH: `${folder}:/usr/bin:/bin` },
    // The others depend on the time to start a process.
    timeoutMs: name === 'slow' ? 100 : 600_000,
  });
}

describe('an entry', () => {
  test.each([
    { entry: auth('ann:pw:with:colons'), want: 'ann:pw:with:colons', why: 'first colon splits' },
    { entry: { username: 'ann', password: 'pw' }, want: 'ann:pw', why: 'spelled out' },
    { entry: { ...auth('ann:x'), identitytoken: 't' }, want: 'identity t', why: 'token wins' },
    { entry: { registrytoken: 't' }, want: 'bearer t', why: 'a registry token' },
    { entry: auth('<token>:t'), want: 'identity t', why: 'the user name says token' },
    { entry: {}, want: undefined, why: 'empty: the helper has it' },
  ])('$why', ({ entry, want }) => {
    const config = parseDockerConfig(JSON.stringify({ auths: { 'a.io': entry } }), 'x');
    expect(shown(longestPrefixEntry(config.auths, 'a.io', 'b/c'))).toBe(want);
  });

  test.each([
    {
      keys: ['quay.io', 'quay.io/acme', 'quay.io/acme/p'],
      at: 'quay.io acme/p',
      want: 'quay.io/acme/p',
    },
    { keys: ['quay.io', 'quay.io/acme'], at: 'quay.io acme/p/q', want: 'quay.io/acme' },
    { keys: ['quay.io/acme'], at: 'quay.io acme-evil/p', want: undefined },
    { keys: ['quay.io'], at: 'quay.io.evil.org a/p', want: undefined },
    { keys: ['https://quay.io/v2/'], at: 'quay.io a/p', want: 'https://quay.io/v2/' },
    {
      keys: ['https://index.docker.io/v1/'],
      at: 'index.docker.io a/p',
      want: 'https://index.docker.io/v1/',
    },
    { keys: ['docker.io'], at: 'index.docker.io a/p', want: 'docker.io' },
    { keys: ['127.0.0.1:5000'], at: '127.0.0.1:5000 a/p', want: '127.0.0.1:5000' },
    { keys: ['127.0.0.1:5000'], at: '127.0.0.1:5001 a/p', want: undefined },
    { keys: ['*.example.org'], at: 'eu.example.org a/p', want: '*.example.org' },
    { keys: ['*.example.org'], at: 'a.b.example.org a/p', want: undefined },
    { keys: ['__proto__'], at: 'a.io a/p', want: undefined },
  ])('of $keys for $at is $want', ({ keys, at, want }) => {
    const auths = `{${keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(auth(`${key.replaceAll(':', ';')}:pw`))}`).join()}}`;
    const config = parseDockerConfig(`{"auths":${auths}}`, 'x');
    const [host, path] = at.split(' ');
    expect(shown(longestPrefixEntry(config.auths, host!, path!))).toBe(
      want === undefined ? undefined : `${want.replaceAll(':', ';')}:pw`,
    );
  });

  test('keys cannot access inherited properties', () => {
    const entry = JSON.stringify(auth('mallory:pw'));
    for (const key of ['__proto__', 'constructor', 'toString']) {
      const config = parseDockerConfig(
        `{"auths":{"${key}":{"a.io":${entry}}},"credHelpers":{"${key}":"evil"}}`,
        'x',
      );
      expect(longestPrefixEntry(config.auths, 'a.io', 'p')).toBeUndefined();
      expect(longestPrefixEntry(config.credHelpers, 'a.io', 'p')).toBeUndefined();
      expect(
        parseDockerConfig(`{"__proto__":{"credsStore":"evil"}}`, 'x').credsStore,
      ).toBeUndefined();
    }
  });

  test.each([
    ['{"auths":{"a.io":{},"a.io":{}}}', 'has `auths.a.io` twice'],
    ['{"auths":{},"Auths":{}}', 'has `Auths`, which differs from `auths` only in case'],
    [
      '{"auths":{"a.io":{"auth":"x","Auth":"s3cret"}}}',
      'has `auths.a.io.Auth`, which differs from `auth` only in case',
    ],
    ['{"auths":{"a.io":{"auth":7}}}', 'has `auths.a.io.auth`, which is not a string'],
    ['{"credHelpers":{"a.io":{"x":"s3cret"}}}', 'has `credHelpers.a.io`, which is not a string'],
  ])('%s is rejected without a value of it', (text, why) => {
    expect(() => parseDockerConfig(text, 'my.json')).toThrow(why);
    expect(() => parseDockerConfig(text, 'my.json')).not.toThrow('s3cret');
  });

  test('an invalid config is named in the error, without its content', () => {
    expect(() => parseDockerConfig('{"auths": s3cret', 'my.json')).toThrow(
      /^my\.json: (?!.*s3cret)/,
    );
  });
});

describe('files', () => {
  test('are read in order, once each', () => {
    expect(
      credentialFiles({
        HOME: '/h',
        DOCKER_CONFIG: '/d',
        REGISTRY_AUTH_FILE: '/r',
        XDG_RUNTIME_DIR: '/run',
        XDG_CONFIG_HOME: '/c',
      }),
    ).toEqual([
      '/d/config.json',
      '/r',
      '/run/containers/auth.json',
      '/c/containers/auth.json',
      '/h/.docker/config.json',
      '/h/.dockercfg',
    ]);
    expect(credentialFiles({ HOME: '/h' })).toEqual([
      '/h/.docker/config.json',
      '/h/.config/containers/auth.json',
      '/h/.dockercfg',
    ]);
    expect(credentialFiles({})).toEqual([]);
  });

  test('the first one with an entry is used; missing and empty ones are skipped', async () => {
    const home = join(folder, 'home');
    await mkdir(join(home, '.docker'), { recursive: true });
    await mkdir(join(home, '.config/containers'), { recursive: true });
    const auths = (text: string, ...keys: string[]) =>
      JSON.stringify({ auths: Object.fromEntries(keys.map((key) => [key, auth(text)])) });
    await writeFile(join(home, '.docker/config.json'), auths('docker:1', 'a.io'));
    await writeFile(join(home, '.config/containers/auth.json'), auths('podman:2', 'a.io', 'b.io'));
    await writeFile(join(home, '.dockercfg'), JSON.stringify({ 'c.io': auth('old:3') }));
    await writeFile(join(folder, 'empty'), '');
    const env = { HOME: home, REGISTRY_AUTH_FILE: join(folder, 'empty') };
    const store = fileCredentials(env, credentialHelpers(env));
    const found = await Promise.all(
      ['a.io', 'b.io', 'c.io', 'd.io'].map(async (host) => shown(await store.find(host, 'x/y'))),
    );
    expect(found).toEqual(['docker:1', 'podman:2', 'old:3', undefined]);
    expect((await store.find('b.io', 'x/y'))?.from).toBe(
      join(home, '.config/containers/auth.json'),
    );
  });
});

describe('helpers', () => {
  const scripts: Readonly<Record<string, string>> = {
    good: 'read server; echo "{\\"ServerURL\\":\\"$server\\",\\"Username\\":\\"ann@$server\\",\\"Secret\\":\\"pw\\"}"',
    token: 'echo \'{"Username":"<token>","Secret":"t"}\'',
    none: 'echo "credentials not found in native keychain"; exit 1',
    broken: 'echo s3cret; echo s3cret >&2; exit 3',
    garbage: 'echo s3cret',
    forbidden: 'echo s3cret',
    slow: 'exec sleep 60',
    noisy: 'exec yes s3cret',
    counted:
      'echo ran >> "$0.log"; read server; echo "{\\"Username\\":\\"$server\\",\\"Secret\\":\\"pw\\"}"',
    failing: 'echo ran >> "$0.log"; exit 3',
    asked: 'echo "{\\"Username\\":\\"$0 $*\\",\\"Secret\\":\\"pw\\"}"',
    stderr:
      '[ /dev/fd/2 -ef /dev/null ] && to=nowhere; echo "{\\"Username\\":\\"$to\\",\\"Secret\\":\\"pw\\"}"',
  };

  beforeAll(async () => {
    for (const [name, script] of Object.entries(scripts)) {
      const file = join(folder, `docker-credential-${name}`);
      await writeFile(file, `#!/bin/sh\n${script}\n`);
      await chmod(file, name === 'forbidden' ? 0o644 : 0o755);
    }
  });

  test.each([
    { name: 'good', want: 'ann@a.io:pw' },
    { name: 'token', want: 'identity t' },
    { name: 'none', want: undefined },
  ])('$name gives $want', async ({ name, want }) => {
    expect(shown(await ask(name))).toBe(want);
  });

  test('`asked` receives the server only on stdin, where `ps` does not show it', async () => {
    expect(shown(await ask('asked'))).toBe(`${folder}/docker-credential-asked get:pw`);
  });

  test('`stderr` shows that its stderr is discarded', async () => {
    expect(shown(await ask('stderr'))).toBe('nowhere:pw');
  });

  test.each(['../good', '/bin/sh', 'good;id', 'good get', 'good\n', ''])(
    '`%s` is an invalid name and is never run',
    async (name) => {
      await expect(ask(name)).rejects.toThrow(/not allowed/);
    },
  );

  test.each(['broken', 'garbage', 'slow', 'noisy', 'absent', 'forbidden'])(
    '`%s` is an error without its output',
    async (name) => {
      const failure = await ask(name).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'UNAUTHORIZED' });
      expect(String(failure)).not.toContain('s3cret');
    },
  );

  test.each([
    { name: 'absent', hint: /on the PATH/ },
    { name: 'forbidden', hint: /executable/ },
    { name: 'slow', hint: /by hand/ },
    { name: 'broken', hint: /to see why/ },
  ])('`$name` is an error with a hint', async ({ name, hint }) => {
    await expect(ask(name)).rejects.toMatchObject({
      hint: expect.stringMatching(hint) as string,
    });
  });

  test('take precedence over stored entries, and specific helpers over the default one', async () => {
    const home = join(folder, 'helped');
    await mkdir(join(home, '.docker'), { recursive: true });
    await writeFile(
      join(home, '.docker/config.json'),
      JSON.stringify({
        auths: { 'a.io': auth('stored:1'), 'b.io': auth('stored:2') },
        credsStore: 'none',
        credHelpers: { 'a.io': 'good' },
      }),
    );
    const env = { HOME: home, PATH: `${folder}:/usr/bin:/bin` };
    const store = fileCredentials(env, credentialHelpers(env));
    expect(shown(await store.find('a.io', 'x/y'))).toBe('ann@a.io:pw');
    expect(shown(await store.find('b.io', 'x/y'))).toBe('stored:2');
    expect((await store.find('a.io', 'x/y'))?.from).toBe('docker-credential-good');
  });

  test.each([
    { name: 'counted', want: ['a.io:pw', 'a.io:pw', 'b.io:pw', 'a.io:pw'] },
    { name: 'failing', want: Array(4).fill('UNAUTHORIZED') as string[] },
  ])(
    '`$name` is run once for each server, by concurrent and later calls',
    async ({ name, want }) => {
      const home = join(folder, name);
      await mkdir(join(home, '.docker'), { recursive: true });
      await writeFile(join(home, '.docker/config.json'), JSON.stringify({ credsStore: name }));
      const env = { HOME: home, PATH: `${folder}:/usr/bin:/bin` };
      const store = fileCredentials(env, credentialHelpers(env));
      const find = (host: string, path: string) =>
        store.find(host, path).then(shown, (error: unknown) => (error as SourceError).code);
      const together = [find('a.io', 'x/y'), find('a.io', 'x/z'), find('b.io', 'x/y')];
      expect([...(await Promise.all(together)), await find('a.io', 'x/w')]).toEqual(want);
      const log = await readFile(join(folder, `docker-credential-${name}.log`), 'utf8');
      expect(log).toBe('ran\nran\n');
    },
  );
});
