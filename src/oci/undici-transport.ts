import { rootCertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import type { HttpRequest, HttpResponse, Transport } from './transport.js';

export interface UndiciOptions {
  /** Proxy variables are read from it, as Go programs read them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** PEM of certificate authorities that replace or extend the usual ones; asked for once. */
  readonly certificates?: (() => Promise<Certificates>) | undefined;
  /** Connections kept to one host. */
  readonly connections: number;
  readonly timeouts?: Partial<Timeouts> | undefined;
}

export interface Certificates {
  /** `SSL_CERT_FILE`: in place of the authorities Node brings. */
  readonly only?: string | undefined;
  /** `NODE_EXTRA_CA_CERTS` and the like: beside them. */
  readonly extra?: string | undefined;
}

export interface Timeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly stallMs: number;
}

const TIMEOUTS: Timeouts = { connectMs: 10_000, firstByteMs: 60_000, stallMs: 30_000 };

/** Go never proxies these, and a proxy could not reach them. */
const NEVER_PROXIED = 'localhost,127.0.0.1,[::1]';

export interface ClosableTransport {
  readonly send: Transport;
  close(): Promise<void>;
}

/** HTTP by undici, loaded at the first request: who stays offline never pays for it. */
export function undiciTransport(options: UndiciOptions): ClosableTransport {
  let loading: Promise<Agents> | undefined;
  return {
    send: async (request) => {
      const { http, https } = await (loading ??= agents(options));
      return exchange(request.url.protocol === 'http:' ? http : https, request);
    },
    close: async () => {
      const made = await loading;
      await Promise.all([made?.http.destroy(), made?.https.destroy()]);
    },
  };
}

interface Agents {
  readonly http: Dispatcher;
  readonly https: Dispatcher;
}

async function agents(options: UndiciOptions): Promise<Agents> {
  const { EnvHttpProxyAgent } = await import('undici');
  const { connectMs, firstByteMs, stallMs } = { ...TIMEOUTS, ...options.timeouts };
  const variable = (name: string) => options.env[name] ?? options.env[name.toUpperCase()] ?? '';
  const ca = authorities(await options.certificates?.());
  const through = (proxy: string) =>
    new EnvHttpProxyAgent({
      httpProxy: proxy,
      httpsProxy: proxy,
      noProxy: [variable('no_proxy'), NEVER_PROXIED].filter((part) => part !== '').join(','),
      connections: options.connections,
      connect: { timeout: connectMs, ...(ca === undefined ? {} : { ca }) },
      headersTimeout: firstByteMs,
      bodyTimeout: stallMs,
    });
  return { http: through(variable('http_proxy')), https: through(variable('https_proxy')) };
}

function authorities(certificates: Certificates | undefined): string[] | undefined {
  const { only, extra } = certificates ?? {};
  if (only === undefined && extra === undefined) return undefined;
  return [
    ...(only === undefined ? rootCertificates : [only]),
    ...(extra === undefined ? [] : [extra]),
  ];
}

async function exchange(through: Dispatcher, request: HttpRequest): Promise<HttpResponse> {
  const { statusCode, headers, body } = await through.request({
    origin: request.url.origin,
    path: `${request.url.pathname}${request.url.search}`,
    method: request.method,
    headers: { ...request.headers },
    body: request.body ?? null,
  });
  return {
    status: statusCode,
    header: (name) => {
      const value = headers[name];
      return typeof value === 'string' ? value : value?.join(', ');
    },
    body,
    discard: () => body.dump(),
  };
}
