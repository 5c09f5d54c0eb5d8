import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Credentials,
  type CredentialStore,
  combinedCredentials,
  Secret,
} from './credentials.js';
import { getOrCreate } from '../../base/collections.js';
import { InputError, SourceError } from '../../base/errors.js';
import { shellWord } from '../../base/escape.js';
import { codeOf, undefinedIfAbsent } from '../../base/files/file-system.js';
import { fieldsOf, stringOf } from '../../base/json.js';
import { killChildGroup, withChildGroup } from '../../base/process.js';
import { type JsonShape, readJson } from '../../base/strict-json.js';
import type { TimeBudget } from '../../base/time.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the credential files of docker, podman and others, in lookup order. */
export function credentialFiles(env: Env): readonly string[] {
  const home = env['HOME'] ?? env['USERPROFILE'];
  const docker = env['DOCKER_CONFIG'] || (home === undefined ? undefined : join(home, '.docker'));
  const config = env['XDG_CONFIG_HOME'] || (home === undefined ? undefined : join(home, '.config'));
  return [
    ...new Set([
      ...fileBelow(docker, 'config.json'),
      ...fileBelow(env['REGISTRY_AUTH_FILE']),
      ...fileBelow(env['XDG_RUNTIME_DIR'], 'containers', 'auth.json'),
      ...fileBelow(config, 'containers', 'auth.json'),
      ...fileBelow(home, '.docker', 'config.json'),
      ...fileBelow(home, '.dockercfg'),
    ]),
  ];
}

function fileBelow(folder: string | undefined, ...path: readonly string[]): readonly string[] {
  return folder === undefined || folder === '' ? [] : [join(folder, ...path)];
}

/** Returns a store for the files of `credentialFiles`, each of which is read once, on demand. */
export function fileCredentials(env: Env, askHelper: AskHelper): CredentialStore {
  const load = async (file: string) => configCredentials(await readConfig(file), askHelper);
  let loading: Promise<CredentialStore> | undefined;
  return {
    find: async (host, path) => {
      loading ??= Promise.all(credentialFiles(env).map(load)).then(combinedCredentials);
      return (await loading).find(host, path);
    },
  };
}

/** Returns a store for one config: first the credential helper, then the entries of the file. */
export function configCredentials(
  config: DockerConfig | undefined,
  askHelper: AskHelper,
): CredentialStore {
  return {
    find: async (host, path) => {
      if (config === undefined) return undefined;
      const helper = longestPrefixEntry(config.credHelpers, host, path) ?? config.credsStore;
      if (helper !== undefined) {
        // For Docker Hub, helpers use a legacy URL.
        const server = DOCKER_HUB.has(host) ? 'https://index.docker.io/v1/' : host;
        const found = await askHelper(helper, server);
        if (found !== undefined) return { ...found, from: `docker-credential-${helper}` };
      }
      const entry = longestPrefixEntry(config.auths, host, path);
      return entry && { ...entry, from: config.file };
    },
  };
}

async function readConfig(file: string): Promise<DockerConfig | undefined> {
  const text = await undefinedIfAbsent(readFile(file, 'utf8')).catch((error: unknown) => {
    throw new InputError(`cannot be read (${codeOf(error)})`, { origin: { file }, cause: error });
  });
  return text === undefined || text.trim() === '' ? undefined : parseDockerConfig(text, file);
}

/** The credentials in a `config.json`, `auth.json`, `.dockercfg` or pull secret. */
interface DockerConfig {
  /** Path of the file; for messages. */
  readonly file: string;
  readonly auths: ReadonlyMap<string, Credentials>;
  /** Helper by registry or repository prefix. */
  readonly credHelpers: ReadonlyMap<string, string>;
  /** Helper for all other registries. */
  readonly credsStore: string | undefined;
}

/** The fields of go-containerregistry's `authn.AuthConfig`. */
const ENTRY_SHAPE: JsonShape = {
  fields: {
    username: 'string',
    password: 'string',
    auth: 'string',
    identitytoken: 'string',
    registrytoken: 'string',
  },
};

const CONFIG_SHAPE: JsonShape = {
  fields: {
    auths: { each: ENTRY_SHAPE },
    credHelpers: { each: 'string' },
    credsStore: 'string',
  },
};

/** Parses a credential file. Messages never contain its values, which may be secret. */
export function parseDockerConfig(text: string, file: string): DockerConfig {
  const json = readJson(text, CONFIG_SHAPE);
  const fields = 'value' in json ? fieldsOf(json.value) : undefined;
  if (fields === undefined) {
    const why = 'problem' in json ? `: it ${json.problem}` : '';
    throw new InputError(`not a JSON object with registry credentials${why}`, { origin: { file } });
  }
  const modern = ['auths', 'credHelpers', 'credsStore'].some((key) => fields.has(key));
  return {
    file,
    // `.dockercfg` has the entries at its root.
    auths: normalizedEntries(modern ? fieldsOf(fields.get('auths')) : fields, parseCredentials),
    credHelpers: normalizedEntries(fieldsOf(fields.get('credHelpers')), stringOf),
    credsStore: stringOf(fields.get('credsStore')) || undefined,
  };
}

/** Returns the parsed entries by normalized key, without those that cannot be parsed. */
function normalizedEntries<T>(
  entries: ReadonlyMap<string, unknown> | undefined,
  parse: (entry: unknown) => T | undefined,
): ReadonlyMap<string, T> {
  const parsed = Array.from(entries ?? [], ([key, entry]) => [key, parse(entry)] as const);
  return new Map(
    parsed.flatMap(([key, value]) => (value === undefined ? [] : [[normalizedKey(key), value]])),
  );
}

function parseCredentials(entry: unknown): Credentials | undefined {
  const fields = fieldsOf(entry);
  const text = (key: string) => stringOf(fields?.get(key)) || undefined;
  const registryToken = text('registrytoken');
  if (registryToken !== undefined) return { kind: 'bearer', token: new Secret(registryToken) };
  const identityToken = text('identitytoken');
  if (identityToken !== undefined) return { kind: 'identity', token: new Secret(identityToken) };
  const [username, password] = userAndPassword(text('auth')) ?? [
    text('username'),
    text('password'),
  ];
  if (username === undefined || password === undefined) return undefined;
  return basicOrIdentity(username, password);
}

/** A helper marks an identity token with this user name. */
function basicOrIdentity(username: string, password: string): Credentials {
  return username === '<token>'
    ? { kind: 'identity', token: new Secret(password) }
    : { kind: 'basic', username, password: new Secret(password) };
}

function userAndPassword(auth: string | undefined): [string, string] | undefined {
  if (auth === undefined) return undefined;
  const text = Buffer.from(auth, 'base64')
    .toString('utf8')
    .replace(/(?<!\0)\0+$/, '');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : [text.slice(0, colon), text.slice(colon + 1)];
}

const DOCKER_HUB = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']);

/** Normalizes a key of a config: `index.docker.io` for `https://index.docker.io/v1/`. */
function normalizedKey(place: string): string {
  const bare = place
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '')
    .replace(/\/v[12]$/, '');
  const slash = bare.indexOf('/');
  const host = slash < 0 ? bare : bare.slice(0, slash);
  return DOCKER_HUB.has(host) ? `index.docker.io${bare.slice(host.length)}` : bare;
}

/** Returns the entry whose key is the longest prefix of `path` at `host`. */
export function longestPrefixEntry<T>(
  entries: ReadonlyMap<string, T>,
  host: string,
  path: string,
): T | undefined {
  const wanted = normalizedKey(`${host}/${path}`);
  let longest = '';
  for (const key of entries.keys()) {
    if (key.length > longest.length && covers(key, wanted)) longest = key;
  }
  return longest === '' ? undefined : entries.get(longest);
}

/** Whether a key covers a path, by whole segments. `*` matches one host label, as in Kubernetes. */
function covers(place: string, wanted: string): boolean {
  const [host, ...path] = place.split('/');
  const [wantedHost, ...wantedPath] = wanted.split('/');
  return (
    hostMatches(host!, wantedHost!) && path.every((segment, index) => segment === wantedPath[index])
  );
}

function hostMatches(pattern: string, host: string): boolean {
  if (!pattern.includes('*')) return pattern === host;
  const labels = pattern.split('.');
  const wanted = host.split('.');
  return (
    labels.length === wanted.length &&
    labels.every((label, index) => label === '*' || label === wanted[index])
  );
}

interface HelperOptions {
  readonly env: Env;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

type AskHelper = (name: string, server: string) => Promise<Credentials | undefined>;

const HELPER_TIMEOUT_MS = 30_000;

/** Runs credential helpers of this machine, once per server. Results and failures are cached. */
export function credentialHelpers(env: Env, budget?: TimeBudget): AskHelper {
  const results = new Map<string, ReturnType<AskHelper>>();
  const run: AskHelper = (name, server) => {
    const options = { env, timeoutMs: HELPER_TIMEOUT_MS, signal: budget?.signal };
    const answer = runCredentialHelper(name, server, options);
    return budget?.wait(`the credential helper \`${programOf(name)}\``, answer) ?? answer;
  };
  return (name, server) => {
    const key = JSON.stringify([name, server]);
    return getOrCreate(results, key, () => run(name, server));
  };
}

const HELPER_NAME = /^[A-Za-z0-9._-]+$/;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const NOT_FOUND = 'credentials not found in native keychain';

/** Runs `docker-credential-NAME` without a shell. Messages contain none of its secret output. */
export async function runCredentialHelper(
  name: string,
  server: string,
  options: HelperOptions,
): Promise<Credentials | undefined> {
  const program = programOf(name);
  const fail = (what: string, hint: string) =>
    new SourceError('UNAUTHORIZED', server, what, { hint });
  if (!HELPER_NAME.test(name)) {
    throw fail(
      'the Docker config names a credential helper whose name is not allowed',
      'a helper name has letters, digits, `.`, `_` and `-` only',
    );
  }
  const ran = await runHelper(program, server, options);
  if (ran.end === 'missing') {
    throw fail(
      `the Docker config names the credential helper \`${program}\`, which is not installed`,
      `put \`${program}\` on the PATH, or take it out of the Docker config`,
    );
  }
  if (ran.end === 'timeout') {
    throw fail(
      `\`${program}\` did not answer within ${options.timeoutMs} ms`,
      'it may be waiting for you: run it by hand once',
    );
  }
  if (ran.end === 'endless') {
    throw fail(
      `\`${program}\` printed more than ${MAX_OUTPUT_BYTES} bytes, which no credentials have`,
      `run \`echo ${shellWord(server)} | ${shellWord(program)} get\` to see what it prints`,
    );
  }
  if (ran.end === 'unusable') {
    throw fail(
      `the Docker config names the credential helper \`${program}\`, which cannot be run`,
      `make \`${program}\` executable, or take it out of the Docker config`,
    );
  }
  if (ran.end !== 0 && ran.output.includes(NOT_FOUND)) return undefined;
  const json = readJson(ran.output, { fields: { Username: 'string', Secret: 'string' } });
  const answer = 'value' in json ? fieldsOf(json.value) : undefined;
  const [user, secret] = [stringOf(answer?.get('Username')), stringOf(answer?.get('Secret'))];
  if (ran.end !== 0 || user === undefined || secret === undefined) {
    throw fail(
      `\`${program}\` failed (exit ${ran.end}); what it printed is not shown, for it may be secret`,
      `run \`echo ${shellWord(server)} | ${shellWord(program)} get\` to see why`,
    );
  }
  return basicOrIdentity(user, secret);
}

function programOf(name: string): string {
  return `docker-credential-${name}`;
}

interface HelperResult {
  /** Exit code, or why there is none. */
  readonly end: number | 'missing' | 'unusable' | 'timeout' | 'endless';
  readonly output: string;
}

/** Runs a helper in its own process group, which is killed if the helper fails. */
async function runHelper(
  program: string,
  input: string,
  { env, timeoutMs, signal }: HelperOptions,
): Promise<HelperResult> {
  const child = spawn(program, ['get'], {
    env: { ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
    shell: false,
    windowsHide: true,
    detached: true,
  });
  // A helper that exits without reading breaks the pipe; its exit code is enough.
  child.stdin.on('error', () => undefined).end(input);
  const result = new Promise<HelperResult>((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (ran: HelperResult) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onTimeout);
      resolve(ran);
    };
    const kill = (why: 'timeout' | 'endless') => {
      end({ end: why, output: '' });
      child.stdout.destroy();
      killChildGroup(child);
    };
    const onTimeout = () => kill('timeout');
    const timer = setTimeout(onTimeout, timeoutMs);
    signal?.addEventListener('abort', onTimeout);
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes > MAX_OUTPUT_BYTES) kill('endless');
    });
    child.on('error', (error: NodeJS.ErrnoException) =>
      end({ end: error.code === 'ENOENT' ? 'missing' : 'unusable', output: '' }),
    );
    child.on('close', (code) =>
      end({ end: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }),
    );
  });
  return withChildGroup(child, result);
}
