import { expect, test } from 'vitest';
import { matchesPackages } from '../../../src/project/inputs/policy.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';

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
])('$name belongs to $of: $want', ({ name, of, want }) => {
  expect(matchesPackages(name, of, targetFor('v2.3.4')!)).toBe(want);
});

test.each([
  ['v1.20.0', 'xpkg.crossplane.io'],
  ['v1.17.0', 'xpkg.upbound.io'],
  ['v1.14.0', 'index.docker.io'],
])('a name without a registry belongs to the default registry of %s', (release, host) => {
  expect(matchesPackages('acme/p', host, targetFor(release)!)).toBe(true);
  expect(matchesPackages('acme/p', 'h.io', targetFor(release)!)).toBe(false);
});
