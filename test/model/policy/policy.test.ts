import { expect, test } from 'vitest';
import { isOfPackages } from '../../../src/model/policy/policy.js';
import { targetFor } from '../../../src/model/target/target.js';

test.each([
  { name: 'h.io/acme/p', of: 'h.io', want: true },
  { name: 'h.io/acme/p', of: 'h.io/acme', want: true },
  { name: 'h.io/acme/p', of: 'h.io/acme/', want: true },
  { name: 'h.io/acme/p', of: 'h.io/acme/p', want: true },
  { name: 'h.io/acme-corp/p', of: 'h.io/acme', want: false },
  { name: 'h.io/acme/p-2', of: 'h.io/acme/p', want: false },
  { name: 'h.io.evil.org/acme/p', of: 'h.io', want: false },
  { name: 'H.io/acme/p', of: 'h.io', want: true },
  { name: 'h.io:443/acme/p', of: 'h.io', want: true },
  { name: 'h.io:5000/acme/p', of: 'h.io', want: false },
  { name: 'h.io:5000/acme/p', of: 'h.io:5000', want: true },
  { name: 'docker.io/acme/p', of: 'index.docker.io', want: true },
  { name: 'index.docker.io/acme/p', of: 'docker.io/acme', want: true },
])('$name is of $of: $want', ({ name, of, want }) => {
  expect(isOfPackages(name, of, targetFor('v2.3.4')!)).toBe(want);
});

test.each([
  ['v1.20.0', 'xpkg.crossplane.io'],
  ['v1.17.0', 'xpkg.upbound.io'],
  ['v1.14.0', 'index.docker.io'],
])('a name without a registry is of the default registry of %s', (release, host) => {
  expect(isOfPackages('acme/p', host, targetFor(release)!)).toBe(true);
  expect(isOfPackages('acme/p', 'h.io', targetFor(release)!)).toBe(false);
});
