import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';

interface Story {
  /**
   * The rest of the package after `kind: …, metadata: …`, and its objects, by `REPOSITORY@VERSION`.
   */
  readonly packages: Readonly<Record<string, string>>;
  /** Entries of `spec.packages`. */
  readonly asked: readonly string[];
  readonly crossplane?: string;
  readonly argv?: readonly string[];
  /** Further files, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

const ORG = 'xpkg.example.org/acme';

async function lint({ packages, asked, crossplane = 'v1.20.11', argv = [], files = {} }: Story) {
  const cwd = await mkdtemp(join(tmpdir(), 'lint-set-'));
  for (const [id, yaml] of Object.entries(packages)) {
    const file = join(cwd, 'packages', id, 'package.yaml');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, yaml);
  }
  const entries = asked.map((entry) => `    - ${entry}\n`).join('');
  await writeFile(
    join(cwd, 'xpkg.yaml'),
    `apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nmetadata: {name: s}\nspec:\n  crossplane: ${crossplane}\n  packages:\n${entries}`,
  );
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  await mkdir(join(cwd, 'packages'), { recursive: true });
  const io = fakeIo({ cwd, env: { HOME: cwd } });
  const code = await runCli(['lint', '--from', 'dir:packages', '-o', 'json', ...argv], io);
  const { findings = [] } = JSON.parse(io.stdout()) as { findings?: Found[] };
  return { code, findings, notes: io.notes() };
}

interface Found {
  readonly rule: string;
  readonly severity: string;
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly fix?: string;
}

function pkg(kind: string, name: string, spec = '{}', metadata = ''): string {
  const more = metadata === '' ? '' : `, ${metadata}`;
  return `apiVersion: meta.pkg.crossplane.io/v1\nkind: ${kind}\nmetadata: {name: ${name}${more}}\nspec: ${spec}\n`;
}

const SERVED = '{name: v1, served: true, storage: true}';

function crd(plural: string, group: string, kind: string, versions = SERVED): string {
  return `---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ${plural}.${group}}\nspec: {group: ${group}, names: {kind: ${kind}, plural: ${plural}}, scope: Cluster, versions: [${versions}]}\n`;
}

const member = (name: string) =>
  pkg('Provider', name, '{}', 'labels: {pkg.crossplane.io/provider-family: provider-family-cloud}');

const STORAGE = pkg('Provider', 'provider-storage') + crd('buckets', 'storage.acme.org', 'Bucket');
const XRD =
  '---\napiVersion: apiextensions.crossplane.io/v1\nkind: CompositeResourceDefinition\nmetadata: {name: xapps.acme.org}\nspec: {group: acme.org, names: {kind: XApp, plural: xapps}, versions: [{name: v1, served: true, referenceable: true}]}\n';

function composition(functions: readonly string[], kind: string): string {
  const steps = functions.map((name) => `{step: ${name}, functionRef: {name: ${name}}}`);
  const input = `{step: base, functionRef: {name: acme-function-pt}, input: {resources: [{base: {apiVersion: storage.acme.org/v1, kind: ${kind}}}]}}`;
  return `${XRD}---\napiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nmetadata: {name: app}\nspec: {compositeTypeRef: {apiVersion: acme.org/v1, kind: XApp}, mode: Pipeline, pipeline: [${[input, ...steps].join(', ')}]}\n`;
}

const PLATFORM = `{dependsOn: [{provider: ${ORG}/provider-storage, version: ">=v1.0.0"}, {function: ${ORG}/function-pt, version: ">=v1.0.0"}]}`;
const PARTS = {
  [`${ORG}/provider-storage@v1.0.0`]: STORAGE,
  [`${ORG}/function-pt@v1.0.0`]: pkg('Function', 'function-pt'),
};

/** A project whose provider has these versions of Bucket; the Composition uses v1. */
function withBuckets(versions: string): Pick<Story, 'packages' | 'asked'> {
  return {
    packages: {
      ...PARTS,
      [`${ORG}/provider-storage@v1.0.0`]:
        pkg('Provider', 'provider-storage') +
        crd('buckets', 'storage.acme.org', 'Bucket', versions),
      [`${ORG}/platform@v1.0.0`]:
        pkg('Configuration', 'platform', PLATFORM) + composition([], 'Bucket'),
    },
    asked: [`configuration: ${ORG}/platform`],
  };
}

test('a project without problems has no findings', async () => {
  const { code, findings } = await lint({
    packages: {
      ...PARTS,
      [`${ORG}/platform@v1.0.0`]:
        pkg('Configuration', 'platform', PLATFORM) + composition([], 'Bucket'),
    },
    asked: [`configuration: ${ORG}/platform`],
  });
  expect(findings).toEqual([]);
  expect(code).toBe(EXIT.done);
});

test.each([
  { group: 'kubernetes.crossplane.io', rules: ['missing-kind'] },
  { group: 's3.aws.crossplane.io', rules: ['missing-kind'] },
  { group: 'apiextensions.crossplane.io', rules: [] },
  { group: 'pt.fn.crossplane.io', rules: [] },
  { group: 'networking.k8s.io', rules: [] },
  { group: 'apps', rules: [] },
])('a kind of $group that no package defines is reported as $rules', async ({ group, rules }) => {
  const uses = composition([], 'Thing').replaceAll('storage.acme.org/v1', `${group}/v1`);
  const { findings } = await lint({
    packages: { ...PARTS, [`${ORG}/platform@v1.0.0`]: pkg('Configuration', 'p', PLATFORM) + uses },
    asked: [`configuration: ${ORG}/platform`],
  });
  expect(findings.map(({ rule }) => rule)).toEqual(rules);
});

test.each<
  Story & { why: string; rule: string; severity: string; code: number; says: string; line?: number }
>([
  {
    why: 'a member of the same family from another organisation',
    rule: 'family-apart',
    severity: 'error',
    code: EXIT.findings,
    says: 'xpkg.example.org/other',
    line: 8,
    packages: {
      'xpkg.example.org/other/provider-family-cloud@v1.0.0': pkg(
        'Provider',
        'provider-family-cloud',
      ),
      [`${ORG}/provider-cloud-db@v1.0.0`]: member('provider-cloud-db'),
    },
    asked: [
      'provider: xpkg.example.org/other/provider-family-cloud',
      `provider: ${ORG}/provider-cloud-db`,
    ],
  },
  {
    why: 'members with distant versions',
    rule: 'family-versions',
    severity: 'warning',
    code: EXIT.done,
    says: 'v1.9.0',
    packages: {
      [`${ORG}/provider-cloud-db@v1.2.0`]: member('provider-cloud-db'),
      [`${ORG}/provider-cloud-vm@v1.9.0`]: member('provider-cloud-vm'),
    },
    asked: [`provider: ${ORG}/provider-cloud-db`, `provider: ${ORG}/provider-cloud-vm`],
  },
  {
    why: 'a source without its registry',
    rule: 'unqualified-source',
    severity: 'warning',
    code: EXIT.done,
    says: 'acme/provider-storage',
    packages: { 'acme/provider-storage@v1.0.0': STORAGE },
    asked: ['provider: acme/provider-storage'],
  },
  {
    why: 'a constraint that excludes patched builds',
    rule: 'patched-crossplane',
    severity: 'info',
    code: EXIT.done,
    says: 'v1.20.11-up.1',
    packages: { [`${ORG}/p@v1.0.0`]: pkg('Provider', 'p', '{crossplane: {version: ">=v1.15.0"}}') },
    asked: [`provider: ${ORG}/p`],
  },
  {
    why: 'a function installed under another name',
    rule: 'missing-function',
    severity: 'error',
    code: EXIT.findings,
    says: 'is installed as `acme-function-pt`',
    packages: {
      ...PARTS,
      [`${ORG}/platform@v1.0.0`]:
        pkg('Configuration', 'platform', PLATFORM) + composition(['function-pt'], 'Bucket'),
    },
    asked: [`configuration: ${ORG}/platform`],
  },
  {
    why: 'a function that is not in the project',
    rule: 'missing-function',
    severity: 'error',
    code: EXIT.findings,
    says: 'no Function of that name',
    packages: {
      ...PARTS,
      [`${ORG}/platform@v1.0.0`]:
        pkg('Configuration', 'platform', PLATFORM) + composition(['acme-function-go'], 'Bucket'),
    },
    asked: [`configuration: ${ORG}/platform`],
  },
  {
    why: 'a kind that nothing defines',
    rule: 'missing-kind',
    severity: 'error',
    code: EXIT.findings,
    says: '`Queue` of `storage.acme.org/v1`',
    packages: {
      ...PARTS,
      [`${ORG}/platform@v1.0.0`]:
        pkg('Configuration', 'platform', PLATFORM) + composition([], 'Queue'),
    },
    asked: [`configuration: ${ORG}/platform`],
  },
  {
    why: 'a version that the provider does not have',
    rule: 'kind-not-served',
    severity: 'error',
    code: EXIT.findings,
    says: 'which xpkg.example.org/acme/provider-storage v1.0.0 does not serve; it serves `v2`',
    ...withBuckets('{name: v2, served: true, storage: true}'),
  },
  {
    why: 'a version that the provider no longer serves',
    rule: 'kind-not-served',
    severity: 'error',
    code: EXIT.findings,
    says: 'it serves `v2`, `v3`',
    ...withBuckets(
      '{name: v1, served: false}, {name: v2, served: true}, {name: v3, served: true, storage: true}',
    ),
  },
  {
    why: 'a version that the provider has deprecated',
    rule: 'kind-deprecated',
    severity: 'warning',
    code: EXIT.done,
    says: '`Bucket` of `storage.acme.org/v1`, which xpkg.example.org/acme/provider-storage v1.0.0 has deprecated',
    ...withBuckets(
      '{name: v1, served: true, deprecated: true}, {name: v2, served: true, storage: true}',
    ),
  },
  {
    why: 'a version that is not the stored one',
    rule: 'kind-not-stored',
    severity: 'warning',
    code: EXIT.done,
    says: 'which xpkg.example.org/acme/provider-storage v1.0.0 stores as `v2`',
    ...withBuckets('{name: v1, served: true}, {name: v2, served: true, storage: true}'),
  },
  {
    why: 'a member whose version is far from the provider of its family',
    rule: 'family-versions',
    severity: 'warning',
    code: EXIT.done,
    says: 'provider-cloud-db v1.2.0 is far from xpkg.example.org/acme/provider-family-cloud v2.0.0',
    packages: {
      [`${ORG}/provider-family-cloud@v2.0.0`]: member('provider-family-cloud'),
      [`${ORG}/provider-cloud-db@v1.2.0`]: member('provider-cloud-db'),
    },
    asked: [`provider: ${ORG}/provider-family-cloud`, `provider: ${ORG}/provider-cloud-db`],
  },
  {
    why: 'a package twice in dependsOn',
    rule: 'duplicate-dependency',
    severity: 'warning',
    code: EXIT.done,
    says: 'more than once',
    packages: {
      ...PARTS,
      [`${ORG}/platform@v1.0.0`]: pkg(
        'Configuration',
        'platform',
        PLATFORM.replace(']}', `, {provider: ${ORG}/provider-storage, version: ">=v0.1.0"}]}`),
      ),
    },
    asked: [`configuration: ${ORG}/platform`],
  },
  {
    why: 'a dependency under a name of the user',
    rule: 'object-name',
    severity: 'warning',
    code: EXIT.done,
    says: 'a second object `acme-provider-storage`',
    packages: { ...PARTS, [`${ORG}/platform@v1.0.0`]: pkg('Configuration', 'platform', PLATFORM) },
    asked: [`configuration: ${ORG}/platform`, `{provider: ${ORG}/provider-storage, name: storage}`],
  },
  {
    why: 'a provider that nothing uses',
    rule: 'unused-provider',
    severity: 'info',
    code: EXIT.done,
    says: 'provider-mail',
    packages: {
      ...PARTS,
      [`${ORG}/provider-mail@v1.0.0`]:
        pkg('Provider', 'provider-mail') + crd('mails', 'mail.acme.org', 'Mail'),
      [`${ORG}/platform@v1.0.0`]:
        pkg('Configuration', 'platform', PLATFORM) + composition([], 'Bucket'),
    },
    asked: [`configuration: ${ORG}/platform`, `provider: ${ORG}/provider-mail`],
  },
  {
    why: 'a package that skips dependency resolution and one that does not',
    rule: 'skip-mixture',
    severity: 'error',
    code: EXIT.findings,
    says: 'reports it missing',
    line: 8,
    packages: PARTS,
    asked: [
      `provider: ${ORG}/provider-storage`,
      `{function: ${ORG}/function-pt, spec: {skipDependencyResolution: true}}`,
    ],
  },
])('$rule: $why', async ({ rule, severity, code, says, line = 7, ...story }) => {
  const linted = await lint(story);
  const found = linted.findings.filter((finding) => finding.rule === rule);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ severity, file: 'xpkg.yaml' });
  expect(found[0]!.line).toBeGreaterThanOrEqual(line);
  expect(found[0]!.text).toContain(says);
  expect(found[0]!.fix).toMatch(/\w/);
  expect(linted.code).toBe(code);
  const strict = await lint({ ...story, argv: ['--fail-on', severity] });
  expect(strict.code).toBe(EXIT.findings);
});

test('refuses an unsolvable project as `resolve` does', async () => {
  const { code } = await lint({ packages: PARTS, asked: [`provider: ${ORG}/nothing`] });
  expect(code).toBe(EXIT.unsolvable);
});

test('digest-and-range: one package required by digest and by range', async () => {
  const digest = `sha256:${'5'.repeat(64)}`;
  const { code, findings, notes } = await lint({
    packages: {
      ...PARTS,
      [`${ORG}/platform@v1.0.0`]: pkg(
        'Configuration',
        'platform',
        PLATFORM.replace('>=v1.0.0', digest),
      ),
      [`${ORG}/other@v1.0.0`]: pkg('Configuration', 'other', PLATFORM),
    },
    asked: [`configuration: ${ORG}/platform`, `configuration: ${ORG}/other`],
  });
  expect(notes).toEqual([]);
  expect(code).toBe(EXIT.unsolvable);
  expect(findings).toMatchObject([
    {
      rule: 'digest-and-range',
      severity: 'error',
      file: 'xpkg.yaml',
      line: 7,
      text: expect.stringContaining(`${ORG}/other asks for it as \`>=v1.0.0\``),
      fix: expect.stringContaining('--pin digest'),
    },
  ]);
});

const infos = ({ findings }: { findings: readonly Found[] }) =>
  findings.filter(({ severity }) => severity === 'info').map(({ rule }) => rule);

describe('rules without facts in an index', () => {
  const index = (versions: Readonly<Record<string, object>>) => {
    const packages = Object.entries(versions).map(([name, entry]) => {
      const kind = name.startsWith('provider') ? 'Provider' : 'Configuration';
      return [`${ORG}/${name}`, { kind, versions: { 'v1.0.0': entry } }];
    });
    return JSON.stringify({ packages: Object.fromEntries(packages) });
  };
  const asked = [`configuration: ${ORG}/platform`, `provider: ${ORG}/provider-a`];
  const dependsOn = [{ provider: `${ORG}/provider-b`, version: '>=v1.0.0' }];
  const from = ['--from', 'index:index.json'];
  test('are listed once as not checked, for any number of packages', async () => {
    const bare = index({
      platform: { dependsOn, compositions: ['a', 'b'] },
      'provider-a': { crds: ['as.acme.org'] },
      'provider-b': { crds: ['bs.acme.org'] },
    });
    const linted = await lint({ packages: {}, asked, argv: from, files: { 'index.json': bare } });
    expect(infos(linted)).toEqual(['family-versions', 'missing-kind']);
    for (const { text } of linted.findings) expect(text).toMatch(/^not checked: /);
    expect(linted.code).toBe(EXIT.done);
  });

  test('labels in an index are compared', async () => {
    const labels = {};
    const known = index({
      platform: { dependsOn },
      'provider-a': { labels },
      'provider-b': { labels },
    });
    const linted = await lint({ packages: {}, asked, argv: from, files: { 'index.json': known } });
    expect(infos(linted)).toEqual([]);
  });
});

test('reports a runtime config that is not among the inputs', async () => {
  const packages = { [`${ORG}/provider-storage@v1.0.0`]: STORAGE };
  const linted = async (spec: string, crossplane: string) => {
    const entry = `{provider: ${ORG}/provider-storage, version: v1.0.0, spec: ${spec}}`;
    const { findings } = await lint({ packages, asked: [entry], crossplane });
    return findings.filter(({ rule }) => rule === 'missing-runtime-config');
  };
  expect(await linted('{runtimeConfigRef: {name: big}}', 'v2.3.4')).toMatchObject([
    {
      severity: 'warning',
      file: 'xpkg.yaml',
      line: 7,
      text: expect.stringContaining('there is no DeploymentRuntimeConfig `big`') as string,
    },
  ]);
  expect(await linted('{controllerConfigRef: {name: big}}', 'v1.20.11')).toMatchObject([
    { text: expect.stringContaining('there is no ControllerConfig `big`') as string },
  ]);
  expect(await linted('{runtimeConfigRef: {name: default}}', 'v2.3.4')).toEqual([]);
  // Rendering omits fields that the release does not have.
  expect(await linted('{controllerConfigRef: {name: big}}', 'v2.3.4')).toEqual([]);
});

test('finds a runtime config among the inputs', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'lint-set-'));
  const file = join(cwd, 'packages', `${ORG}/provider-storage@v1.0.0`, 'package.yaml');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, STORAGE);
  await writeFile(
    join(cwd, 'objects.yaml'),
    `apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: storage}
spec: {package: "${ORG}/provider-storage:v1.0.0", controllerConfigRef: {name: big}}
---
apiVersion: pkg.crossplane.io/v1alpha1
kind: ControllerConfig
metadata: {name: big}
`,
  );
  const io = fakeIo({ cwd, env: { HOME: cwd } });
  const sources = ['-f', 'objects.yaml', '--from', 'dir:packages'];
  expect(await runCli(['lint', ...sources, '--crossplane', 'v1.20.11', '-o', 'json'], io)).toBe(0);
  expect(io.stdout()).not.toContain('missing-runtime-config');
  const refused = fakeIo({ cwd, env: { HOME: cwd } });
  const argv = ['resolve', ...sources, '--crossplane', 'v2.3.4', '--no-bundle'];
  expect(await runCli(argv, refused)).toBe(EXIT.badInput);
  expect(refused.notes().join()).toContain(
    'objects.yaml:6: ControllerConfig `big` cannot be applied',
  );
});

test('api-dropped: metadata fields that v2 does not read', async () => {
  const spec =
    '{controller: {image: "x.io/a/run:v1", permissionRequests: [{apiGroups: [""], resources: [secrets], verbs: [get]}]}}';
  const packages = { [`${ORG}/provider-old@v1.0.0`]: pkg('Provider', 'provider-old', spec) };
  const asked = [`provider: ${ORG}/provider-old`];
  const dropped = async (crossplane: string) => {
    const { findings } = await lint({ packages, asked, crossplane });
    return findings.filter(({ rule }) => rule === 'api-dropped');
  };
  expect(await dropped('v1.20.11')).toEqual([]);
  const [image, permissions] = ['image', 'permissionRequests'].map(
    (field) => expect.stringContaining(`does not read \`spec.controller.${field}\``) as string,
  );
  expect(await dropped('v2.3.4')).toMatchObject([
    { severity: 'warning', line: 7, text: image },
    { severity: 'warning', line: 7, text: permissions },
  ]);
});

test('api-dropped: reports once, and only on v2, that an index does not state it', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'index-'));
  const names = ['provider-a', 'provider-b'].map((name) => `${ORG}/${name}`);
  const packages = Object.fromEntries(
    names.map((name) => [name, { kind: 'Provider', versions: { 'v1.0.0': {} } }]),
  );
  await writeFile(join(cwd, 'index.json'), JSON.stringify({ packages }));
  const set = names.map((name) => `    - {provider: ${name}}\n`).join('');
  await writeFile(
    join(cwd, 'xpkg.yaml'),
    `apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nmetadata: {name: s}\nspec:\n  packages:\n${set}`,
  );
  const dropped = async (key: 'rule' | 'code', ...argv: string[]) => {
    const io = fakeIo({ cwd, env: { HOME: cwd } });
    expect(await runCli(['lint', ...argv, '--from', 'index:index.json', '-o', 'json'], io)).toBe(0);
    const { findings } = JSON.parse(io.stdout()) as { findings: Record<string, unknown>[] };
    return findings.filter((each) => each[key] === 'api-dropped');
  };
  const unchecked = expect.stringContaining('not checked: whether the metadata ') as string;
  expect(await dropped('rule', '--crossplane', 'v2.3.4')).toMatchObject([
    { severity: 'info', text: expect.stringContaining('provider-a v1.0.0 and 1 more has') },
  ]);
  expect(await dropped('rule', '--crossplane', 'v1.20.11')).toEqual([]);
  const one = `${names[0]}@v1.0.0`;
  expect(await dropped('code', one, '--crossplane', 'v2.3.4')).toMatchObject([
    { severity: 'info', message: unchecked },
  ]);
  expect(await dropped('code', one, '--crossplane', 'v1.20.11')).toEqual([]);
});
