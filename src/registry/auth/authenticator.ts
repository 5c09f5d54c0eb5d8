import { SourceError } from '../../model/source-error.js';
import { parseChallenges, type Challenge } from './challenge.js';
import { basicAuthorization, type CredentialStore, type Credentials } from './credentials.js';
import { FirstRealms } from './first-realms.js';
import { checkedRealm } from './realm.js';
import type { RetryPolicy } from '../retry.js';
import type { Clock } from '../../model/time/clock.js';
import { fetchToken, signInHint } from './token.js';
import type { Transport } from '../transport/transport.js';

/** What access a request needs, and the credentials to get it with. */
export interface AuthScope {
  readonly registry: URL;
  /** The host as packages name it, port included; credentials are looked up by it. */
  readonly host: string;
  readonly path: string;
  readonly actions: 'pull' | 'pull,push';
  readonly credentials: CredentialStore;
}

/** How a registry wants requests to be authorized, from its challenge. */
type AuthMethod =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: URL; readonly service: string | undefined };

/**
 * Finds the Authorization header for a request.
 *
 * No credential is sent before a registry answers 401; its challenge is remembered, so that later
 * requests need no 401.
 */
export class Authenticator {
  readonly #transport: Transport;
  readonly #timing: { readonly clock: Clock; readonly policy: RetryPolicy };
  readonly #methods = new Map<string, AuthMethod>();
  readonly #realms = new FirstRealms();
  readonly #headers = new WeakMap<CredentialStore, Map<string, Promise<Authorization>>>();

  constructor(
    transport: Transport,
    timing: { readonly clock: Clock; readonly policy: RetryPolicy },
  ) {
    this.#transport = transport;
    this.#timing = timing;
  }

  /** The header for a registry whose challenge is known; undefined: it has sent none. */
  async header(scope: AuthScope): Promise<string | undefined> {
    const method = this.#methods.get(scope.registry.origin);
    if (method === undefined) return undefined;
    const { clock } = this.#timing;
    const held = await this.#held(scope, method, ({ expiresAt }) => expiresAt > clock.now());
    return held.header;
  }

  /**
   * The header to try again with, after `refused` (undefined: none was sent) got a 401.
   * undefined: there is nothing better to try.
   */
  async answer(
    scope: AuthScope,
    challenge: string | undefined,
    refused: string | undefined,
  ): Promise<string | undefined> {
    const method = methodIn(challenge ?? '', scope.registry);
    if (method.scheme === 'bearer') this.#realms.check(scope, method.realm);
    this.#methods.set(scope.registry.origin, method);
    const { header } = await this.#held(scope, method, (held) => held.header !== refused);
    return header === refused ? undefined : header;
  }

  /** Credentials behind the last header; undefined: no header was made. */
  async credentialsSent(scope: AuthScope): Promise<Credentials | 'anonymous' | undefined> {
    const held = await this.#headersOf(scope.credentials).get(keyOf(scope));
    return held && (held.credentials ?? 'anonymous');
  }

  /** The header that is known or being made, if `useful`; else a new one, made once for all callers. */
  async #held(
    scope: AuthScope,
    method: AuthMethod,
    useful: (held: Authorization) => boolean,
  ): Promise<Authorization> {
    const known = this.#headersOf(scope.credentials);
    for (;;) {
      const pending = known.get(keyOf(scope));
      if (pending === undefined) return this.#renew(scope, method, known);
      const held = await pending;
      if (useful(held)) return held;
      // Another caller may have renewed it during the await: then its header is looked at.
      if (known.get(keyOf(scope)) === pending) return this.#renew(scope, method, known);
    }
  }

  #headersOf(credentials: CredentialStore): Map<string, Promise<Authorization>> {
    const known = this.#headers.get(credentials) ?? new Map<string, Promise<Authorization>>();
    this.#headers.set(credentials, known);
    return known;
  }

  async #renew(
    scope: AuthScope,
    method: AuthMethod,
    known: Map<string, Promise<Authorization>>,
  ): Promise<Authorization> {
    const key = keyOf(scope);
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
      return lasting(`Bearer ${credentials.token.reveal()}`, credentials);
    }
    if (method.scheme === 'basic') return lasting(basicHeader(scope, credentials), credentials);
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
  /** What the header was made from; undefined: an anonymous token. */
  readonly credentials: Credentials | undefined;
}

function lasting(header: string, credentials: Credentials | undefined): Authorization {
  return { header, expiresAt: Infinity, credentials };
}

function keyOf({ registry, path, actions }: AuthScope): string {
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

function methodIn(header: string, registry: URL): AuthMethod {
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
  const realm = checkedRealm(parameters.get('realm') ?? '', registry);
  return { scheme: 'bearer', realm, service: parameters.get('service') };
}
