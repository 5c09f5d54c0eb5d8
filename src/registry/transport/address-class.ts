import { BlockList, isIP } from 'node:net';

/** How far an address reaches; names that are no IP literal count as public, `localhost` aside. */
type AddressClass = 'public' | 'private' | 'loopback' | 'link-local';

const CLASSES: readonly (readonly [AddressClass, BlockList])[] = [
  ['loopback', listOf(['127.0.0.0', 8], ['::1', 128])],
  [
    'link-local',
    listOf(
      ['169.254.0.0', 16],
      ['fe80::', 10],
      ['0.0.0.0', 8],
      // Metadata services of some clouds, which the other classes would hold.
      ['192.0.0.0', 24],
      ['168.63.129.16', 32],
      ['100.100.100.200', 32],
      ['fd00:ec2::254', 128],
      ['fd20:ce::254', 128],
      // Many hosts, or none.
      ['224.0.0.0', 3],
      ['ff00::', 8],
      // An IPv4 address of any class inside an IPv6 address: compatible, NAT64, 6to4, Teredo.
      ['::', 96],
      ['64:ff9b::', 96],
      ['64:ff9b:1::', 48],
      ['2002::', 16],
      ['2001::', 32],
    ),
  ],
  [
    'private',
    listOf(
      ['10.0.0.0', 8],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['100.64.0.0', 10],
      ['198.18.0.0', 15],
      ['fc00::', 7],
      ['fec0::', 10],
    ),
  ],
];

const RFC1918 = listOf(['10.0.0.0', 8], ['172.16.0.0', 12], ['192.168.0.0', 16]);

function listOf(...subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, ipFamily(net));
  return list;
}

/** The family of an IP literal, as `BlockList` wants it. */
export function ipFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Class of a URL's `hostname` (IPv6 in brackets), or of an address. */
export function addressClass(hostname: string): AddressClass {
  const bare = hostname.replace(/^\[|\]$|%[^]*|(?<!\.)\.+$/g, '').toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) return 'loopback';
  if (isIP(bare) === 0) return 'public';
  return CLASSES.find(([, list]) => list.check(bare, ipFamily(bare)))?.[0] ?? 'public';
}

interface PlainHttpRule {
  /** Whether `*.local` counts, which depends on the Crossplane release. */
  readonly dotLocal: boolean;
  /** Hosts the user declared insecure; one without a port stands for all of its ports. */
  readonly insecure: ReadonlySet<string>;
}

const DOT_LOCALHOST = /\.localhost(?::\d{1,5})?$/;
const DOT_LOCAL = /\.local(?::\d{1,5})?$/;

/** Whether plain HTTP may be spoken with `host` (port included) if HTTPS does not answer. */
export function mayBePlainHttp(host: string, rule: PlainHttpRule): boolean {
  const withoutPort = host.replace(/:\d{1,5}$/, '');
  return (
    rule.insecure.has(host) ||
    rule.insecure.has(withoutPort) ||
    (isIP(withoutPort) === 4 && RFC1918.check(withoutPort)) ||
    host.startsWith('localhost:') ||
    DOT_LOCALHOST.test(host) ||
    (rule.dotLocal && DOT_LOCAL.test(host)) ||
    host.includes('127.0.0.1') ||
    host.includes('::1')
  );
}
