import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import {
  convertCrds,
  convertPackage,
  type CrdOwner,
  crdV1,
  owningRange,
} from '../../../src/crossplane/legacy/convert-package.js';
import { registryContents } from '../../../src/sources/package-on-disk.js';
import { parseConstraint } from '../../../src/crossplane/constraints/constraint.js';
import { parseVersion } from '../../../src/crossplane/constraints/version.js';
import { parseGoYaml } from '../../../src/base/yaml/go-yaml.js';

const file = (name: string, text: string) => ({
  name: `.registry/${name}`,
  bytes: Buffer.from(text),
});

const owner = (name: string, owning: readonly string[]): CrdOwner => ({
  repository: `x.org/a/${name}`,
  kind: 'Provider',
  published: ['v0.1.0', 'v0.2.0', 'v0.3.0'],
  owning,
});

async function converted(
  app: object,
  owners: readonly CrdOwner[] = [],
  more: Readonly<Record<string, string>> = {},
) {
  const files = Object.entries({ 'app.yaml': JSON.stringify(app), ...more }).map(([name, text]) =>
    file(name, text),
  );
  const made = await convertPackage(files, await registryContents(files), {
    dialect: '3.4.0',
    ownersOf: async () => owners,
  });
  const parsed = parseGoYaml(made.files.get('crossplane.yaml')!);
  const { spec } = ('value' in parsed ? parsed.value : {}) as { spec: object };
  return { spec, lost: made.losses.map(({ what, text }) => `${what}: ${text}`) };
}

const asking = (text: string) => ({ dependsOn: text.split(' ').map((each) => ({ crd: each })) });

describe('dependencies on CRDs become dependencies on packages', () => {
  test('at the versions that own all required CRDs', async () => {
    const { spec } = await converted(asking('as.g.org/v1 *.g.org'), [owner('p', ['v0.2.0'])]);
    expect(spec).toEqual({
      controller: {
        permissionRequests: [
          { apiGroups: ['g.org'], resources: ['as'], verbs: ['*'] },
          { apiGroups: ['g.org'], resources: ['*'], verbs: ['*'] },
        ],
      },
      dependsOn: [{ provider: 'x.org/a/p', version: '>=v0.2.0, <v0.3.0' }],
    });
  });

  test.each([
    { why: 'no owner', owners: [], says: /^dependsOn as.g.org: no source given knows/ },
    {
      why: 'two owners',
      owners: [owner('p', ['v0.1.0']), owner('q', ['v0.1.0'])],
      says: /^dependsOn as.g.org: `x.org\/a\/p` is written for it.*`x.org\/a\/q`/,
    },
    { why: 'no version', owners: [owner('p', [])], says: /^dependsOn x.org\/a\/p: no version/ },
  ])('losses are reported: $why', async ({ owners, says }) => {
    const { lost } = await converted(asking('as.g.org'), owners);
    expect(lost).toContainEqual(expect.stringMatching(says));
  });

  test('an entry without a CRD is lost, but not one that the package owns itself', async () => {
    const own = JSON.stringify({
      apiVersion: 'apiextensions.k8s.io/v1beta1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'as.g.org' },
      spec: { group: 'g.org', names: { kind: 'A' }, version: 'v1' },
    });
    const more = { 'resources/crd.yaml': own };
    const { spec, lost } = await converted(asking('as.g.org nonsense'), [], more);
    expect(spec).not.toHaveProperty('dependsOn');
    expect(lost.filter((each) => each.startsWith('dependsOn'))).toEqual([
      expect.stringMatching(/nonsense: names no CRD/),
    ]);
  });
});

test('only the controller image of install.yaml is kept', async () => {
  const install = {
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      replicas: 3,
      template: { spec: { containers: [{ name: 'a' }, { image: 'x.org/c:v1' }] } },
    },
  };
  const { spec, lost } = await converted({}, [], { 'install.yaml': JSON.stringify(install) });
  expect(spec).toEqual({ controller: { image: 'x.org/c:v1' } });
  expect(lost).toEqual([
    expect.stringMatching(/^Deployment d: .*DeploymentRuntimeConfig/),
    expect.stringMatching(/^image: .*v2 ignores/),
  ]);
});

test('every field and file without an equivalent is named', async () => {
  const { lost } = await converted(
    {
      title: 'T',
      version: '1',
      permissionScope: 'Cluster',
      packageType: 'Stack',
      company: 'C',
      x: 1,
    },
    [],
    { 'icon.png': '', 'resources/g/group.yaml': '', 'resources/a.ui-schema.yaml': '', README: '' },
  );
  const names = lost.map((each) => each.split(':')[0]);
  const files = ['icon.png', 'group.yaml', 'a.ui-schema.yaml', 'README'];
  const fields = ['version', 'permissionScope', 'packageType', 'company', 'x'];
  expect(names).toEqual([...fields, 'install.yaml', ...files]);
});

const crd = (spec: object) => ({
  apiVersion: 'apiextensions.k8s.io/v1beta1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'as.g.org', uid: 'u', creationTimestamp: null },
  spec: { group: 'g.org', names: { kind: 'A', plural: 'as' }, ...spec },
  status: { storedVersions: [] },
});

describe('CRDs of v1beta1 as v1', () => {
  test('fields for all versions are copied to each version', () => {
    const schema = { openAPIV3Schema: { properties: { a: { type: 'string' } } } };
    const made = crdV1(
      crd({
        scope: 'Cluster',
        preserveUnknownFields: false,
        validation: schema,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'A', type: 'string', JSONPath: '.a' }],
        conversion: { strategy: 'Webhook', webhookClientConfig: { url: 'https://x.org' } },
        versions: [
          { name: 'v1', served: true, storage: true },
          {
            name: 'v1beta1',
            served: false,
            storage: false,
            schema: { openAPIV3Schema: { type: 'object' } },
          },
        ],
      }),
    );
    const shared = {
      subresources: { status: {} },
      additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a' }],
    };
    expect(made).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'as.g.org' },
      spec: {
        group: 'g.org',
        names: { kind: 'A', plural: 'as' },
        scope: 'Cluster',
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { url: 'https://x.org' },
            conversionReviewVersions: ['v1beta1'],
          },
        },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string' } } } },
            ...shared,
          },
          {
            name: 'v1beta1',
            served: false,
            storage: false,
            schema: { openAPIV3Schema: { type: 'object' } },
            ...shared,
          },
        ],
      },
    });
    expect(crdV1(made)).toEqual(made);
  });

  test('one version without a schema keeps every field', () => {
    expect(crdV1(crd({ version: 'v1' }))).toMatchObject({
      spec: {
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            storage: true,
            schema: {
              openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        ],
      },
    });
  });

  test('a CRD with a number that cannot be represented stays unchanged', async () => {
    const text = `# kept\n${JSON.stringify(crd({ version: 'v1' })).replace('"v1"', '"v1","x":9007199254740993')}\n`;
    const { files, losses } = await convertCrds([file('resources/crd.yaml', text)]);
    expect(files).toEqual([['crds/as.g.org.yaml', text]]);
    expect(losses).toMatchObject([{ what: 'as.g.org', text: /stays as it is/ }]);
  });

  test('a CRD name cannot lead to another folder', async () => {
    const text = JSON.stringify({ ...crd({ version: 'v1' }), metadata: { name: '../../x/.y' } });
    const { files } = await convertCrds([file('resources/crd.yaml', text)]);
    expect(files.map(([path]) => path)).toEqual(['crds/x.y.yaml']);
  });
});

test('a range admits exactly the published versions that own a CRD', () => {
  const version = fc
    .tuple(fc.nat(2), fc.nat(3), fc.nat(2))
    .map(([major, minor, patch]) => `v${major}.${minor}.${patch}`);
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(version, fc.boolean()), { selector: ([each]) => each }),
      fc.constantFrom('1.5.0' as const, '3.4.0' as const),
      (versions, dialect) => {
        const owning = new Set(versions.filter(([, owns]) => owns).map(([each]) => each));
        const published = versions.map(([each]) => each);
        const range = owningRange(owning, published, dialect);
        if (owning.size === 0) {
          expect(range).toBeUndefined();
          return;
        }
        const constraint = parseConstraint(range!, dialect);
        if (constraint.invalid) throw new Error(constraint.error);
        const admitted = published.filter((each) =>
          constraint.admits(parseVersion(each, dialect)!),
        );
        expect(new Set(admitted)).toEqual(owning);
      },
    ),
  );
});
