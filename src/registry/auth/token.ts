import { SourceError } from '../../model/source-error.js';
import { readBody } from '../body.js';
import { basicAuthorization, type Credentials } from './credentials.js';
import { fieldsOf, parseJson, stringOf } from '../../text/json.js';
import { LIMITS } from '../../image/limits.js';
import { HostUnreachable } from '../transport/host-unreachable.js';
import { isTransientStatus, retryAfterMs, TransientFailure, type RetryPolicy } from '../retry.js';
import type { Clock } from '../../model/time/clock.js';
import { Secret } from './secret.js';
import type { HttpRequest, Transport } from '../transport/transport.js';

interface TokenRequest {
  readonly registry: URL;
  readonly realm: URL;
  readonly service: string | undefined;
  readonly scope: string;
  readonly credentials: Exclude<Credentials, { kind: 'bearer' }> | undefined;
}

interface Token {
  readonly value: Secret;
  /** In milliseconds, by the clock that fetched it. */
  readonly expiresAt: number;
}

const DEFAULT_LIFE_SECONDS = 60;
/** A token is renewed this long before it expires, because it could expire on the way. */
const EXPIRY_MARGIN_MS = 5_000;
const HEADER_SAFE = /^[\x21-\x7e]+$/;

/** Asks a token server for a token. Redirects are not followed: no other host gets credentials. */
export async function fetchToken(
  transport: Transport,
  request: TokenRequest,
  timing: { readonly clock: Clock; readonly policy: RetryPolicy },
): Promise<Token> {
  const subject = request.realm.host;
  const response = await transport(httpRequest(request)).catch((error: unknown) => {
    throw error instanceof HostUnreachable ? error.withRole('the token server') : error;
  });
  if (response.status !== 200) {
    await response.discard();
    if (isTransientStatus(response.status)) {
      throw new TransientFailure(`the token server answered ${response.status}`, {
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
  return tokenFrom(Buffer.from(body).toString('utf8'), subject, timing.clock);
}

export function signInHint(credentials: Credentials | undefined): string {
  if (credentials === undefined) {
    return 'no credentials were found for this registry: sign in with `docker login` or `crane auth login`, or give a pull secret';
  }
  const from = credentials.from === undefined ? '' : `, from \`${credentials.from}\`,`;
  return `the credentials found for this registry${from} were refused: check that they are still valid and allow this`;
}

function httpRequest({ registry, realm, service, scope, credentials }: TokenRequest): HttpRequest {
  const url = new URL(realm);
  const referrer = { registry, as: 'token server' } as const;
  const parameters: [string, string][] = [
    ...(service === undefined ? [] : [['service', service] satisfies [string, string]]),
    ['scope', scope],
  ];
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
  const headers: Record<string, string> =
    credentials === undefined
      ? {}
      : { authorization: basicAuthorization(credentials.username, credentials.password) };
  return { method: 'GET', url, headers, referrer };
}

function tokenFrom(text: string, subject: string, clock: Clock): Token {
  const answer = fieldsOf(parseJson(text)?.value);
  const value = stringOf(answer?.get('token')) || stringOf(answer?.get('access_token'));
  if (value === undefined || !HEADER_SAFE.test(value)) {
    throw new SourceError('UNAUTHORIZED', subject, 'the token server answered without a token');
  }
  const told = answer?.get('expires_in');
  const seconds = typeof told === 'number' && told > 0 ? told : DEFAULT_LIFE_SECONDS;
  return { value: new Secret(value), expiresAt: clock.now() + seconds * 1000 - EXPIRY_MARGIN_MS };
}
