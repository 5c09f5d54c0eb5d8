import { RefusedAddressError } from './address-rules.js';
import type { HttpResponse } from './transport.js';
import { codeOf } from '../../base/files/file-system.js';
import type { Clock } from '../../base/time.js';
import { SourceError } from '../../base/errors.js';

export const RETRY_POLICY = {
  maxTries: 4,
  baseMs: 500,
  maxWaitMs: 30_000,
  /** Time after the first attempt when no further attempt starts. */
  deadlineMs: 180_000,
};

export type RetryPolicy = Readonly<typeof RETRY_POLICY>;

/** A failure for which a retry is useful. */
export class TransientError extends Error {
  override readonly name = 'TransientFailure';
  readonly retryAfterMs: number | undefined;
  /** Maximum retries for this kind of failure; undefined for the limit of the policy. */
  readonly maxRetries: number | undefined;

  constructor(
    message: string,
    options?: ErrorOptions & { retryAfterMs?: number | undefined; maxRetries?: number },
  ) {
    super(message, options);
    this.retryAfterMs = options?.retryAfterMs;
    this.maxRetries = options?.maxRetries;
  }
}

/** Thrown if the bytes are wrong. Retried once, because a proxy may have caused it. */
export class WrongBytesError extends TransientError {
  constructor(what: string) {
    super(`the registry sent ${what}`, { maxRetries: 1 });
  }
}

/** Retries until success, a permanent failure or the limits. Throws the last failure. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  clock: Clock,
  policy: RetryPolicy,
): Promise<T> {
  const start = clock.now();
  let limitedRetries = 0;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (failure) {
      const error = asTransient(failure);
      if (!(error instanceof TransientError)) throw error;
      if (error.maxRetries !== undefined) limitedRetries += 1;
      // Full jitter, so that clients do not retry together. `Retry-After` can only extend the wait.
      const jitter = clock.random() * Math.min(policy.maxWaitMs, policy.baseMs * 2 ** tries);
      const wait = Math.max(jitter, error.retryAfterMs ?? 0);
      const isTooLate = clock.now() + wait - start > policy.deadlineMs;
      if (isTooLate || tries >= policy.maxTries || limitedRetries > (error.maxRetries ?? Infinity))
        throw error;
      await clock.sleep(wait, error.message);
    }
  }
}

/** Error codes of transient failures, with text for messages. */
const TRANSIENT_CODES: ReadonlyMap<string, string> = new Map([
  ['ECONNRESET', 'the connection was reset'],
  ['EPIPE', 'the connection broke off'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['EAI_AGAIN', 'the name could not be looked up'],
  ['UND_ERR_SOCKET', 'the connection broke off'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no connection came about in time'],
  ['UND_ERR_HEADERS_TIMEOUT', 'no answer came in time'],
  ['UND_ERR_BODY_TIMEOUT', 'the answer stopped half way'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'the answer was cut short'],
  ['UND_ERR_ABORTED', 'the connection was given up'],
]);

export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Wraps transient network errors. Returns others, such as certificate errors, unchanged. */
export function asTransient(error: unknown): unknown {
  const code = codeOf(error);
  if (!isTransientCode(code)) return error;
  const description = TRANSIENT_CODES.get(code);
  const described = description === undefined ? code : `${description} (${code})`;
  const message = error instanceof HostUnreachableError ? error.message : described;
  return new TransientError(message, { cause: error });
}

function isTransientCode(code: string): boolean {
  return code.startsWith(PROXY_ANSWERED)
    ? isTransientStatus(Number(code.slice(PROXY_ANSWERED.length)))
    : TRANSIENT_CODES.has(code);
}

/** Parses `Retry-After` (seconds or a date), limited to the maximum wait of the policy. */
export function retryAfterMs(
  response: HttpResponse,
  clock: Clock,
  policy: RetryPolicy,
): number | undefined {
  const header = response.header('retry-after');
  if (header === undefined) return undefined;
  // HTTP dates end in GMT; `Date.parse` alone would read `1.5` as a day in January.
  const date = header.endsWith(' GMT') ? Date.parse(header) : NaN;
  const wait = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : date - clock.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), policy.maxWaitMs);
}

/** Prefix of the error code if a proxy rejected a request; followed by the proxy's status. */
export const PROXY_ANSWERED = 'PROXY_ANSWERED_';

export interface FailedRequest {
  readonly url: URL;
  readonly proxy: { readonly shown: string } | undefined;
  /** Role of the host, such as `the token server`; undefined for the registry of a package. */
  readonly role?: string | undefined;
}

/** Thrown if a host sent no response, because of the network or a proxy. */
export class HostUnreachableError extends Error {
  override readonly name = 'HostUnreachable';
  /** Code of the underlying error, or `PROXY_ANSWERED` and a status. */
  readonly code: string;
  readonly request: FailedRequest;

  constructor(code: string, request: FailedRequest, cause: unknown) {
    super(hostMessage(code, request, cause), { cause });
    this.code = code;
    this.request = request;
  }

  /** Returns a copy whose message states the role of the host. */
  withRole(role: string): HostUnreachableError {
    return new HostUnreachableError(this.code, { ...this.request, role }, this.cause);
  }
}

function hostMessage(code: string, { url, proxy, role }: FailedRequest, cause: unknown): string {
  if (cause instanceof RefusedAddressError) {
    const who = role ?? 'the host that the registry redirects to';
    return `${who}, \`${url.host}\`, is not asked: ${cause.message}`;
  }
  if (code.startsWith(PROXY_ANSWERED)) {
    return `the proxy \`${proxy?.shown}\` answered ${code.slice(PROXY_ANSWERED.length)}`;
  }
  const who = `${role === undefined ? '' : `${role} `}\`${url.host}\``;
  const proxyText = proxy === undefined ? '' : ` through the proxy \`${proxy.shown}\``;
  return `${who} cannot be reached${proxyText}: ${code}`;
}

/** Converts a network failure. `before` is the HTTPS failure before a fallback to plain HTTP. */
export function asSourceError(
  error: unknown,
  subject: string,
  before?: HostUnreachableError,
): unknown {
  if (error instanceof SourceError) return error;
  if (error instanceof WrongBytesError) {
    return new SourceError('BAD_DIGEST', subject, error.message, {
      cause: error,
      hint: 'the registry, or something between it and you, does not serve what was published; nothing was used',
    });
  }
  const what = describeFailure(error);
  if (what === undefined) return error;
  const unreachable = unreachableCause(error);
  if (before === undefined || before.code === unreachable?.code) {
    return new SourceError('UNREACHABLE', subject, what, {
      cause: error,
      ...failureHint(unreachable),
    });
  }
  return new SourceError('UNREACHABLE', subject, `${what}; before that, by HTTPS: ${before.code}`, {
    cause: error,
    ...failureHint(isCertificateError(before.code) ? before : unreachable),
  });
}

/** Describes the failure, or returns undefined if it is not a network failure. */
function describeFailure(error: unknown): string | undefined {
  if (error instanceof TransientError) return `gave up after several tries: ${error.message}`;
  if (error instanceof HostUnreachableError) return error.message;
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return `the connection broke: ${codeOf(error)}`;
}

/** Returns the unreachable host that caused a failure, or undefined for other causes. */
export function unreachableCause(error: unknown): HostUnreachableError | undefined {
  const cause = error instanceof TransientError ? error.cause : error;
  return cause instanceof HostUnreachableError ? cause : undefined;
}

function failureHint(error: HostUnreachableError | undefined): { readonly hint?: string } {
  if (error === undefined) return {};
  const { code, request } = error;
  const { url, proxy } = request;
  if (error.cause instanceof RefusedAddressError) {
    return { hint: 'nothing was sent to it; if both are yours, give them addresses of one kind' };
  }
  if (code.startsWith('ERR_SSL') && code.includes('ALERT')) return { hint: ALERT_HINT };
  if (isCertificateError(code)) {
    return { hint: CERTIFICATE_HINTS[code]?.(url.hostname) ?? UNTRUSTED_HINT };
  }
  if (code.startsWith('ERR_SSL')) {
    const flag = `--insecure-registry ${url.host}`;
    return { hint: `if this registry speaks plain HTTP, say so with \`${flag}\`` };
  }
  if (proxy === undefined) return {};
  const variable = url.protocol === 'http:' ? 'HTTP_PROXY' : 'HTTPS_PROXY';
  return {
    hint: `check the environment variable ${variable}, or exempt \`${url.hostname}\` from the proxy with NO_PROXY`,
  };
}

/** Only a server that uses TLS sends an alert. */
const ALERT_HINT =
  'the server speaks TLS and refuses ours: it must take TLS 1.2 or newer, and clients without a certificate';

export function isCertificateError(code: string): boolean {
  return code.includes('CERT') || code.includes('VERIFY');
}

const CERTIFICATE_HINTS: Readonly<Record<string, (host: string) => string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: (host) =>
    `the certificate is for other names than \`${host}\`: use one of those, or have the certificate made for this one, too`,
  CERT_HAS_EXPIRED: () =>
    'the certificate has expired and must be renewed where it is served, unless the clock of this machine is wrong',
  CERT_NOT_YET_VALID: () => 'the certificate is not valid yet: check the clock of this machine',
};

const UNTRUSTED_HINT =
  'the certificate is not trusted; name a file with the right authority in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS';
