import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';

// The API of Crossplane v2 only has `mode: Pipeline`; v1.0.0 of this package has no pipeline.

const APP = 'xpkg.example.org/acme/configuration-app';
const META =
  'apiVersion: meta.pkg.crossplane.io/v1\nkind: Configuration\nmetadata: {name: configuration-app}\n';
const composition = (spec: string) =>
  `---\napiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nmetadata: {name: app}\nspec: {compositeTypeRef: {apiVersion: acme.org/v1, kind: XApp}, ${spec}}\n`;
const RESOURCES = composition('resources: [{name: a, base: {apiVersion: v1, kind: ConfigMap}}]');
const PIPELINE = composition('mode: Pipeline, pipeline: [{step: a, functionRef: {name: f}}]');
const TEXT = 'Composition `app` has no `pipeline`, which Crossplane v2.3.4 requires';

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'refused-contents-'));
  await write(`packages/${APP}@v1.0.0/package.yaml`, META + RESOURCES);
  await write(`packages/${APP}@v0.9.0/package.yaml`, META + PIPELINE);
});

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(cwd, file)), { recursive: true });
  await writeFile(join(cwd, file), text);
}

async function run(...argv: string[]) {
  const io = fakeIo({ cwd, env: { HOME: cwd } });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

const FROM = ['--from', 'dir:packages'];

async function chosenOn(crossplane: string) {
  const args = [`${APP}@*`, '--no-write', '-o', 'json', '--crossplane', crossplane];
  const { stdout } = await run('resolve', ...args, ...FROM);
  return (JSON.parse(stdout) as { packages: { version: string }[] }).packages[0]?.version;
}

test('the search chooses a version that the release accepts', async () => {
  expect(await chosenOn('v1.20.11')).toBe('v1.0.0');
  expect(await chosenOn('v2.3.4')).toBe('v0.9.0');
});

test('a refusal states the rule of the release as a fact of kind `content`', async () => {
  const args = [`${APP}@v1.0.0`, '--no-write', '--crossplane', 'v2.3.4', ...FROM];
  const { code, stdout } = await run('resolve', ...args, '-o', 'json');
  expect(code).toBe(EXIT.unsolvable);
  expect(JSON.parse(stdout)).toMatchObject({
    core: expect.arrayContaining([
      expect.objectContaining({ kind: 'content', text: expect.stringContaining(TEXT) }),
    ]),
  });
  const { notes } = await run('resolve', ...args);
  expect(notes.join('\n')).toContain(TEXT);
});

test('matrix has the reason in the rows of v2', async () => {
  const { stdout } = await run('matrix', `${APP}@v1.0.0`, ...FROM);
  expect(stdout).toMatch(/v1\.20\.13 +works/);
  expect(stdout).toMatch(/v2\.\S+ +blocked +.*Composition `app` has no `pipeline`/);
});

test('lint of the package is an error with its line, only on v2', async () => {
  const file = `packages/${APP}@v1.0.0/package.yaml`;
  const { code, stdout } = await run('lint', file, '--crossplane', 'v2.3.4', '-o', 'json');
  expect(code).toBe(EXIT.findings);
  expect(JSON.parse(stdout)).toMatchObject({
    findings: [{ code: 'api-refused', severity: 'error', line: 5 }],
  });
  expect((await run('lint', file, '--crossplane', 'v1.20.11')).code).toBe(EXIT.done);
});

async function planned(version: string, ...args: string[]) {
  const lock = async (file: string, of: string, crossplane: string) => {
    const flags = ['--lock', file, '--no-bundle', '--crossplane', crossplane];
    expect((await run('resolve', `${APP}@${of}`, ...flags, ...FROM)).code).toBe(EXIT.done);
  };
  await lock('old.yaml', 'v1.0.0', 'v1.20.11');
  await lock('new.yaml', version, 'v2.0.8');
  const ran = await run('plan', 'old.yaml', 'new.yaml', '-o', 'json', ...FROM, ...args);
  return {
    code: ran.code,
    answer: JSON.parse(ran.stdout) as {
      steps: { crossplane?: string; apply: string[]; because: string[]; warnings: string[] }[];
      core: { kind: string; text: string }[];
      suggestions: { args: string[] }[];
    },
  };
}

describe('a ControllerConfig among the inputs', () => {
  const CONFIG =
    'apiVersion: pkg.crossplane.io/v1alpha1\nkind: ControllerConfig\nmetadata: {name: big}\nspec: {replicas: 1}\n';
  const ARGS = [`${APP}@v0.9.0`, '-f', 'config.yaml', ...FROM];

  beforeEach(() => write('config.yaml', CONFIG));

  test('excludes the releases without them from a range', async () => {
    const args = [...ARGS, '--no-write', '--crossplane', '>=v1.14.0', '-o', 'json'];
    const { code, stdout } = await run('resolve', ...args);
    expect(code).toBe(EXIT.done);
    expect(JSON.parse(stdout)).toMatchObject({ crossplane: 'v1.20.13' });
  });

  test('blocks the releases without them in matrix, one row for releases with the same rules', async () => {
    const { stdout } = await run('matrix', ...ARGS);
    expect(stdout).toMatch(/^v1\.14\.0 to v1\.20\.13 +works/m);
    expect(stdout).toMatch(
      /^v2\.0\.0 to v2\.0\.2 +blocked +config.yaml:1: ControllerConfig `big`/m,
    );
    expect(stdout).not.toMatch(/^v2\.\S+.* works/m);
  });
});

describe('a plan from v1 to v2', () => {
  const XRD_V2 =
    '---\napiVersion: apiextensions.crossplane.io/v2\nkind: CompositeResourceDefinition\nmetadata: {name: xapps.acme.org}\nspec: {scope: Cluster, group: acme.org, names: {kind: XApp, plural: xapps}, versions: [{name: v1, served: true, referenceable: true}]}\n';

  beforeEach(async () => {
    await write(`packages/${APP}@v1.1.0/package.yaml`, META + PIPELINE);
    await write(`packages/${APP}@v2.0.0/package.yaml`, META + XRD_V2 + PIPELINE);
  });

  test('updates a package before the release that rejects it', async () => {
    const { answer } = await planned('v1.1.0');
    expect(answer.steps).toMatchObject([
      { apply: [`${APP}@v1.1.0`], warnings: [] },
      {
        crossplane: 'v2.0.8',
        apply: [],
        because: [expect.stringContaining(`Crossplane v2.0.8 would refuse ${APP} v1.0.0 (`)],
      },
    ]);
  });

  test('has no order if the new version cannot run on v1, and suggests an intermediate version', async () => {
    const { code, answer } = await planned('v2.0.0');
    expect(code).toBe(EXIT.unsolvable);
    expect(answer.core.map(({ kind }) => kind)).toEqual(['content', 'content']);
    expect(answer.suggestions[0]?.args).toEqual(['--via', `${APP}@v1.1.0`]);
    const { answer: via } = await planned('v2.0.0', '--via', `${APP}@v1.1.0`);
    expect(via.steps.map(({ crossplane, apply }) => crossplane ?? apply[0])).toEqual([
      `${APP}@v1.1.0`,
      'v2.0.8',
      `${APP}@v2.0.0`,
    ]);
  });
});

test('the cluster installs the dependencies and cannot establish the package', async () => {
  const args = [`${APP}@v1.0.0`, '--crossplane', 'v2.3.4', '-o', 'json', ...FROM];
  const { stdout } = await run('simulate', ...args);
  expect(stdout).toContain(
    'cannot establish control of object: Composition.apiextensions.crossplane.io \\"app\\" is invalid: spec: Invalid value: an array of pipeline steps is required in Pipeline mode',
  );
});

test('a package under development is rejected with the file of its Composition', async () => {
  await write('own/crossplane.yaml', `${META}spec: {}\n`);
  await write('own/apis/app.yaml', RESOURCES);
  const { code, notes } = await run('resolve', '-f', 'own', '--no-write', '--crossplane', 'v2.3.4');
  expect(code).toBe(EXIT.badInput);
  expect(notes.join('\n')).toContain('own/apis/app.yaml:2');
  expect(notes.join('\n')).toContain(TEXT);
  const ranged = await run('resolve', '-f', 'own', '--no-write', '--crossplane', '>=v1.20.0');
  expect(ranged.code).toBe(EXIT.done);
});

describe('an index', () => {
  const INDEX = ['--from', 'index:index.json'];

  test('has the facts that the rule needs', async () => {
    expect((await run('index', APP, ...FROM, '--out', 'index.json')).code).toBe(EXIT.done);
    const args = [`${APP}@v1.0.0`, '--no-write', '--crossplane', 'v2.3.4', '-o', 'json'];
    const { code, stdout } = await run('resolve', ...args, ...INDEX);
    expect(code).toBe(EXIT.unsolvable);
    expect(stdout).toContain(TEXT);
  });

  test('without these facts rejects nothing, and lint reports once that the rule was not checked', async () => {
    await run('index', APP, ...FROM, '--out', 'index.json');
    const { packages } = JSON.parse(await readFile(join(cwd, 'index.json'), 'utf8')) as {
      packages: Record<string, { kind: string; versions: Record<string, object> }>;
    };
    const { versions } = packages[APP]!;
    for (const entry of Object.values(versions)) Reflect.deleteProperty(entry, 'compositionSpecs');
    const other = `${APP}-2`;
    const twin = { kind: 'Configuration', versions: { 'v1.0.0': { compositions: ['b'] } } };
    await write('index.json', JSON.stringify({ packages: { ...packages, [other]: twin } }));
    await write(
      'xpkg.yaml',
      `apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nmetadata: {name: s}\nspec:\n  crossplane: v2.3.4\n  packages:\n    - {package: ${APP}, version: v1.0.0}\n    - {package: ${other}, version: v1.0.0}\n`,
    );
    const linted = await run('lint', '-o', 'json', ...INDEX);
    expect(linted.code).toBe(EXIT.done);
    const { findings } = JSON.parse(linted.stdout) as { findings: { rule: string }[] };
    expect(findings.filter(({ rule }) => rule === 'api-refused')).toEqual([
      expect.objectContaining({
        severity: 'info',
        text: expect.stringMatching(/^not checked: .* and 1 more; the source does not state/),
      }),
    ]);
    const single = await run('lint', `${APP}@v1.0.0`, '--crossplane', 'v2.3.4', ...INDEX);
    expect(single.code).toBe(EXIT.done);
    expect(single.stdout).toContain('info: not checked: whether Crossplane v2.3.4 accepts');
    const { notes } = await run('matrix', ...INDEX);
    expect(notes.filter((note) => note.includes('not checked'))).toEqual([
      expect.stringMatching(/^note: not checked: whether Crossplane v2\.0\.0 to v2\.\S+ accepts/),
    ]);
    const v1 = await run('lint', '--crossplane', 'v1.20.11', ...INDEX);
    expect(v1.stdout).not.toContain('api-refused');
  });
});

describe('unknown fields of a package under development', () => {
  const OWN = `${META}spec:\n  dependOn:\n    - {provider: xpkg.example.org/acme/p, version: "*"}\n`;

  test('lint of the file: a warning with its line, an error with --strict', async () => {
    await write('crossplane.yaml', OWN);
    const linted = await run('lint', 'crossplane.yaml', '-o', 'json');
    expect(linted.code).toBe(EXIT.done);
    expect(JSON.parse(linted.stdout)).toMatchObject({
      findings: [{ code: 'unknown-field', severity: 'warning', file: 'crossplane.yaml', line: 5 }],
    });
    const strict = await run('lint', 'crossplane.yaml', '--strict');
    expect(strict.code).toBe(EXIT.findings);
    expect(strict.stdout).toContain('crossplane.yaml:5: error: `spec.dependOn`');
    expect(strict.stdout).toContain('takes it: 1 error');
  });

  test('lint of the project: the same, as a finding', async () => {
    await write('crossplane.yaml', OWN);
    const linted = await run('lint', '-o', 'json', ...FROM);
    expect(linted.code).toBe(EXIT.done);
    expect(JSON.parse(linted.stdout)).toMatchObject({
      findings: [{ rule: 'unknown-field', severity: 'warning', line: 5 }],
    });
    expect(linted.notes.join('\n')).not.toContain('dependOn');
    expect((await run('lint', '--strict', ...FROM)).code).toBe(EXIT.findings);
  });

  test('resolve warns, and fails with --strict', async () => {
    await write('crossplane.yaml', OWN);
    const args = ['resolve', '-f', 'crossplane.yaml', '--no-write', ...FROM];
    const resolved = await run(...args);
    expect(resolved.code).toBe(EXIT.done);
    expect(resolved.notes).toContainEqual(
      expect.stringMatching(/^warning: crossplane\.yaml:5: `spec\.dependOn` .* `dependsOn`\?$/),
    );
    expect((await run(...args, '--strict')).code).toBe(EXIT.badInput);
  });
});

/** Returns the notes of `matrix` on metadata that a release does not read. */
async function droppedFieldNotes(...argv: string[]): Promise<readonly string[]> {
  return (await run('matrix', ...argv)).notes.filter((note) => note.includes('does not read'));
}

test('matrix names providers with metadata that v2 does not read', async () => {
  const provider = 'xpkg.example.org/acme/provider-old';
  await write(
    `packages/${provider}@v1.0.0/package.yaml`,
    'apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata: {name: provider-old}\nspec: {controller: {image: x.io/a/run:v1}}\n',
  );
  expect(await droppedFieldNotes(provider, ...FROM)).toEqual([
    `warning: ${provider} v1.0.0: Crossplane v2.0.0 to v2.4.2 does not read \`spec.controller.image\`: the image of the package runs, not \`x.io/a/run:v1\``,
  ]);
  const summary = (await run('matrix', provider, ...FROM, '--format', 'markdown')).stdout;
  expect(summary).toContain('Crossplane v2.0.0 to v2.4.2 does not read');
  expect(await droppedFieldNotes(provider, ...FROM, '--crossplane', '<v2.0.0')).toEqual([]);
  expect(await droppedFieldNotes(`${APP}@v0.9.0`, ...FROM)).toEqual([]);
  const index = { packages: { [provider]: { kind: 'Provider', versions: { 'v1.0.0': {} } } } };
  await write('index.json', JSON.stringify(index));
  expect(await droppedFieldNotes(provider, '--from', 'index:index.json')).toEqual([
    expect.stringContaining(`not checked: whether the metadata of ${provider} v1.0.0 has an image`),
  ]);
});
