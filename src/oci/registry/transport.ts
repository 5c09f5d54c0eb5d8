import { codeOf } from '../../base/files/file-system.js';
import { OutOfTime, type TimeBudget } from '../../base/time.js';

/** One HTTP exchange, without redirects, retries or authentication. */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH';
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A function returns the bytes again for each attempt; `content-length` is their number. */
  readonly body?: Uint8Array | string | (() => AsyncIterable<Uint8Array>) | undefined;
  /** The registry that named the host of `url`; undefined if the user did. */
  readonly referrer?: Referrer | undefined;
  /** Aborts the exchange, including the body. */
  readonly signal?: AbortSignal | undefined;
}

/** A registry that refers clients to another host. */
export interface Referrer {
  readonly registry: URL;
  readonly as: 'redirect' | 'token server';
}

export interface HttpResponse {
  readonly status: number;
  /** Returns a header by its lower-case name. Repeated headers are joined with commas. */
  readonly header: (name: string) => string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
  /** Frees the connection without reading the rest of the body. */
  readonly discard: () => Promise<void>;
}

/** A finished exchange, for logs. It contains no credentials. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  /** undefined if there was no response. */
  readonly status: number | undefined;
  readonly authorization: 'none' | 'basic' | 'bearer';
  /** Number of body bytes that were read. */
  readonly bytes: number;
  readonly error: string | undefined;
}

export interface NetworkObserver {
  exchange?(exchange: Exchange): void;
  /** Called for each chunk of a body. */
  bytes?(count: number): void;
}

const SHOWN_PARAMETERS = new Set(['n', 'last', 'service', 'scope']);

/** Formats a URL for logs, without user and without query values that may be signatures. */
export function shownUrl(url: URL): string {
  const query = [...url.searchParams].map(([name, value]) =>
    SHOWN_PARAMETERS.has(name)
      ? `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
      : `${encodeURIComponent(name)}=[redacted]`,
  );
  return `${url.protocol}//${url.host}${url.pathname}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** Wraps a transport so that an observer receives every exchange. */
export function observedTransport(transport: Transport, observer: NetworkObserver): Transport {
  return async (request) => {
    const summary = {
      method: request.method,
      url: shownUrl(request.url),
      authorization: schemeOf(request.headers['authorization']),
    };
    try {
      const response = await transport(request);
      let isReported = false;
      const report = (bytes: number, error: string | undefined) => {
        if (!isReported) observer.exchange?.({ ...summary, status: response.status, bytes, error });
        isReported = true;
      };
      return {
        ...response,
        body: countedBody(response.body, observer, report),
        discard: async () => {
          report(0, undefined);
          await response.discard();
        },
      };
    } catch (error) {
      observer.exchange?.({ ...summary, status: undefined, bytes: 0, error: codeOf(error) });
      throw error;
    }
  };
}

async function* countedBody(
  body: AsyncIterable<Uint8Array>,
  observer: NetworkObserver,
  done: (bytes: number, error: string | undefined) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  let failure: string | undefined;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      observer.bytes?.(chunk.byteLength);
      yield chunk;
    }
  } catch (error) {
    failure = codeOf(error);
    throw error;
  } finally {
    done(bytes, failure);
  }
}

function schemeOf(authorization: string | undefined): Exchange['authorization'] {
  if (authorization === undefined) return 'none';
  return authorization.startsWith('Basic ') ? 'basic' : 'bearer';
}

/** Wraps a transport so that every exchange ends with the time budget of the run. */
export function limitedTransport(transport: Transport, budget: TimeBudget): Transport {
  return async (request) => {
    const shown = `\`${request.method} ${shownUrl(request.url)}\``;
    const { signal } = request;
    const endSignal =
      signal === undefined ? budget.signal : AbortSignal.any([budget.signal, signal]);
    const pendingResponse = transport({ ...request, signal: endSignal });
    const response = await budget.wait(`an answer to ${shown}`, pendingResponse);
    return {
      ...response,
      body: limitedBody(response, shown, budget),
      discard: () => budget.wait(`the end of the answer to ${shown}`, response.discard()),
    };
  };
}

async function* limitedBody(
  { body }: HttpResponse,
  shown: string,
  budget: TimeBudget,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  } catch (error) {
    if (!budget.signal.aborted) throw error;
    const rest = `the rest of the answer to ${shown}, of which ${bytes} bytes came`;
    throw new OutOfTime(budget.seconds, rest);
  }
}
