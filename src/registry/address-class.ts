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
      ['::', 128],
      // Metadata services of some clouds.
      ['192.0.0.0', 24],
      // NAT64: an IPv4 address of any class inside an IPv6 address.
      ['64:ff9b::', 96],
    ),
  ],
  [
    'private',
    listOf(
      ['10.0.0.0', 8],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['100.64.0.0', 10],
      ['fc00::', 7],
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

/** Class of a URL's `hostname` (IPv6 in brackets). */
export function addressClass(hostname: string): AddressClass {
  const bare = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
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
