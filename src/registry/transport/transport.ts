import { codeOf } from '../../files/error-code.js';
/** One HTTP exchange, without redirects, retries or credentials of its own. */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH';
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** A function gives the bytes anew for each time that they are sent; `content-length` says how many. */
  readonly body?: Uint8Array | string | (() => AsyncIterable<Uint8Array>) | undefined;
  /** Who named the host of `url`; undefined: the user did. */
  readonly referrer?: Referrer | undefined;
  /** Aborts the exchange, also while its body is read. */
  readonly signal?: AbortSignal | undefined;
}

/** A registry that sends its clients to another host. */
export interface Referrer {
  readonly registry: URL;
  readonly as: 'redirect' | 'token server';
}

export interface HttpResponse {
  readonly status: number;
  /** A header by its lower-case name; several of one name are joined by commas. */
  header(name: string): string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
  /** Frees the connection without reading the rest of the body. */
  discard(): Promise<void>;
}

/** A finished exchange, for logs; holds no credential. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  /** undefined: there was no response. */
  readonly status: number | undefined;
  /** How the request was authorised. */
  readonly authorization: 'none' | 'basic' | 'bearer';
  /** Bytes of the body that were read. */
  readonly bytes: number;
  readonly error: string | undefined;
}

export interface NetworkObserver {
  exchange?(exchange: Exchange): void;
  /** Called as bytes come in. */
  bytes?(count: number): void;
}

const SHOWN_PARAMETERS = new Set(['n', 'last', 'service', 'scope']);

/** A URL fit for logs: no user, and of the query only what carries no signature. */
export function shownUrl(url: URL): string {
  const query = [...url.searchParams].map(([name, value]) =>
    SHOWN_PARAMETERS.has(name)
      ? `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
      : `${encodeURIComponent(name)}=[redacted]`,
  );
  return `${url.protocol}//${url.host}${url.pathname}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** Tells an observer about every exchange. */
export function observed(transport: Transport, observer: NetworkObserver): Transport {
  return async (request) => {
    const seen = {
      method: request.method,
      url: shownUrl(request.url),
      authorization: schemeOf(request.headers['authorization']),
    };
    try {
      const response = await transport(request);
      const done = once((bytes: number, error: string | undefined) =>
        observer.exchange?.({ ...seen, status: response.status, bytes, error }),
      );
      return {
        status: response.status,
        header: (name) => response.header(name),
        body: counted(response.body, observer, done),
        discard: async () => {
          done(0, undefined);
          await response.discard();
        },
      };
    } catch (error) {
      observer.exchange?.({ ...seen, status: undefined, bytes: 0, error: codeOf(error) });
      throw error;
    }
  };
}

async function* counted(
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

function once<Args extends readonly unknown[]>(call: (...args: Args) => void) {
  let called = false;
  return (...args: Args) => {
    if (!called) call(...args);
    called = true;
  };
}

function schemeOf(authorization: string | undefined): Exchange['authorization'] {
  if (authorization === undefined) return 'none';
  return authorization.startsWith('Basic ') ? 'basic' : 'bearer';
}
