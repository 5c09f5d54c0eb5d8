import { InputError } from '../../model/input-error.js';
import type { Credentials } from './credentials.js';
import { fieldsOf, parseJson, stringOf } from '../../text/json.js';
import { Secret } from './secret.js';

/** What a `config.json`, `auth.json`, `.dockercfg` or pull secret says about credentials. */
export interface DockerConfig {
  /** Where it was read; for messages. */
  readonly file: string;
  readonly auths: ReadonlyMap<string, Credentials>;
  /** Helper by registry, or by repository prefix. */
  readonly credHelpers: ReadonlyMap<string, string>;
  /** Helper for everything else. */
  readonly credsStore: string | undefined;
}

/** Reads such a file. No message repeats a value of it, which may be a secret. */
export function parseDockerConfig(text: string, file: string): DockerConfig {
  const fields = fieldsOf(parseJson(text)?.value);
  if (fields === undefined) {
    throw new InputError('not a JSON object with registry credentials', { origin: { file } });
  }
  const modern = ['auths', 'credHelpers', 'credsStore'].some((key) => fields.has(key));
  const helpers = new Map<string, string>();
  for (const [place, helper] of fieldsOf(fields.get('credHelpers')) ?? []) {
    if (typeof helper === 'string') helpers.set(normalPlace(place), helper);
  }
  return {
    file,
    // `.dockercfg` has the entries at its root.
    auths: authsFrom(modern ? fieldsOf(fields.get('auths')) : fields),
    credHelpers: helpers,
    credsStore: stringOf(fields.get('credsStore')) || undefined,
  };
}

function authsFrom(entries: ReadonlyMap<string, unknown> | undefined): Map<string, Credentials> {
  const auths = new Map<string, Credentials>();
  for (const [place, entry] of entries ?? []) {
    const credentials = credentialsFrom(entry);
    if (credentials !== undefined) auths.set(normalPlace(place), credentials);
  }
  return auths;
}

function credentialsFrom(entry: unknown): Credentials | undefined {
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

/** A helper that stores an identity token says so by its user name. */
export function basicOrIdentity(username: string, password: string): Credentials {
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

/** The host and path in a key of a config: `index.docker.io` from `https://index.docker.io/v1/`. */
function normalPlace(place: string): string {
  const bare = place
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '')
    .replace(/\/v[12]$/, '');
  const slash = bare.indexOf('/');
  const host = slash < 0 ? bare : bare.slice(0, slash);
  return DOCKER_HUB.has(host) ? `index.docker.io${bare.slice(host.length)}` : bare;
}

/** The entry whose key is the longest prefix of `path` at `host`. */
export function entryFor<T>(
  entries: ReadonlyMap<string, T>,
  host: string,
  path: string,
): T | undefined {
  const wanted = normalPlace(`${host}/${path}`);
  let best: { readonly length: number; readonly value: T } | undefined;
  for (const [place, value] of entries) {
    if (holds(place, wanted) && place.length > (best?.length ?? 0)) {
      best = { length: place.length, value };
    }
  }
  return best?.value;
}

/** Whether a key covers a path, by whole segments; `*` is one label of the host, as in Kubernetes. */
function holds(place: string, wanted: string): boolean {
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

/** The server name that a helper knows a host by; for Docker Hub it is an old URL. */
export function helperServer(host: string): string {
  return DOCKER_HUB.has(host) ? 'https://index.docker.io/v1/' : host;
}
