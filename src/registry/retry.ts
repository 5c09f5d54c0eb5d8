import type { Clock } from '../model/time/clock.js';
import { HostUnreachable, PROXY_ANSWERED } from './transport/host-unreachable.js';
import type { HttpResponse } from './transport/transport.js';
import { codeOf } from '../files/error-code.js';

export interface RetryPolicy {
  readonly maxTries: number;
  readonly baseMs: number;
  readonly maxWaitMs: number;
  /** No try begins later than this after the first. */
  readonly deadlineMs: number;
}

export const RETRY_POLICY: RetryPolicy = {
  maxTries: 4,
  baseMs: 500,
  maxWaitMs: 30_000,
  deadlineMs: 180_000,
};

/** A failure that another try may not meet. */
export class TransientFailure extends Error {
  override readonly name = 'TransientFailure';
  readonly retryAfterMs: number | undefined;
  /** Retries after failures of this kind; undefined: as many as the policy allows. */
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

/** Tries until an attempt succeeds, fails for good, or the policy ends it; throws the last failure. */
export async function retrying<T>(
  attempt: () => Promise<T>,
  clock: Clock,
  policy: RetryPolicy,
): Promise<T> {
  const start = clock.now();
  let limited = 0;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof TransientFailure)) throw error;
      if (error.maxRetries !== undefined) limited += 1;
      const wait = waitBefore(tries, error, clock, policy);
      const late = clock.now() + wait - start > policy.deadlineMs;
      if (late || tries >= policy.maxTries || limited > (error.maxRetries ?? Infinity)) throw error;
      await clock.sleep(wait, error.message);
    }
  }
}

/** Full jitter, so that clients do not all retry at once; `Retry-After` can only make it longer. */
function waitBefore(
  tries: number,
  failure: TransientFailure,
  clock: Clock,
  policy: RetryPolicy,
): number {
  const wait = clock.random() * Math.min(policy.maxWaitMs, policy.baseMs * 2 ** tries);
  return Math.max(wait, failure.retryAfterMs ?? 0);
}

/** Codes of transient errors, with words for messages. */
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

/** Wraps a transient error of the network; others, certificate errors among them, stay as they are. */
export function asTransient(error: unknown): unknown {
  const code = codeOf(error);
  if (!isTransientCode(code)) return error;
  const message = error instanceof HostUnreachable ? error.message : (inWords(code) ?? code);
  return new TransientFailure(message, { cause: error });
}

/** undefined: no words for it. */
function inWords(code: string): string | undefined {
  const words = TRANSIENT_CODES.get(code);
  return words && `${words} (${code})`;
}

function isTransientCode(code: string): boolean {
  return code.startsWith(PROXY_ANSWERED)
    ? isTransientStatus(Number(code.slice(PROXY_ANSWERED.length)))
    : TRANSIENT_CODES.has(code);
}

/** `Retry-After`, in seconds or as a date, cut to what the policy would wait at most. */
export function retryAfterMs(
  response: HttpResponse,
  clock: Clock,
  policy: RetryPolicy,
): number | undefined {
  const header = response.header('retry-after');
  if (header === undefined) return undefined;
  const wait = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : timeOf(header) - clock.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), policy.maxWaitMs);
}

/** HTTP dates end in GMT; `Date.parse` alone would take `1.5` for a day in January. */
function timeOf(date: string): number {
  return date.endsWith(' GMT') ? Date.parse(date) : NaN;
}
