import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { InputError } from '../../base/errors.js';
import { addressClass, ipFamily } from './address-rules.js';

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
 * Reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY as Go programs such as Crossplane do.
 *
 * Upper-case variables take precedence. Each variable applies to its own scheme. Loopback addresses
 * are never proxied.
 */
export function proxiesFromEnvironment(env: Env): ProxyChoice {
  const http = parseProxy('HTTP_PROXY', env);
  const https = parseProxy('HTTPS_PROXY', env);
  const exempt = variable('NO_PROXY', env).split(',').map(parseExemption);
  return (url) => {
    const proxy = url.protocol === 'http:' ? http : https;
    const place = hostPort(url);
    if (proxy === undefined || isLoopback(place.host)) return undefined;
    return exempt.some((exempts) => exempts(place)) ? undefined : proxy;
  };
}

function variable(name: string, env: Env): string {
  return env[name] || env[name.toLowerCase()] || '';
}

const SCHEMES = ['http:', 'https:', 'socks5:', 'socks5h:'];

function parseProxy(name: string, env: Env): Proxy | undefined {
  const written = variable(name, env);
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
  const pair = `${decodePart(username)}:${decodePart(password)}`;
  return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface HostPort {
  /** IPv6 without brackets. */
  readonly host: string;
  readonly port: string;
}

function hostPort({ hostname, port, protocol }: URL): HostPort {
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
