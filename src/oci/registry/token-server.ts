import { addressClass } from './address-rules.js';
import { readBody } from './body.js';
import { basicAuthorization, type Credentials, Secret } from './credentials.js';
import {
  HostUnreachableError,
  isTransientStatus,
  retryAfterMs,
  type RetryPolicy,
  TransientError,
} from './retry.js';
import { type HttpRequest, shownUrl, type Transport } from './transport.js';
import { getOrCreate } from '../../base/collections.js';
import { SourceError } from '../../base/errors.js';
import { printable } from '../../base/escape.js';
import { fieldsOf, stringOf } from '../../base/json.js';
import { type JsonShape, readJson } from '../../base/strict-json.js';
import type { Clock } from '../../base/time.js';
import { LIMITS } from '../image/limits.js';

interface TokenRequest {
  readonly registry: URL;
  readonly realm: URL;
  readonly service: string | undefined;
  readonly scope: string;
  readonly credentials: Exclude<Credentials, { kind: 'bearer' }> | undefined;
}

interface Token {
  readonly value: Secret;
  /** In milliseconds since the epoch. */
  readonly expiresAt: number;
}

const DEFAULT_LIFE_SECONDS = 60;
/** A token is renewed this long before it expires, because the request also takes time. */
const EXPIRY_MARGIN_MS = 5_000;
const HEADER_SAFE = /^[\x21-\x7e]+$/;

/** Requests a token. Redirects are not followed, so that no other host receives credentials. */
export async function fetchToken(
  transport: Transport,
  request: TokenRequest,
  timing: { readonly clock: Clock; readonly policy: RetryPolicy },
): Promise<Token> {
  const subject = request.realm.host;
  const response = await transport(tokenHttpRequest(request)).catch((error: unknown) => {
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
        : `the token server refused a token for \`${request.scope}\` (${response.status})`,
      { hint: signInHint(request.credentials) },
    );
  }
  const body = await readBody(response, LIMITS.tokenBytes, { subject, clock: timing.clock });
  return parseToken(body, subject, timing.clock);
}

export function signInHint(credentials: Credentials | undefined): string {
  if (credentials === undefined) {
    return 'no credentials were found for this registry: sign in with `docker login` or `crane auth login`, or give a pull secret';
  }
  const from = credentials.from === undefined ? '' : `, from \`${credentials.from}\`,`;
  return `the credentials found for this registry${from} were refused: check that they are still valid and allow this`;
}

function tokenHttpRequest({
  registry,
  realm,
  service,
  scope,
  credentials,
}: TokenRequest): HttpRequest {
  const url = new URL(realm);
  const referrer = { registry, as: 'token server' } as const;
  const parameters = Object.entries({ ...(service !== undefined && { service }), scope });
  if (credentials?.kind === 'identity') {
    const form = new URLSearchParams([
      ['grant_type', 'refresh_token'],
      ['client_id', 'xpkg-resolve'],
      ['refresh_token', credentials.token.reveal()],
      ...parameters,
    ]);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return { method: 'POST', url, headers, body: form.toString(), referrer };
  }
  for (const [name, value] of parameters) url.searchParams.set(name, value);
  if (credentials === undefined) return { method: 'GET', url, headers: {}, referrer };
  const authorization = basicAuthorization(credentials.username, credentials.password);
  return { method: 'GET', url, headers: { authorization }, referrer };
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

function parseToken(body: Uint8Array, subject: string, clock: Clock): Token {
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
  const seconds = typeof expiresIn === 'number' && expiresIn > 0 ? expiresIn : DEFAULT_LIFE_SECONDS;
  return { value: new Secret(value), expiresAt: clock.now() + seconds * 1000 - EXPIRY_MARGIN_MS };
}

/**
 * Returns the token server URL of a challenge. Throws if it is not allowed.
 *
 * The registry chooses where credentials are sent, so the URL is checked before they are looked up:
 * no downgrade to plain HTTP, no user in the URL, and no private address (such as a metadata
 * service) unless the registry has an address of the same class.
 */
export function validatedRealm(realm: string, registry: URL): URL {
  const refuse = (why: string) =>
    new SourceError(
      'UNAUTHORIZED',
      registry.host,
      `the registry sends to the token server \`${shownRealm(realm)}\`, which is refused: ${why}`,
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

function shownRealm(realm: string): string {
  return URL.canParse(realm) ? shownUrl(new URL(realm)) : printable(realm);
}

interface RegistryPath {
  readonly registry: URL;
  readonly path: string;
}

/**
 * Remembers the first token server of each registry.
 *
 * A registry that changes its token server during a run may be compromised, so no credentials are
 * sent there. The path may differ between repositories, because some registries build it from the
 * repository name.
 */
export class RealmPinning {
  readonly #byRegistry = new Map<string, URL>();
  readonly #byRepository = new Map<string, URL>();

  /** Throws if the registry named another realm before. */
  check({ registry, path }: RegistryPath, realm: URL): void {
    const first = getOrCreate(this.#byRegistry, registry.origin, () => realm);
    const own = getOrCreate(this.#byRepository, `${registry.origin}/${path}`, () => realm);
    if (first.origin !== realm.origin) throw realmChanged(registry, first, realm);
    if (own.href !== realm.href) throw realmChanged(registry, own, realm);
  }
}

function realmChanged(registry: URL, first: URL, realm: URL): SourceError {
  return new SourceError(
    'UNAUTHORIZED',
    registry.host,
    `the registry now sends to the token server \`${shownUrl(realm)}\`, and to \`${shownUrl(first)}\` before, which is refused`,
    {
      hint: 'no credential was sent to the new one; run again if the registry has just been moved, and ask its owner otherwise',
    },
  );
}
