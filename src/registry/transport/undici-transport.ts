import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
import { addressClass } from './address-class.js';
import { guardedLookup, mayAsk, RefusedAddress, type AddressRule } from './address-guard.js';
import { HostUnreachable, PROXY_ANSWERED, type FailedRequest } from './host-unreachable.js';
import { proxiesIn, type Proxy, type ProxyChoice } from './proxy-environment.js';
import type { HttpRequest, HttpResponse, Transport } from './transport.js';
import { codeOf } from '../../files/error-code.js';

interface UndiciOptions {
  /** Proxy variables are read from it, as Go programs read them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Certificate authorities in PEM that replace or extend Node's own; called once. */
  readonly certificates?: (() => Promise<Certificates>) | undefined;
  /** Connections kept to one host. */
  readonly connections: number;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** Finds the addresses of a name; that of the system unless told. */
  readonly lookup?: LookupFunction | undefined;
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
  /** From the request to its answer, with the wait for a connection and all preliminary answers. */
  readonly answerMs: number;
  readonly stallMs: number;
  /** To read the rest of a body that is discarded. */
  readonly discardMs: number;
}

const TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  firstByteMs: 60_000,
  answerMs: 150_000,
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
  /** For a host that the user named, or, with a rule, one that a registry referred to. */
  readonly direct: (rule?: AddressRule) => Dispatcher;
  readonly tunnel: (proxy: Proxy) => Dispatcher;
  /** The class of the address at which a host was reached last. */
  readonly classOf: (hostname: string) => AddressRule['registry'];
  readonly answerMs: number;
  readonly discardMs: number;
  close(): Promise<void>;
}

async function routes(options: UndiciOptions): Promise<Routes> {
  const proxyFor = proxiesIn(options.env);
  const { Agent, buildConnector: connectorFor, Pool, ProxyAgent } = await import('undici');
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const { connectMs, firstByteMs, stallMs, answerMs, discardMs } = timeouts;
  const ca = authorities(await options.certificates?.());
  // Said in so many words, or NODE_TLS_REJECT_UNAUTHORIZED could switch it off.
  const verified = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
  const connect = { timeout: connectMs, ...verified };
  const { connections } = options;
  const shared = { connections, connect, headersTimeout: firstByteMs, bodyTimeout: stallMs };
  const lookup = options.lookup ?? systemLookup;
  const reached = new Map<string, AddressRule['registry']>();
  const agents = new Map<string, Dispatcher>();
  const agent = (rule: AddressRule | undefined) => {
    if (rule === undefined) {
      const open = connectorFor({ ...connect, lookup });
      return new Agent({ ...shared, connect: noting(open, reached) });
    }
    const open = connectorFor({ ...connect, lookup: guardedLookup(lookup, rule) });
    return new Agent({ ...shared, connect: open });
  };
  const direct = (rule?: AddressRule) => {
    const key = JSON.stringify(rule) ?? '';
    const known = agents.get(key) ?? agent(rule);
    agents.set(key, known);
    return known;
  };
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
    classOf: (hostname) => reached.get(hostname) ?? addressClass(hostname),
    tunnel: (proxy) => {
      const through = tunnels.get(proxy) ?? tunnel(proxy);
      tunnels.set(proxy, through);
      return through;
    },
    answerMs,
    discardMs,
    close: async () => {
      await Promise.all(
        [...agents.values(), ...tunnels.values()].map((dispatcher) => dispatcher.destroy()),
      );
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
    answer = await answered(request, by.answerMs, (limited) => sent(limited, proxy, by));
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

/** Each preliminary answer (1xx) starts undici's own timer anew, so that they could go on for ever. */
async function answered<T>(
  request: HttpRequest,
  withinMs: number,
  send: (request: HttpRequest) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const reason = Object.assign(new Error('no answer'), { code: 'UND_ERR_HEADERS_TIMEOUT' });
  const timer = setTimeout(() => late.abort(reason), withinMs);
  const { body } = request;
  // What takes long to send is not late as long as it is taken.
  const taken = typeof body === 'function' ? () => refreshing(body(), timer) : body;
  const signals = [late.signal, ...(request.signal === undefined ? [] : [request.signal])];
  try {
    return await send({ ...request, body: taken, signal: AbortSignal.any(signals) });
  } finally {
    clearTimeout(timer);
  }
}

async function* refreshing(
  chunks: AsyncIterable<Uint8Array>,
  timer: NodeJS.Timeout,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    timer.refresh();
    yield chunk;
  }
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

async function sent(
  request: HttpRequest,
  proxy: Proxy | undefined,
  { direct, tunnel, classOf }: Routes,
): Promise<Dispatcher.ResponseData> {
  const { url, method, headers, body, signal } = request;
  const rule = ruleFor(request, classOf);
  refuseAddress(url.hostname, rule);
  const path = `${url.pathname}${url.search}`;
  const sending = typeof body === 'function' ? Readable.from(body()) : (body ?? null);
  const plain = { method, headers: { ...headers }, body: sending, signal: signal ?? null };
  if (proxy === undefined) return direct(rule).request({ ...plain, origin: url.origin, path });
  if (url.protocol === 'https:' || proxy.url.protocol.startsWith('socks')) {
    return tunnel(proxy).request({ ...plain, origin: url.origin, path });
  }
  // Plain HTTP is not tunnelled: many proxies allow that for port 443 alone.
  const { authorization } = proxy;
  return direct().request({
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

/** Keeps the class of the address that each connection reached. */
function noting(
  open: buildConnector.connector,
  reached: Map<string, AddressRule['registry']>,
): buildConnector.connector {
  return (asked, callback) =>
    open(asked, (...result) => {
      const address = result[1]?.remoteAddress;
      if (address !== undefined) reached.set(asked.hostname, addressClass(address));
      callback(...result);
    });
}

/** undefined: the host of the request is the registry, or another that the user named. */
function ruleFor(
  { url, referrer }: HttpRequest,
  classOf: Routes['classOf'],
): AddressRule | undefined {
  if (referrer === undefined || referrer.registry.origin === url.origin) return undefined;
  return { as: referrer.as, registry: classOf(referrer.registry.hostname) };
}

/** Judges a host that is an address, or `localhost`; others are judged when they are looked up. */
function refuseAddress(hostname: string, rule: AddressRule | undefined): void {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const isAddress = isIP(bare) !== 0 || addressClass(bare) !== 'public';
  if (rule !== undefined && isAddress && !mayAsk(bare, rule, false)) throw new RefusedAddress(bare);
}

function asHostUnreachable(error: unknown, asked: FailedRequest): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  // undici gives the status of a proxy that opens no tunnel in its message only.
  const status = /^Proxy response \((\d{3})\)/.exec(error.message)?.[1];
  const code = status === undefined ? codeOf(error) : `${PROXY_ANSWERED}${status}`;
  return new HostUnreachable(code, asked, error);
}
