import { rootCertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { HostUnreachable, PROXY_ANSWERED, type FailedRequest } from './host-unreachable.js';
import { proxiesIn, type Proxy, type ProxyChoice } from './proxy-environment.js';
import type { HttpRequest, HttpResponse, Transport } from './transport.js';
import { codeOf } from '../files/error-code.js';

interface UndiciOptions {
  /** Proxy variables are read from it, as Go programs read them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Certificate authorities in PEM that replace or extend Node's own; called once. */
  readonly certificates?: (() => Promise<Certificates>) | undefined;
  /** Connections kept to one host. */
  readonly connections: number;
  readonly timeouts?: Partial<Timeouts> | undefined;
}

export interface Certificates {
  /** `SSL_CERT_FILE`: replaces the authorities of Node. */
  readonly only?: string | undefined;
  /** `NODE_EXTRA_CA_CERTS`: extends them. */
  readonly extra?: string | undefined;
}

export interface Timeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly stallMs: number;
  /** To read the rest of a body that is discarded. */
  readonly discardMs: number;
}

const TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  firstByteMs: 60_000,
  stallMs: 30_000,
  discardMs: 2_000,
};

/** To read a longer rest costs more than a new connection does. */
const MAX_DISCARDED_BYTES = 64 * 1024;

interface ClosableTransport {
  readonly send: Transport;
  close(): Promise<void>;
}

/** HTTP by undici, which is loaded at the first request: an offline run does without it. */
export function undiciTransport(options: UndiciOptions): ClosableTransport {
  let loading: Promise<Routes> | undefined;
  return {
    send: async (request) => exchange(request, await (loading ??= routes(options))),
    close: async () => (await loading?.catch(() => undefined))?.close(),
  };
}

interface Routes {
  readonly proxyFor: ProxyChoice;
  readonly direct: Dispatcher;
  readonly tunnel: (proxy: Proxy) => Dispatcher;
  readonly discardMs: number;
  close(): Promise<void>;
}

async function routes(options: UndiciOptions): Promise<Routes> {
  const proxyFor = proxiesIn(options.env);
  const { Agent, Pool, ProxyAgent } = await import('undici');
  const { connectMs, firstByteMs, stallMs, discardMs } = { ...TIMEOUTS, ...options.timeouts };
  const ca = authorities(await options.certificates?.());
  const connect = { timeout: connectMs, ...(ca === undefined ? {} : { ca }) };
  const { connections } = options;
  const shared = { connections, connect, headersTimeout: firstByteMs, bodyTimeout: stallMs };
  const direct = new Agent(shared);
  const tunnels = new Map<Proxy, Dispatcher>();
  const tunnel = (proxy: Proxy) =>
    new ProxyAgent({
      ...shared,
      uri: proxy.url.href.replace(/^socks5h:/, 'socks5:'),
      ...(proxy.authorization === undefined ? {} : { token: proxy.authorization }),
      // `ProxyAgent` ignores `connect`: each end of the tunnel has an option of its own.
      requestTls: connect,
      proxyTls: connect,
      clientFactory: (origin, opts) => new Pool(origin, { ...opts, headersTimeout: connectMs }),
    });
  return {
    proxyFor,
    direct,
    tunnel: (proxy) => {
      const through = tunnels.get(proxy) ?? tunnel(proxy);
      tunnels.set(proxy, through);
      return through;
    },
    discardMs,
    close: async () => {
      await Promise.all([direct, ...tunnels.values()].map((dispatcher) => dispatcher.destroy()));
    },
  };
}

function authorities(certificates: Certificates | undefined): string[] | undefined {
  const { only, extra } = certificates ?? {};
  if (only === undefined && extra === undefined) return undefined;
  return [
    ...(only === undefined ? rootCertificates : [only]),
    ...(extra === undefined ? [] : [extra]),
  ];
}

async function exchange(request: HttpRequest, by: Routes): Promise<HttpResponse> {
  const proxy = by.proxyFor(request.url);
  const asked = { url: request.url, proxy };
  let answer: Dispatcher.ResponseData;
  try {
    answer = await sent(request, proxy, by);
  } catch (error) {
    throw asHostUnreachable(error, asked);
  }
  const { statusCode, headers, body } = answer;
  if (proxy !== undefined && statusCode === 407) {
    await discard(body, by.discardMs);
    throw new HostUnreachable(`${PROXY_ANSWERED}407`, asked, undefined);
  }
  return {
    status: statusCode,
    header: (name) => {
      const value = headers[name];
      return typeof value === 'string' ? value : value?.join(', ');
    },
    body,
    discard: () => discard(body, by.discardMs),
  };
}

/** Reads a short rest to keep the connection; closes it if the rest is long or slow. */
async function discard(body: Dispatcher.ResponseData['body'], withinMs: number): Promise<void> {
  const signal = AbortSignal.timeout(withinMs);
  try {
    await body.dump({ limit: MAX_DISCARDED_BYTES, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function sent(
  { url, method, headers, body }: HttpRequest,
  proxy: Proxy | undefined,
  { direct, tunnel }: Routes,
): Promise<Dispatcher.ResponseData> {
  const path = `${url.pathname}${url.search}`;
  const plain = { method, headers: { ...headers }, body: body ?? null };
  if (proxy === undefined) return direct.request({ ...plain, origin: url.origin, path });
  if (url.protocol === 'https:' || proxy.url.protocol.startsWith('socks')) {
    return tunnel(proxy).request({ ...plain, origin: url.origin, path });
  }
  // Plain HTTP is not tunnelled: many proxies allow that for port 443 alone.
  const { authorization } = proxy;
  return direct.request({
    ...plain,
    origin: proxy.url.origin,
    path: `${url.origin}${path}`,
    headers: {
      ...headers,
      host: url.host,
      ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
    },
  });
}

function asHostUnreachable(error: unknown, asked: FailedRequest): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  // undici gives the status of a proxy that opens no tunnel in its message only.
  const status = /^Proxy response \((\d{3})\)/.exec(error.message)?.[1];
  const code = status === undefined ? codeOf(error) : `${PROXY_ANSWERED}${status}`;
  return new HostUnreachable(code, asked, error);
}
