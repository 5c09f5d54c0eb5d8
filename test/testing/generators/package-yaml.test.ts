import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPackageYaml } from '../../../src/crossplane/package-yaml/read-package-yaml.js';
import { packageYaml, type PackageStream } from '../../../src/testing/generators/package-yaml.js';

const SEED = 31;

function sample(spelled: number, numRuns = 300): PackageStream[] {
  return fc.sample(packageYaml({ spelled }), { numRuns, seed: SEED });
}

const read = (text: string) => readPackageYaml(new TextEncoder().encode(text));

test('the content does not depend on the YAML style', async () => {
  const written = fc.asyncProperty(packageYaml(), async ({ text, meta, objects }) => {
    const contents = await read(text);
    expect(contents).toMatchObject({ metas: [meta], objects, problems: [], warnings: [] });
    expect(contents.metas).toHaveLength(1);
  });
  await fc.assert(written, { seed: SEED, numRuns: 300 });
});

function shares(texts: readonly string[], patterns: Readonly<Record<string, RegExp>>) {
  return Object.entries(patterns).map(([name, pattern]) => ({
    name,
    share: texts.filter((text) => pattern.test(text)).length / texts.length,
  }));
}

test('many YAML styles are drawn', () => {
  const odd = {
    comments: /^ *# as generated$/m,
    'single quotes': /: '/,
    'JSON documents': /^\{/m,
    'flow collections': /: [[{]"/,
    'double quotes where none are needed': /^ *kind: "/m,
    'a separator first': /^(?:#.*\n)?---/,
    'spaces after a separator': /^--- +$/m,
    'text over several lines': /\|-\n/,
  };
  const spelled = sample(1).map(({ text }) => text);
  for (const { name, share } of shares(spelled, odd)) expect(share, name).toBeGreaterThan(0.03);
  const plain = sample(0).map(({ text }) => text);
  const { 'text over several lines': _, 'flow collections': __, ...unlike } = odd;
  for (const { name, share } of shares(plain, unlike)) expect(share, name).toBe(0);
});

test('packages of every kind, with dependencies, constraints and objects', () => {
  const made = sample(0);
  const share = (holds: (stream: PackageStream) => boolean) =>
    made.filter(holds).length / made.length;
  for (const kind of ['Provider', 'Configuration', 'Function'])
    expect(share(({ meta }) => meta.kind === kind)).toBeGreaterThan(0.1);
  expect(share(({ meta }) => meta.dependsOn.length > 0)).toBeGreaterThan(0.1);
  expect(share(({ meta }) => meta.crossplane !== undefined)).toBeGreaterThan(0.1);
  expect(share(({ objects }) => objects.some(({ claimCrd }) => claimCrd))).toBeGreaterThan(0.1);
  expect(share(({ text }) => !/^[^-]*meta\.pkg/.test(text))).toBeGreaterThan(0.01);
});

test('a failing stream shrinks to a short file in plain style', () => {
  const { counterexample } = fc.check(
    fc.property(packageYaml(), ({ objects }) =>
      objects.every(({ kind }) => kind !== 'Composition'),
    ),
    { seed: SEED },
  );
  const [small] = counterexample!;
  expect(fc.stringify(small)).toContain(small.text);
  expect(small.text.split('\n').length).toBeLessThan(60);
  expect(small.text).toMatch(/^apiVersion: meta\.pkg\.crossplane\.io\/v1\nkind: Configuration\n/);
});
