import { expect, test } from 'vitest';
import { isPlainHttpAllowed } from '../../../src/oci/registry/address-rules.js';

test.each([
  { host: 'localhost:5000', want: true, why: 'localhost with a port' },
  { host: 'localhost', want: false, why: 'bare localhost is https' },
  { host: 'kind.localhost', want: true, why: 'below localhost' },
  { host: 'kind.localhost:5000', want: true, why: 'below localhost, with a port' },
  { host: '127.0.0.1:5000', want: true, why: 'loopback' },
  { host: '[::1]:5000', want: true, why: 'loopback, IPv6' },
  { host: '10.1.2.3:5000', want: true, why: 'RFC 1918' },
  { host: '172.16.0.1', want: true, why: 'RFC 1918' },
  { host: '172.32.0.1', want: false, why: 'just outside RFC 1918' },
  { host: '192.168.1.1', want: true, why: 'RFC 1918' },
  { host: '100.64.0.1', want: false, why: 'carrier NAT is not RFC 1918' },
  { host: '8.8.8.8:5000', want: false, why: 'public' },
  { host: 'registry.example.org', want: false, why: 'a name' },
  { host: 'registry.local.example.org', want: false, why: 'local in the middle' },
  { host: 'plain.example.org:5000', want: true, why: 'the user said so' },
  { host: 'plain.example.org', want: false, why: 'the user said so of another port' },
  { host: 'every.example.org:5000', want: true, why: 'the user said so of the host, port aside' },
  { host: 'every.example.org', want: true, why: 'the user said so of the host' },
  { host: 'not.every.example.org:5000', want: false, why: 'the user said so of another host' },
  { host: '[2001:db8::7]:5000', want: true, why: 'the user said so of the address, port aside' },
])('$host → $want: $why', ({ host, want }) => {
  for (const dotLocal of [true, false]) {
    const insecure = new Set(['plain.example.org:5000', 'every.example.org', '[2001:db8::7]']);
    expect(isPlainHttpAllowed(host, { dotLocal, insecure })).toBe(want);
  }
});

test.each([
  { host: 'registry.local', dotLocal: true },
  { host: 'registry.local:5000', dotLocal: true },
  { host: 'registry.local', dotLocal: false },
])('$host depends on the release: $dotLocal', ({ host, dotLocal }) => {
  expect(isPlainHttpAllowed(host, { dotLocal, insecure: new Set() })).toBe(dotLocal);
});
