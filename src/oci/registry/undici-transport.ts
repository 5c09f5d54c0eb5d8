import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction, BlockList } from 'node:net';
import { Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { domainToASCII } from 'node:url';
import type { buildConnector, Dispatcher } from 'undici';
import {
  addressClass,
  type AddressRule,
  guardedLookup,
  isAddressAllowed,
  RefusedAddressError,
  ipFamily,
} from './address-rules.js';
import { basicAuthorization, Secret } from './credentials.js';
import { HostUnreachableError, PROXY_ANSWERED, type FailedRequest } from './retry.js';
import type { HttpRequest, HttpResponse, Transport } from './transport.js';
import { getOrCreate } from '../../base/collections.js';
import { codeOf } from '../../base/files/file-system.js';
import { InputError } from '../../base/errors.js';

interface UndiciOptions {
  /** Environment with the proxy variables, which are read as in Go. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Loads PEM certificate authorities that replace or extend Node's own. Called once. */
  readonly certificates?: (() => Promise<Certificates>) | undefined;
  /** Maximum connections per host. */
  readonly connections: number;
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly lookup?: LookupFunction | undefined;
}

export interface Certificates {
  /** `SSL_CERT_FILE`: replaces Node's authorities. */
  readonly only?: string | undefined;
  /** `NODE_EXTRA_CA_CERTS`: extends them. */
  readonly extra?: string | undefined;
}

const TIMEOUTS = {
  connectMs: 10_000,
  firstByteMs: 60_000,
  /** From the request to its response, including the wait for a connection and 1xx responses. */
  answerMs: 150_000,
  stallMs: 30_000,
  /** Time to read the rest of a discarded body. */
  discardMs: 2_000,
};

export type Timeouts = Readonly<typeof TIMEOUTS>;

/** A new connection is cheaper than reading a longer rest. */
const MAX_DISCARDED_BYTES = 64 * 1024;

/** HTTP with undici, which is loaded at the first request because offline runs do not need it. */
export function undiciTransport(options: UndiciOptions) {
  let loading: Promise<Routes> | undefined;
  const send: Transport = async (request) =>
    exchange(request, await (loading ??= createRoutes(options)));
  return { send, close: async () => (await loading?.catch(() => undefined))?.close() };
}

type Routes = Awaited<ReturnType<typeof createRoutes>>;

async function createRoutes(options: UndiciOptions) {
  const proxyFor = proxiesFromEnvironment(options.env);
  const { Agent, buildConnector: connectorFor, Pool, ProxyAgent } = await import('undici');
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const { connectMs, firstByteMs, stallMs } = timeouts;
  const ca = authorities(await options.certificates?.());
  // Set explicitly so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable it.
  const verified = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
  const connect = { timeout: connectMs, ...verified };
  const { connections } = options;
  const sharedOptions = { connections, connect, headersTimeout: firstByteMs, bodyTimeout: stallMs };
  const lookup = options.lookup ?? systemLookup;
  /** Class of the address at which a host was last reached. */
  const reachedClasses = new Map<string, AddressRule['registry']>();
  const agents = new Map<string, Dispatcher>();
  const agent = (rule: AddressRule | undefined) => {
    if (rule !== undefined) {
      const guarded = connectorFor({ ...connect, lookup: guardedLookup(lookup, rule) });
      return new Agent({ ...sharedOptions, connect: guarded });
    }
    const open = connectorFor({ ...connect, lookup });
    return new Agent({ ...sharedOptions, connect: recordingClasses(open, reachedClasses) });
  };
  const tunnels = new Map<Proxy, Dispatcher>();
  const tunnel = (proxy: Proxy) =>
    new ProxyAgent({
      ...sharedOptions,
      uri: proxy.url.href.replace(/^socks5h:/, 'socks5:'),
      ...(proxy.authorization === undefined ? {} : { token: proxy.authorization }),
      // `ProxyAgent` ignores `connect`: each end of the tunnel has its own option.
      requestTls: connect,
      proxyTls: connect,
      clientFactory: (origin, opts) => new Pool(origin, { ...opts, headersTimeout: connectMs }),
    });
  return {
    proxyFor,
    /** Agents for hosts of the user or, with a rule, for hosts that a registry referred to. */
    direct: (rule?: AddressRule) =>
      getOrCreate(agents, JSON.stringify(rule) ?? '', () => agent(rule)),
    classOf: (hostname: string) => reachedClasses.get(hostname) ?? addressClass(hostname),
    tunnel: (proxy: Proxy) => getOrCreate(tunnels, proxy, () => tunnel(proxy)),
    timeouts,
    close: async () => {
      const all = [...agents.values(), ...tunnels.values()];
      await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

function authorities(certificates: Certificates | undefined): string[] | undefined {
  const { only, extra } = certificates ?? {};
  if (only === undefined && extra === undefined) return undefined;
  return [...(only === undefined ? rootCertificates : [only]), ...(extra ? [extra] : [])];
}

async function exchange(request: HttpRequest, routes: Routes): Promise<HttpResponse> {
  const proxy = routes.proxyFor(request.url);
  const failedRequest = { url: request.url, proxy };
  let answer: Dispatcher.ResponseData;
  try {
    answer = await withAnswerTimeout(request, routes.timeouts.answerMs, (limited) =>
      dispatch(limited, proxy, routes),
    );
  } catch (error) {
    throw asHostUnreachable(error, failedRequest);
  }
  const { statusCode, headers, body } = answer;
  const { discardMs } = routes.timeouts;
  if (proxy !== undefined && statusCode === 407) {
    await discard(body, discardMs);
    throw new HostUnreachableError(`${PROXY_ANSWERED}407`, failedRequest, undefined);
  }
  return {
    status: statusCode,
    header: (name) => {
      const value = headers[name];
      return typeof value === 'string' ? value : value?.join(', ');
    },
    body,
    discard: () => discard(body, discardMs),
  };
}

/** Each 1xx response restarts undici's own timer, so an overall limit is needed. */
async function withAnswerTimeout(
  request: HttpRequest,
  withinMs: number,
  send: (request: HttpRequest) => Promise<Dispatcher.ResponseData>,
): Promise<Dispatcher.ResponseData> {
  const timeoutAbort = new AbortController();
  const reason = Object.assign(new Error('no answer'), { code: 'UND_ERR_HEADERS_TIMEOUT' });
  const timer = setTimeout(() => timeoutAbort.abort(reason), withinMs);
  const { body } = request;
  // A long upload is not late while the server accepts data.
  const trackedBody = typeof body === 'function' ? () => refreshing(body(), timer) : body;
  const signals = [timeoutAbort.signal, ...(request.signal === undefined ? [] : [request.signal])];
  try {
    return await send({ ...request, body: trackedBody, signal: AbortSignal.any(signals) });
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

/** Reads a short rest to reuse the connection. Closes the connection if it is long or slow. */
async function discard(body: Dispatcher.ResponseData['body'], withinMs: number): Promise<void> {
  const signal = AbortSignal.timeout(withinMs);
  try {
    await body.dump({ limit: MAX_DISCARDED_BYTES, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function dispatch(
  request: HttpRequest,
  proxy: Proxy | undefined,
  { direct, tunnel, classOf }: Routes,
): Promise<Dispatcher.ResponseData> {
  const { url, method, headers, body, signal } = request;
  const rule = addressRule(request, classOf);
  checkAddress(url.hostname, rule);
  const path = `${url.pathname}${url.search}`;
  const sending = typeof body === 'function' ? Readable.from(body()) : (body ?? null);
  const plain = { method, headers: { ...headers }, body: sending, signal: signal ?? null };
  if (proxy === undefined) return direct(rule).request({ ...plain, origin: url.origin, path });
  if (url.protocol === 'https:' || proxy.url.protocol.startsWith('socks')) {
    return tunnel(proxy).request({ ...plain, origin: url.origin, path });
  }
  // Plain HTTP is not tunneled: many proxies allow tunnels only to port 443.
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

function recordingClasses(
  open: buildConnector.connector,
  reached: Map<string, AddressRule['registry']>,
): buildConnector.connector {
  return (request, callback) =>
    open(request, (...result) => {
      const address = result[1]?.remoteAddress;
      if (address !== undefined) reached.set(request.hostname, addressClass(address));
      callback(...result);
    });
}

/** Returns undefined if the host is the registry or was named by the user. */
function addressRule(
  { url, referrer }: HttpRequest,
  classOf: Routes['classOf'],
): AddressRule | undefined {
  if (referrer === undefined || referrer.registry.origin === url.origin) return undefined;
  return { as: referrer.as, registry: classOf(referrer.registry.hostname) };
}

/** Checks hosts that are an address or `localhost`. Other hosts are checked at lookup. */
function checkAddress(hostname: string, rule: AddressRule | undefined): void {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const isAddress = isIP(bare) !== 0 || addressClass(bare) !== 'public';
  if (rule !== undefined && isAddress && !isAddressAllowed(bare, rule, false))
    throw new RefusedAddressError(bare);
}

function asHostUnreachable(error: unknown, request: FailedRequest): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  // undici states the status of a proxy that rejects a tunnel only in the message.
  const status = /^Proxy response \((\d{3})\)/.exec(error.message)?.[1];
  const code = status === undefined ? codeOf(error) : `${PROXY_ANSWERED}${status}`;
  return new HostUnreachableError(code, request, error);
}

type Env = Readonly<Record<string, string | undefined>>;

export interface Proxy {
  readonly url: URL;
  /** URL without user and password; for messages. */
  readonly shown: string;
  /** Value of Proxy-Authorization; undefined if the proxy needs none. */
  readonly authorization: string | undefined;
}

/** Returns the proxy for a URL, or undefined for a direct connection. */
export type ProxyChoice = (url: URL) => Proxy | undefined;

/**
 * Reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY as Go does: upper case takes precedence, and loopback
 * addresses are never proxied.
 */
export function proxiesFromEnvironment(env: Env): ProxyChoice {
  const http = parseProxy('HTTP_PROXY', env);
  const https = parseProxy('HTTPS_PROXY', env);
  const exempt = envVariable('NO_PROXY', env).split(',').map(parseExemption);
  return (url) => {
    const proxy = url.protocol === 'http:' ? http : https;
    const place = hostPort(url);
    if (proxy === undefined || isLoopback(place.host)) return undefined;
    return exempt.some((exempts) => exempts(place)) ? undefined : proxy;
  };
}

function envVariable(name: string, env: Env): string {
  return env[name] || env[name.toLowerCase()] || '';
}

const SCHEMES = ['http:', 'https:', 'socks5:', 'socks5h:'];

function parseProxy(name: string, env: Env): Proxy | undefined {
  const written = envVariable(name, env);
  if (written === '') return undefined;
  const text = written.includes('://') ? written : `http://${written}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && SCHEMES.includes(url.protocol)) {
    const shown = `${url.protocol}//${url.host}`;
    return { url, shown, authorization: authorizationOf(url) };
  }
  // The value may contain a password, so the message has only the name.
  throw new InputError(`the environment variable ${name} is not the URL of a proxy`, {
    hint: 'write it as `http://HOST:PORT`',
  });
}

function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return basicAuthorization(decodePart(username), new Secret(decodePart(password)));
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type HostPort = ReturnType<typeof hostPort>;

function hostPort({ hostname, port, protocol }: URL) {
  // IPv6 without brackets.
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return { host, port: port || (protocol === 'http:' ? '80' : '443') };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && addressClass(host) === 'loopback');
}

/** Parses an entry of NO_PROXY: `*`, `10.0.0.0/8`, an address or domain, with optional port. */
function parseExemption(entry: string): (place: HostPort) => boolean {
  const text = entry.trim().toLowerCase();
  if (text === '*') return () => true;
  const [, net = '', bits] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (isIP(net) !== 0 && Number(bits) <= (isIP(net) === 4 ? 32 : 128)) {
    return withinSubnet(net, Number(bits));
  }
  const [, bracketed, plain, only] = /^(?:\[([^\]]*)\]|([^:[]*)):(\d*)$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? text;
  const matches =
    isIP(host) === 0 ? withinDomain(host) : withinSubnet(host, isIP(host) === 4 ? 32 : 128);
  return (place) => matches(place) && (only === undefined || only === '' || place.port === only);
}

function withinSubnet(net: string, bits: number): (place: HostPort) => boolean {
  const list = new BlockList();
  list.addSubnet(net, bits, ipFamily(net));
  return ({ host }) => isIP(host) !== 0 && list.check(host, ipFamily(host));
}

/** `.example.org` and `*.example.org` match subdomains; `example.org` also matches itself. */
function withinDomain(written: string): (place: HostPort) => boolean {
  const host = written.replace(/^\*\./, '.');
  const bare = host.replace(/^\./, '');
  // Not for ASCII: `domainToASCII` would turn the invalid name `a.io/8` into `a.io`.
  const ascii = Buffer.byteLength(bare) === bare.length;
  const name = ascii ? bare : domainToASCII(bare);
  if (name === '') return () => false;
  return (place) =>
    isIP(place.host) === 0 &&
    (place.host.endsWith(`.${name}`) || (!host.startsWith('.') && place.host === name));
}
