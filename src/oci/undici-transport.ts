import { rootCertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { InputError } from '../model/input-error.js';
import {
  PROXY_ANSWERED,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from './transport.js';

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
      const made = await loading?.catch(() => undefined);
      await Promise.all([made?.http.destroy(), made?.https.destroy()]);
    },
  };
}

interface Agents {
  readonly http: Dispatcher;
  readonly https: Dispatcher;
}

async function agents(options: UndiciOptions): Promise<Agents> {
  const { EnvHttpProxyAgent, Pool } = await import('undici');
  const { connectMs, firstByteMs, stallMs } = { ...TIMEOUTS, ...options.timeouts };
  const ca = authorities(await options.certificates?.());
  const connect = { timeout: connectMs, ...(ca === undefined ? {} : { ca }) };
  const through = (proxy: string) =>
    new EnvHttpProxyAgent({
      httpProxy: proxy,
      httpsProxy: proxy,
      noProxy: [variable('no_proxy', options), NEVER_PROXIED].filter(Boolean).join(','),
      connections: options.connections,
      connect,
      // Behind a proxy, `connect` counts for neither end of the tunnel.
      requestTls: connect,
      proxyTls: connect,
      clientFactory: (origin, opts) => new Pool(origin, { ...opts, headersTimeout: connectMs }),
      headersTimeout: firstByteMs,
      bodyTimeout: stallMs,
    });
  return {
    http: through(proxyIn('http_proxy', options)),
    https: through(proxyIn('https_proxy', options)),
  };
}

function variable(name: string, { env }: UndiciOptions): string {
  return env[name] ?? env[name.toUpperCase()] ?? '';
}

/** It may hold a password, so a message names the variable alone. */
function proxyIn(name: string, options: UndiciOptions): string {
  const written = variable(name, options);
  if (written === '') return '';
  const proxy = written.includes('://') ? written : `http://${written}`;
  if (URL.canParse(proxy)) return proxy;
  throw new InputError(`the environment variable ${name.toUpperCase()} is not a URL`, {
    hint: 'write it as `http://HOST:PORT`',
  });
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
  const { statusCode, headers, body } = await answerOf(through, request);
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

async function answerOf(through: Dispatcher, request: HttpRequest) {
  try {
    return await through.request({
      origin: request.url.origin,
      path: `${request.url.pathname}${request.url.search}`,
      method: request.method,
      headers: { ...request.headers },
      body: request.body ?? null,
    });
  } catch (error) {
    throw withProxyStatus(error);
  }
}

/** undici tells by a message alone what a proxy answered that opens no tunnel. */
function withProxyStatus(error: unknown): unknown {
  const message = error instanceof Error ? error.message : '';
  const status = /^Proxy response \((\d{3})\)/.exec(message)?.[1];
  if (status === undefined) return error;
  const told = new Error(`the proxy answered ${status}`, { cause: error });
  return Object.assign(told, { code: `${PROXY_ANSWERED}${status}` });
}
