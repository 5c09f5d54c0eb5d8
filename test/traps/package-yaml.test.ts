import { expect, test } from 'vitest';
import { isRejection, judge } from '../../src/crossplane/packages/admission.js';
import { readPackageYaml } from '../../src/crossplane/package-yaml/read-package-yaml.js';
import { target } from '../support/contents.js';

async function judged(text: string, on: string) {
  return judge(await readPackageYaml(Buffer.from(text)), target(on));
}

function meta(spec: string, { apiVersion = 'v1', kind = 'Configuration' } = {}): string {
  return `apiVersion: meta.pkg.crossplane.io/${apiVersion}\nkind: ${kind}\nmetadata:\n  name: x\nspec: ${spec}\n`;
}

test.each(['v1.14.0', 'v2.2.0', 'v2.3.4'])(
  'an empty version or a channel tag in dependsOn is invalid on %s',
  async (on) => {
    for (const version of ['""', 'latest']) {
      const text = meta(`{dependsOn: [{provider: xpkg.io/a/p, version: ${version}}]}`);
      expect(await judged(text, on)).toMatchObject({
        rejected: true,
        findings: [{ code: 'dependency-constraint' }],
      });
    }
  },
);

test.each(['v1.14.0', 'v2.3.4'])(
  '`spec.crossplane` as a string gets the package rejected on %s',
  async (on) => {
    expect(await judged(meta('{crossplane: v1.0.0}'), on)).toMatchObject({
      rejected: true,
      findings: [{ code: 'crossplane-string' }],
    });
  },
);

test('skipDependencyResolution in a package changes nothing', async () => {
  const text = meta(
    '{skipDependencyResolution: true, dependsOn: [{provider: xpkg.io/a/p, version: "*"}]}',
  );
  expect(await judged(text, 'v2.3.4')).toMatchObject({ requirements: [{ constraint: '*' }] });
});

test('the stream that the CLI builds begins and ends with a separator', async () => {
  const composition =
    'apiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nmetadata:\n  name: c\nspec: {pipeline: [{step: a}]}\n';
  const stream = `---\n${composition}---\n${meta('{}')}---\n`;
  expect(await judged(stream, 'v2.3.4')).toMatchObject({
    name: 'x',
    owns: [{ kind: 'Composition', name: 'c' }],
  });
});

test('`---x` is fatal, `---` with a comment is not', async () => {
  expect(isRejection(await judged(`${meta('{}')}---x\n`, 'v2.3.4'))).toBe(true);
  expect(isRejection(await judged(`${meta('{}')}--- # x\n`, 'v2.3.4'))).toBe(false);
});

test('v1beta1 Functions up to v1.17.1, v1 from v1.17.2 on', async () => {
  const v1 = meta('{}', { kind: 'Function' });
  const v1beta1 = meta('{}', { kind: 'Function', apiVersion: 'v1beta1' });
  expect(isRejection(await judged(v1, 'v1.16.0'))).toBe(true);
  expect(isRejection(await judged(v1, 'v1.17.1'))).toBe(true);
  expect(isRejection(await judged(v1, 'v1.17.2'))).toBe(false);
  expect(isRejection(await judged(v1beta1, 'v1.14.0'))).toBe(false);
  expect(isRejection(await judged(v1beta1, 'v2.3.4'))).toBe(false);
});
