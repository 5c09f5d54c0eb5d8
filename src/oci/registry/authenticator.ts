import { basicAuthorization, type Credentials, type CredentialStore } from './credentials.js';
import type { RetryPolicy } from './retry.js';
import { validatedRealm, fetchToken, RealmPinning, signInHint } from './token-server.js';
import type { Transport } from './transport.js';
import { getOrCreate } from '../../base/collections.js';
import { SourceError } from '../../base/errors.js';
import type { Clock } from '../../base/time.js';

/** The access that a request needs, and the credentials for it. */
export interface AuthScope {
  readonly registry: URL;
  /** Host as in package names, with port. Credentials are looked up by it. */
  readonly host: string;
  readonly path: string;
  readonly actions: 'pull' | 'pull,push';
  readonly credentials: CredentialStore;
}

/** Authentication method, from the registry's challenge. */
type AuthMethod =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: URL; readonly service: string | undefined };

/**
 * Provides the Authorization header of a request.
 *
 * Credentials are sent only after a 401. The challenge is remembered, so that later requests do not
 * need another 401.
 */
export class Authenticator {
  readonly #transport: Transport;
  readonly #timing: { readonly clock: Clock; readonly policy: RetryPolicy };
  readonly #methods = new Map<string, AuthMethod>();
  readonly #realms = new RealmPinning();
  readonly #authorizations = new WeakMap<CredentialStore, Map<string, Promise<Authorization>>>();

  constructor(
    transport: Transport,
    timing: { readonly clock: Clock; readonly policy: RetryPolicy },
  ) {
    this.#transport = transport;
    this.#timing = timing;
  }

  /** Returns the header for a registry with a known challenge, else undefined. */
  async header(scope: AuthScope): Promise<string | undefined> {
    const method = this.#methods.get(scope.registry.origin);
    if (method === undefined) return undefined;
    const { clock } = this.#timing;
    const authorization = await this.#current(
      scope,
      method,
      ({ expiresAt }) => expiresAt > clock.now(),
    );
    return authorization.header;
  }

  /**
   * Returns the header for a retry after a 401. `refused` is the rejected header; undefined if none
   * was sent. Returns undefined if there is no other header to try.
   */
  async headerForRetry(
    scope: AuthScope,
    challenge: string | undefined,
    refused: string | undefined,
  ): Promise<string | undefined> {
    const method = parseMethod(challenge ?? '', scope.registry);
    if (method.scheme === 'bearer') this.#realms.check(scope, method.realm);
    this.#methods.set(scope.registry.origin, method);
    const { header } = await this.#current(
      scope,
      method,
      (authorization) => authorization.header !== refused,
    );
    return header === refused ? undefined : header;
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
    for (;;) {
      const pending = known.get(scopeKey(scope));
      if (pending === undefined) return this.#renew(scope, method, known);
      const authorization = await pending;
      if (isUsable(authorization)) return authorization;
      // If another caller renewed it during the await, the loop checks the new header.
      if (known.get(scopeKey(scope)) === pending) return this.#renew(scope, method, known);
    }
  }

  #cachedFor(credentials: CredentialStore): Map<string, Promise<Authorization>> {
    return getOrCreate(
      this.#authorizations,
      credentials,
      () => new Map<string, Promise<Authorization>>(),
    );
  }

  async #renew(
    scope: AuthScope,
    method: AuthMethod,
    known: Map<string, Promise<Authorization>>,
  ): Promise<Authorization> {
    const key = scopeKey(scope);
    const pending = this.#authorization(scope, method);
    known.set(key, pending);
    try {
      return await pending;
    } catch (error) {
      if (known.get(key) === pending) known.delete(key);
      throw error;
    }
  }

  async #authorization(scope: AuthScope, method: AuthMethod): Promise<Authorization> {
    const credentials = await scope.credentials.find(scope.host, scope.path);
    if (credentials?.kind === 'bearer') {
      return permanent(`Bearer ${credentials.token.reveal()}`, credentials);
    }
    if (method.scheme === 'basic') return permanent(basicHeader(scope, credentials), credentials);
    const token = await fetchToken(
      this.#transport,
      {
        registry: scope.registry,
        realm: method.realm,
        service: method.service,
        scope: `repository:${scope.path}:${scope.actions}`,
        credentials,
      },
      this.#timing,
    );
    const header = `Bearer ${token.value.reveal()}`;
    return { header, expiresAt: token.expiresAt, credentials };
  }
}

interface Authorization {
  readonly header: string;
  readonly expiresAt: number;
  /** Credentials behind the header; undefined for an anonymous token. */
  readonly credentials: Credentials | undefined;
}

function permanent(header: string, credentials: Credentials | undefined): Authorization {
  return { header, expiresAt: Infinity, credentials };
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
  if (bearer !== undefined) return bearerMethod(bearer, registry);
  if (challenges.some(({ scheme }) => scheme === 'basic')) return { scheme: 'basic' };
  throw new SourceError(
    'UNAUTHORIZED',
    registry.host,
    'the registry refuses access and names no way to sign in that this tool knows (Basic, Bearer)',
  );
}

function bearerMethod({ parameters }: Challenge, registry: URL): AuthMethod {
  const realm = validatedRealm(parameters.get('realm') ?? '', registry);
  return { scheme: 'bearer', realm, service: parameters.get('service') };
}

/** One challenge of a WWW-Authenticate header. */
interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** Parameters by lower-case name. */
  readonly parameters: ReadonlyMap<string, string>;
}

const MAX_HEADER_CHARS = 8_192;
const TOKEN = /[^\s,="]+/y;
const SEPARATORS = /[\s,]*/y;
const EQUALS = /[ \t]*=[ \t]*/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;

/** Parses WWW-Authenticate into challenges with parameters. Stops at the first syntax error. */
export function parseChallenges(header: string): readonly Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
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
    const value = quoted === undefined ? take(TOKEN)?.[0] : unescaped(quoted[1]!);
    if (value === undefined) break;
    challenges.at(-1)?.parameters.set(word, value);
  }
  return challenges;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}
