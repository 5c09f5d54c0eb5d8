import { basicAuthorization, type Credentials, type CredentialStore } from './credentials.js';
import {
  type RetryPolicy,
  HostUnreachableError,
  isTransientStatus,
  retryAfterMs,
  TransientError,
} from './retry.js';
import { type Transport, type HttpRequest, shownUrl } from './transport.js';
import { getOrCreate } from '../../base/collections.js';
import { SourceError } from '../../base/errors.js';
import type { Clock } from '../../base/time.js';
import { addressClass } from './address-rules.js';
import { readBody } from './body.js';
import { printable } from '../../base/escape.js';
import { fieldsOf, stringOf } from '../../base/json.js';
import { type JsonShape, readJson } from '../../base/strict-json.js';
import { LIMITS } from '../image/limits.js';

/** The access that a request needs, and the credentials for it. */
export interface AuthScope {
  readonly registry: URL;
  /** Host as in package names, with port. Credentials are looked up by it. */
  readonly host: string;
  readonly path: string;
  readonly actions: 'pull' | 'pull,push';
  readonly credentials: CredentialStore;
}

interface RetryTiming {
  readonly clock: Clock;
  readonly policy: RetryPolicy;
}

type AuthMethod =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: URL; readonly service: string | undefined };

/** Provides the Authorization header. Credentials are sent only after a 401. */
export class Authenticator {
  readonly #transport: Transport;
  readonly #timing: RetryTiming;
  readonly #methods = new Map<string, AuthMethod>();
  /** The first token server by registry, and by repository. */
  readonly #realms = new Map<string, URL>();
  readonly #authorizations = new WeakMap<CredentialStore, Map<string, Promise<Authorization>>>();

  constructor(transport: Transport, timing: RetryTiming) {
    this.#transport = transport;
    this.#timing = timing;
  }

  /** Returns the header for a registry with a known challenge, else undefined. */
  async header(scope: AuthScope): Promise<string | undefined> {
    const method = this.#methods.get(scope.registry.origin);
    if (method === undefined) return undefined;
    const now = () => this.#timing.clock.now();
    return (await this.#current(scope, method, ({ expiresAt }) => expiresAt > now())).header;
  }

  /** Returns another header than `refused` after a 401, or undefined if there is none to try. */
  async headerForRetry(
    scope: AuthScope,
    challenge: string | undefined,
    refused: string | undefined,
  ): Promise<string | undefined> {
    const method = parseMethod(challenge ?? '', scope.registry);
    if (method.scheme === 'bearer') this.#checkRealm(scope, method.realm);
    this.#methods.set(scope.registry.origin, method);
    const { header } = await this.#current(scope, method, (current) => current.header !== refused);
    return header === refused ? undefined : header;
  }

  /**
   * Throws if the registry named another token server before: it may be compromised, so no
   * credentials are sent there. The path may differ between repositories, because some registries
   * build it from the repository name.
   */
  #checkRealm({ registry, path }: AuthScope, realm: URL): void {
    const first = getOrCreate(this.#realms, registry.origin, () => realm);
    const own = getOrCreate(this.#realms, `${registry.origin}/${path}`, () => realm);
    if (first.origin === realm.origin && own.href === realm.href) return;
    const before = shownUrl(first.origin === realm.origin ? own : first);
    throw new SourceError(
      'UNAUTHORIZED',
      registry.host,
      `the registry now sends to the token server \`${shownUrl(realm)}\`, and to \`${before}\` before, which is refused`,
      {
        hint: 'no credential was sent to the new one; run again if the registry has just been moved, and ask its owner otherwise',
      },
    );
  }

  /** Returns the credentials behind the last header, or undefined if no header was created. */
  async credentialsSent(scope: AuthScope): Promise<Credentials | 'anonymous' | undefined> {
    const authorization = await this.#cachedFor(scope.credentials).get(scopeKey(scope));
    return authorization && (authorization.credentials ?? 'anonymous');
  }

  /** Returns the cached or pending header if `isUsable`, else a new one for all callers. */
  async #current(
    scope: AuthScope,
    method: AuthMethod,
    isUsable: (authorization: Authorization) => boolean,
  ): Promise<Authorization> {
    const known = this.#cachedFor(scope.credentials);
    const key = scopeKey(scope);
    for (;;) {
      const pending = known.get(key);
      const current = await pending;
      if (current !== undefined && isUsable(current)) return current;
      // If another caller renewed it during the await, the loop checks the new header.
      if (known.get(key) !== pending) continue;
      const renewed = this.#authorization(scope, method);
      known.set(key, renewed);
      return renewed.catch((error: unknown) => {
        if (known.get(key) === renewed) known.delete(key);
        throw error;
      });
    }
  }

  #cachedFor(credentials: CredentialStore): Map<string, Promise<Authorization>> {
    const make = () => new Map<string, Promise<Authorization>>();
    return getOrCreate(this.#authorizations, credentials, make);
  }

  async #authorization(scope: AuthScope, method: AuthMethod): Promise<Authorization> {
    const credentials = await scope.credentials.find(scope.host, scope.path);
    if (credentials?.kind === 'bearer') {
      const header = `Bearer ${credentials.token.reveal()}`;
      return { header, expiresAt: Infinity, credentials };
    }
    if (method.scheme === 'basic') {
      return { header: basicHeader(scope, credentials), expiresAt: Infinity, credentials };
    }
    return fetchToken(this.#transport, scope, { method, credentials }, this.#timing);
  }
}

interface Authorization {
  readonly header: string;
  readonly expiresAt: number;
  /** Credentials behind the header; undefined for an anonymous token. */
  readonly credentials: Credentials | undefined;
}

function scopeKey({ registry, path, actions }: AuthScope): string {
  return `${registry.origin}/${path}:${actions}`;
}

function basicHeader(scope: AuthScope, credentials: Credentials | undefined): string {
  if (credentials?.kind === 'basic') {
    return basicAuthorization(credentials.username, credentials.password);
  }
  throw new SourceError(
    'UNAUTHORIZED',
    `${scope.host}/${scope.path}`,
    'the registry wants a user name and a password',
    { hint: signInHint(undefined) },
  );
}

function parseMethod(header: string, registry: URL): AuthMethod {
  const challenges = parseChallenges(header);
  const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
  if (bearer !== undefined) {
    const { parameters } = bearer;
    const realm = validatedRealm(parameters.get('realm') ?? '', registry);
    return { scheme: 'bearer', realm, service: parameters.get('service') };
  }
  if (challenges.some(({ scheme }) => scheme === 'basic')) return { scheme: 'basic' };
  throw new SourceError(
    'UNAUTHORIZED',
    registry.host,
    'the registry refuses access and names no way to sign in that this tool knows (Basic, Bearer)',
  );
}

const MAX_HEADER_CHARS = 8_192;
const TOKEN = /[^\s,="]+/y;
const SEPARATORS = /[\s,]*/y;
const EQUALS = /[ \t]*=[ \t]*/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;

/** Parses WWW-Authenticate into challenges with parameters. Stops at the first syntax error. */
export function parseChallenges(header: string) {
  const challenges: { readonly scheme: string; readonly parameters: Map<string, string> }[] = [];
  const text = header.slice(0, MAX_HEADER_CHARS);
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match ?? undefined;
  };
  while (at < text.length) {
    take(SEPARATORS);
    const word = take(TOKEN)?.[0].toLowerCase();
    if (word === undefined) break;
    if (take(EQUALS) === undefined) {
      challenges.push({ scheme: word, parameters: new Map() });
      continue;
    }
    const quoted = take(QUOTED);
    const value = quoted === undefined ? take(TOKEN)?.[0] : quoted[1]!.replace(/\\(.)/g, '$1');
    if (value === undefined) break;
    challenges.at(-1)?.parameters.set(word, value);
  }
  return challenges;
}

interface TokenRequest {
  readonly method: Extract<AuthMethod, { scheme: 'bearer' }>;
  readonly credentials: Exclude<Credentials, { kind: 'bearer' }> | undefined;
}

const DEFAULT_LIFE_SECONDS = 60;
/** A token is renewed this long before it expires, because the request also takes time. */
const EXPIRY_MARGIN_MS = 5_000;
const HEADER_SAFE = /^[\x21-\x7e]+$/;

/** Requests a token. Redirects are not followed, so that no other host receives credentials. */
async function fetchToken(
  transport: Transport,
  { registry, path, actions }: AuthScope,
  { method: { realm, service }, credentials }: TokenRequest,
  timing: RetryTiming,
): Promise<Authorization> {
  const subject = realm.host;
  const scope = `repository:${path}:${actions}`;
  const parameters: Record<string, string> = service === undefined ? { scope } : { service, scope };
  const request = {
    ...tokenHttpRequest(realm, parameters, credentials),
    referrer: { registry, as: 'token server' },
  } as const;
  const response = await transport(request).catch((error: unknown) => {
    throw error instanceof HostUnreachableError ? error.withRole('the token server') : error;
  });
  if (response.status !== 200) {
    await response.discard();
    if (isTransientStatus(response.status)) {
      throw new TransientError(`the token server answered ${response.status}`, {
        retryAfterMs: retryAfterMs(response, timing.clock, timing.policy),
      });
    }
    throw new SourceError(
      'UNAUTHORIZED',
      subject,
      response.status < 400
        ? `the token server answered with a redirect (${response.status}), which is not followed`
        : `the token server refused a token for \`${scope}\` (${response.status})`,
      { hint: signInHint(credentials) },
    );
  }
  const body = await readBody(response, LIMITS.tokenBytes, { subject, clock: timing.clock });
  const token = parseToken(body, subject);
  const expiresAt = timing.clock.now() + token.lifeSeconds * 1000 - EXPIRY_MARGIN_MS;
  return { header: `Bearer ${token.value}`, expiresAt, credentials };
}

export function signInHint(credentials: Credentials | undefined): string {
  if (credentials === undefined) {
    return 'no credentials were found for this registry: sign in with `docker login` or `crane auth login`, or give a pull secret';
  }
  const from = credentials.from === undefined ? '' : `, from \`${credentials.from}\`,`;
  return `the credentials found for this registry${from} were refused: check that they are still valid and allow this`;
}

function tokenHttpRequest(
  realm: URL,
  parameters: Readonly<Record<string, string>>,
  credentials: TokenRequest['credentials'],
): HttpRequest {
  if (credentials?.kind === 'identity') {
    const form = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'xpkg-resolve',
      refresh_token: credentials.token.reveal(),
      ...parameters,
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return { method: 'POST', url: realm, headers, body: form.toString() };
  }
  const url = new URL(realm);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (credentials === undefined) return { method: 'GET', url, headers: {} };
  const authorization = basicAuthorization(credentials.username, credentials.password);
  return { method: 'GET', url, headers: { authorization } };
}

/** The fields of go-containerregistry's `transport.Token`. */
const TOKEN_SHAPE: JsonShape = {
  fields: {
    token: 'string',
    access_token: 'string',
    refresh_token: 'string',
    expires_in: 'integer',
  },
};

export function parseToken(body: Uint8Array, subject: string) {
  const json = readJson(body, TOKEN_SHAPE);
  if ('problem' in json) {
    const what = `the answer of the token server ${json.problem}`;
    throw new SourceError('UNAUTHORIZED', subject, what);
  }
  const answer = fieldsOf(json.value);
  const value = stringOf(answer?.get('token')) || stringOf(answer?.get('access_token'));
  if (value === undefined || !HEADER_SAFE.test(value)) {
    throw new SourceError('UNAUTHORIZED', subject, 'the token server answered without a token');
  }
  const expiresIn = answer?.get('expires_in');
  const isPositive = typeof expiresIn === 'number' && expiresIn > 0;
  return { value, lifeSeconds: isPositive ? expiresIn : DEFAULT_LIFE_SECONDS };
}

/**
 * Returns the token server URL of a challenge. The registry chooses it, so it must not downgrade to
 * plain HTTP, name a user, or have a private address unless the registry has one of the same class.
 */
export function validatedRealm(realm: string, registry: URL): URL {
  const refuse = (why: string) =>
    new SourceError(
      'UNAUTHORIZED',
      registry.host,
      `the registry sends to the token server \`${URL.canParse(realm) ? shownUrl(new URL(realm)) : printable(realm)}\`, which is refused: ${why}`,
      { hint: 'no credential was sent; if this registry is yours, correct its token realm' },
    );
  if (!URL.canParse(realm)) throw refuse('it is not a URL');
  const url = new URL(realm);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && registry.protocol === 'http:')) {
    throw refuse('it is not https');
  }
  if (url.username !== '' || url.password !== '') throw refuse('it names a user');
  const kind = addressClass(url.hostname);
  if (kind !== 'public' && kind !== addressClass(registry.hostname)) {
    throw refuse(`it is a ${kind} address and the registry is not`);
  }
  return url;
}
