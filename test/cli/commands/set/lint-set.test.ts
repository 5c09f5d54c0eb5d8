import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../../../src/cli/exit-code.js';
import { runCli } from '../../../../src/cli/run.js';
import { fakeIo } from '../../../support/fake-io.js';

interface Story {
  /** By `REPOSITORY@VERSION`: what follows `kind: …, metadata: …` of the package, and its objects. */
  readonly packages: Readonly<Record<string, string>>;
  /** Entries of `spec.packages`. */
  readonly asked: readonly string[];
  readonly crossplane?: string;
  readonly argv?: readonly string[];
}

const ORG = 'xpkg.example.org/acme';

async function lint({ packages, asked, crossplane = 'v1.20.11', argv = [] }: Story) {
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

function crd(plural: string, group: string, kind: string): string {
  return `---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ${plural}.${group}}\nspec: {group: ${group}, names: {kind: ${kind}, plural: ${plural}}, scope: Cluster, versions: [{name: v1, served: true, storage: true}]}\n`;
}

const member = (name: string) =>
  pkg('Provider', name, '{}', 'labels: {pkg.crossplane.io/provider-family: provider-family-cloud}');

const STORAGE = pkg('Provider', 'provider-storage') + crd('buckets', 'storage.acme.org', 'Bucket');
const XRD =
  '---\napiVersion: apiextensions.crossplane.io/v1\nkind: CompositeResourceDefinition\nmetadata: {name: xapps.acme.org}\nspec: {group: acme.org, names: {kind: XApp, plural: xapps}, versions: [{name: v1}]}\n';

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

test('a set without faults has no findings', async () => {
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

test.each<
  Story & { why: string; rule: string; severity: string; code: number; says: string; line?: number }
>([
  {
    why: 'a member beside a family of another organisation',
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
    why: 'members far apart',
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
    why: 'a constraint that refuses patched builds',
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
    why: 'a function that is not in the set',
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
    severity: 'warning',
    code: EXIT.done,
    says: '`Queue` of `storage.acme.org/v1`',
    packages: {
      ...PARTS,
      [`${ORG}/platform@v1.0.0`]:
        pkg('Configuration', 'platform', PLATFORM) + composition([], 'Queue'),
    },
    asked: [`configuration: ${ORG}/platform`],
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
    why: 'a package that skips dependency resolution beside one that does not',
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

test('a set that has no answer is refused as `resolve` refuses it', async () => {
  const { code } = await lint({ packages: PARTS, asked: [`provider: ${ORG}/nothing`] });
  expect(code).toBe(EXIT.unsolvable);
});

test('digest-and-range: one that is asked for by digest, and as a range', async () => {
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
