import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Referrer } from './transport.js';

/** Scope of an address. Names other than `localhost` count as public. */
type AddressClass = 'public' | 'private' | 'loopback' | 'link-local';

const RFC1918 = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const;

const CLASSES: readonly (readonly [AddressClass, BlockList])[] = [
  ['loopback', listOf(['127.0.0.0', 8], ['::1', 128])],
  [
    'link-local',
    listOf(
      ['169.254.0.0', 16],
      ['fe80::', 10],
      ['0.0.0.0', 8],
      // Metadata services of some clouds, which would otherwise fall into another class.
      ['192.0.0.0', 24],
      ['168.63.129.16', 32],
      ['100.100.100.200', 32],
      ['fd00:ec2::254', 128],
      ['fd20:ce::254', 128],
      // Multicast, reserved and broadcast addresses.
      ['224.0.0.0', 3],
      ['ff00::', 8],
      // IPv6 forms that embed an IPv4 address: compatible, NAT64, 6to4, Teredo.
      ['::', 96],
      ['64:ff9b::', 96],
      ['64:ff9b:1::', 48],
      ['2002::', 16],
      ['2001::', 32],
    ),
  ],
  [
    'private',
    listOf(...RFC1918, ['100.64.0.0', 10], ['198.18.0.0', 15], ['fc00::', 7], ['fec0::', 10]),
  ],
];

const RFC1918_LIST = listOf(...RFC1918);

function listOf(...subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, ipFamily(net));
  return list;
}

/** Returns the family of an IP literal, as `BlockList` expects it. */
export function ipFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Returns the class of a URL's `hostname` (IPv6 in brackets) or of an IP address. */
export function addressClass(hostname: string): AddressClass {
  const bare = hostname.replace(/^\[|\]$|%[^]*|(?<!\.)\.+$/g, '').toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) return 'loopback';
  if (isIP(bare) === 0) return 'public';
  return CLASSES.find(([, list]) => list.check(bare, ipFamily(bare)))?.[0] ?? 'public';
}

const DOT_LOCALHOST = /\.localhost(?::\d{1,5})?$/;
const DOT_LOCAL = /\.local(?::\d{1,5})?$/;

/**
 * Whether plain HTTP is allowed for `host` (with port) if HTTPS fails. `dotLocal` allows `*.local`,
 * which depends on the release. `insecure` has hosts that the user names; one without a port
 * matches all of its ports.
 */
export function isPlainHttpAllowed(
  host: string,
  { dotLocal, insecure }: { readonly dotLocal: boolean; readonly insecure: ReadonlySet<string> },
): boolean {
  const withoutPort = host.replace(/:\d{1,5}$/, '');
  return (
    insecure.has(host) ||
    insecure.has(withoutPort) ||
    (isIP(withoutPort) === 4 && RFC1918_LIST.check(withoutPort)) ||
    host.startsWith('localhost:') ||
    DOT_LOCALHOST.test(host) ||
    (dotLocal && DOT_LOCAL.test(host)) ||
    host.includes('127.0.0.1') ||
    host.includes('::1')
  );
}

export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddress';
  readonly code = 'ERR_REFUSED_ADDRESS';

  constructor(address: string) {
    super(
      `its address \`${address}\` is ${addressClass(address)}, and that of the registry is not`,
    );
  }
}

/** Which hosts a registry may refer clients to. */
export interface AddressRule {
  readonly as: Referrer['as'];
  readonly registry: AddressClass;
}

/**
 * Whether a host may be contacted at an address. `byName` is false if the URL has the address
 * itself.
 *
 * A public registry must not reach the local network: a metadata service returns credentials, and
 * other services may trust requests from inside. Exception: a redirect to a name with a private
 * address, because cloud storage has private endpoints under public names.
 */
export function isAddressAllowed(address: string, rule: AddressRule, byName: boolean): boolean {
  const kind = addressClass(address);
  if (kind === 'public' || kind === rule.registry) return true;
  return rule.as === 'redirect' && kind === 'private' && byName;
}

/** Returns only allowed addresses. Connections use them, so DNS rebinding has no effect. */
export function guardedLookup(lookup: LookupFunction, rule: AddressRule): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      // With `all`, the result is a list.
      const all = Array.isArray(found) ? found : [];
      const allowed = all.filter(({ address }) => isAddressAllowed(address, rule, true));
      const [first] = allowed;
      if (first === undefined)
        return callback(new RefusedAddressError(all[0]?.address ?? hostname), '');
      if (options.all === true) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
  };
}
