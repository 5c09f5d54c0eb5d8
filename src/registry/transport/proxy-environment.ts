import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { InputError } from '../../model/input-error.js';
import { addressClass, ipFamily } from './address-class.js';

type Env = Readonly<Record<string, string | undefined>>;

export interface Proxy {
  readonly url: URL;
  /** Without user and password. */
  readonly shown: string;
  /** Value of Proxy-Authorization; undefined: the proxy needs none. */
  readonly authorization: string | undefined;
}

/** Finds the proxy for a URL; undefined: the request goes directly. */
export type ProxyChoice = (url: URL) => Proxy | undefined;

/**
 * Reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY as Go programs do, Crossplane among them.
 *
 * The variables in capitals come first; each is for its own scheme; loopback is never proxied.
 */
export function proxiesIn(env: Env): ProxyChoice {
  const http = proxyIn('HTTP_PROXY', env);
  const https = proxyIn('HTTPS_PROXY', env);
  const exempt = variable('NO_PROXY', env).split(',').map(exemption);
  return (url) => {
    const proxy = url.protocol === 'http:' ? http : https;
    const place = placeOf(url);
    if (proxy === undefined || isLoopback(place.host)) return undefined;
    return exempt.some((exempts) => exempts(place)) ? undefined : proxy;
  };
}

function variable(name: string, env: Env): string {
  return env[name] || env[name.toLowerCase()] || '';
}

const SCHEMES = ['http:', 'https:', 'socks5:', 'socks5h:'];

function proxyIn(name: string, env: Env): Proxy | undefined {
  const written = variable(name, env);
  if (written === '') return undefined;
  const text = written.includes('://') ? written : `http://${written}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && SCHEMES.includes(url.protocol)) {
    const shown = `${url.protocol}//${url.host}`;
    return { url, shown, authorization: authorizationOf(url) };
  }
  // It may hold a password, so the message names the variable alone.
  throw new InputError(`the environment variable ${name} is not the URL of a proxy`, {
    hint: 'write it as `http://HOST:PORT`',
  });
}

function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const pair = `${decoded(username)}:${decoded(password)}`;
  return `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface Place {
  /** IPv6 without brackets. */
  readonly host: string;
  readonly port: string;
}

function placeOf({ hostname, port, protocol }: URL): Place {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return { host, port: port || (protocol === 'http:' ? '80' : '443') };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && addressClass(host) === 'loopback');
}

/** One entry of NO_PROXY: `*`, `10.0.0.0/8`, an address or a domain, either with a port or not. */
function exemption(entry: string): (place: Place) => boolean {
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

function withinSubnet(net: string, bits: number): (place: Place) => boolean {
  const list = new BlockList();
  list.addSubnet(net, bits, ipFamily(net));
  return ({ host }) => isIP(host) !== 0 && list.check(host, ipFamily(host));
}

/** `.example.org` and `*.example.org` match subdomains; `example.org` matches itself, too. */
function withinDomain(written: string): (place: Place) => boolean {
  const host = written.replace(/^\*\./, '.');
  const bare = host.replace(/^\./, '');
  // Not for ASCII: `domainToASCII` would turn `a.io/8`, which is no name, into `a.io`.
  const ascii = Buffer.byteLength(bare) === bare.length;
  const name = ascii ? bare : domainToASCII(bare);
  if (name === '') return () => false;
  return (place) =>
    isIP(place.host) === 0 &&
    (place.host.endsWith(`.${name}`) || (!host.startsWith('.') && place.host === name));
}
