import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { on, status } from '../../support/registry/faults.js';
import { packageImage } from '../../support/registry/image.js';
import { Registry } from '../../support/registry/registry.js';

const ROOT = join(import.meta.dirname, '../../..');
const FROM = ['--from', `dir:${join(ROOT, 'fixtures/packages')}`];
let made: string;
let cwd: string;

beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), 'check-'));
  cwd = made;
  await cp(join(ROOT, 'fixtures/demo'), made, { recursive: true });
  await run('resolve', '-f', '.', ...FROM);
});

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'check-'));
  await cp(made, cwd, { recursive: true });
});

afterEach(() => rm(cwd, { recursive: true }));

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd, env: { HOME: cwd } });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

const check = (...more: readonly string[]) => run('check', '-f', '.', ...FROM, ...more);

/** Results of the steps: `inputs passed`. */
async function steps(...more: readonly string[]): Promise<Record<string, string>> {
  const { stdout } = await check(...more);
  const rows = stdout.trimEnd().split('\n');
  return Object.fromEntries(rows.map((row) => row.split(/ +/).slice(0, 2)));
}

async function edit(file: string, from: string | RegExp, to: string): Promise<void> {
  const text = await readFile(join(cwd, file), 'utf8');
  expect(text.replace(from, to)).not.toBe(text);
  await writeFile(join(cwd, file), text.replace(from, to));
}

const WELL = {
  inputs: 'passed',
  locked: 'passed',
  rendered: 'passed',
  verify: 'passed',
  lint: 'passed',
  matrix: 'skipped',
};

test('no problems: one table, and exit 0', async () => {
  const { code, stdout } = await check();
  expect(code).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "inputs    passed   4 roots asked for
    locked    passed   13 packages for Crossplane v1.20.11
    rendered  passed   rendered/ is what xpkg.lock.yaml renders
    verify    passed   13 packages are as locked, for Crossplane v1.20.11
    lint      passed   0 errors, 0 warnings
    matrix    skipped  \`spec.crossplanes\` names no release
    "
  `);
});

test('without a lockfile, the finding states how to create one', async () => {
  await rm(join(cwd, 'xpkg.lock.yaml'));
  const { code, stderr } = await check();
  expect(code).toBe(4);
  expect(stderr).toContain('there is no lockfile `xpkg.lock.yaml`');
  expect(stderr).toContain('fix: `xpkg-resolve resolve` writes one');
});

test('unreadable inputs: exit 2, and no further steps', async () => {
  await edit('xpkg.yaml', 'version: "~v0.5.0"', 'version: [1]');
  expect((await check()).code).toBe(2);
  const { inputs, ...rest } = await steps();
  expect({ inputs, rest: new Set(Object.values(rest)) }).toEqual({
    inputs: 'failed',
    rest: new Set(['skipped']),
  });
});

test('missing lockfile: exit 4', async () => {
  await rm(join(cwd, 'xpkg.lock.yaml'));
  expect((await check()).code).toBe(4);
  expect(await steps()).toMatchObject({ inputs: 'passed', locked: 'failed', verify: 'skipped' });
});

test('a stale lockfile: exit 4, and the line of the changed package', async () => {
  await edit('xpkg.yaml', '"~v0.5.0"', '"v0.5.0"');
  const { code, stderr } = await check();
  expect(code).toBe(4);
  expect(stderr).toMatch(
    /^error: locked: xpkg\.lock\.yaml:\d+: would downgrade .*configuration-cluster/m,
  );
  expect(await steps()).toMatchObject({ locked: 'failed', verify: 'failed', rendered: 'passed' });
});

test('no solution: exit 3, with a hint, and lint is skipped', async () => {
  await edit('xpkg.yaml', '">=v1.0.0"', '">=v2.0.0"');
  const { code, stderr } = await check();
  expect(code).toBe(3);
  expect(stderr).toContain('  fix: ');
  expect(await steps()).toMatchObject({ locked: 'failed', lint: 'skipped' });
});

test('edited rendered manifests: exit 4; missing ones are no failure', async () => {
  await edit('rendered/packages.yaml', 'revisionHistoryLimit: 3', 'revisionHistoryLimit: 4');
  expect((await check()).code).toBe(4);
  expect(await steps()).toEqual({ ...WELL, rendered: 'failed' });
  expect((await check('--skip', 'rendered')).code).toBe(0);
  expect((await check('--no-bundle')).code).toBe(0);
  await rm(join(cwd, 'rendered'), { recursive: true });
  expect(await steps()).toEqual({ ...WELL, rendered: 'skipped' });
});

test('an edited lockfile: exit 4, by verify', async () => {
  await edit('xpkg.lock.yaml', /baseLayer: sha256:.{8}/, 'baseLayer: sha256:00000000');
  const { code, stderr } = await check();
  expect(code).toBe(4);
  expect(stderr).toMatch(/^error: verify: xpkg\.lock\.yaml:\d+: .*`baseLayer` \[content\]/m);
});

test('lint findings: exit 6 from the requested severity', async () => {
  const network = 'xpkg.example.org/acme/configuration-network';
  const named = `    - configuration: ${network}\n      name: mine\n  defaults:`;
  await edit('xpkg.yaml', '  defaults:', named);
  await run('resolve', '-f', '.', ...FROM);
  expect((await check()).code).toBe(0);
  const { code, stderr } = await check('--fail-on', 'warning');
  expect(code).toBe(6);
  expect(stderr).toMatch(/^warning: lint: xpkg\.yaml:\d+: .*\[object-name\]$/m);
});

test('the releases in xpkg.yaml: exit 3 if the set cannot run on one', async () => {
  await edit(
    'xpkg.yaml',
    'crossplane: v1.20.11',
    'crossplane: v1.20.11\n  crossplanes: [v1.20.11, v2.0.2]',
  );
  expect((await check()).code).toBe(0);
  expect(await steps()).toEqual({ ...WELL, matrix: 'passed' });
  await edit('xpkg.yaml', 'v2.0.2', 'v1.11.0');
  const { code, stderr } = await check();
  expect(code).toBe(3);
  expect(stderr).toMatch(/^error: matrix: xpkg\.yaml:\d+: Crossplane v1\.11\.0: .*\[blocked\]$/m);
  expect((await check('--skip', 'matrix')).code).toBe(0);
});

test('the exit code is that of the first failed step', async () => {
  await edit('rendered/packages.yaml', 'revisionHistoryLimit: 3', 'revisionHistoryLimit: 4');
  await edit('xpkg.yaml', '">=v1.0.0"', '">=v2.0.0"');
  expect((await check()).code).toBe(3);
});

const STORAGE = 'xpkg.example.org/acme-contrib/provider-cloud-storage';

const policy = (lines: string) => edit('xpkg.yaml', /$/, `  policy:\n${lines}\n`);

describe('a lockfile that violates a policy', () => {
  test.each([
    {
      rule: 'registries',
      lines: '    registries: [xpkg.example.org/acme]',
      line: 23,
      text: `every version of ${STORAGE} is outside the registries that the policy allows (xpkg.yaml:23)`,
    },
    {
      rule: 'deny',
      lines: `    deny:\n      - package: ${STORAGE}\n        reason: >\n          it deletes\n          ::error::buckets\n`,
      line: 24,
      text: `every version of ${STORAGE} is denied by the policy (xpkg.yaml:24: it deletes ::error::buckets)`,
    },
  ])('$rule: exit 3, and a finding at its line in every format', async ({ lines, line, text }) => {
    await policy(lines);
    const message = `part of why there is no answer: ${text}`;
    const plain = await check();
    expect(plain.code).toBe(3);
    expect(plain.stderr).toContain(`error: locked: xpkg.yaml:${line}: ${message} [unsolvable]`);
    expect(plain.stdout).toMatch(/^verify +failed +1 mismatch$/m);

    const json = await check('-o', 'json');
    expect(json.code).toBe(3);
    const { steps: all } = JSON.parse(json.stdout) as { steps: { findings: object[] }[] };
    expect(all.flatMap(({ findings }) => findings)).toContainEqual(
      expect.objectContaining({ rule: 'unsolvable', file: 'xpkg.yaml', line, text: message }),
    );

    const github = await check('--format', 'github');
    expect(github.code).toBe(3);
    const annotations = github.stdout.trimEnd().split('\n');
    expect(annotations.filter((each) => !each.startsWith('::error file='))).toEqual([]);
    expect(annotations).toContainEqual(
      expect.stringMatching(new RegExp(`^::error file=xpkg\\.yaml,line=${line},.*::part of why`)),
    );

    const sarif = await check('--format', 'sarif');
    expect(sarif.code).toBe(3);
    const { runs } = JSON.parse(sarif.stdout) as { runs: { results: object[] }[] };
    expect(runs[0]!.results).toContainEqual(
      expect.objectContaining({
        message: { text: message },
        locations: [
          expect.objectContaining({
            physicalLocation: expect.objectContaining({ region: { startLine: line } }) as object,
          }),
        ],
      }),
    );
  });

  test('with an allowed version: exit 4 at the line of the locked package, with the rule', async () => {
    await policy(`    deny:\n      - package: ${STORAGE}\n        version: v1.4.0`);
    const { code, stderr } = await check();
    expect(code).toBe(4);
    expect(stderr).toMatch(
      /^error: locked: xpkg\.lock\.yaml:\d+: would downgrade .*cloud-storage v1\.4\.0 → v1\.3\.0: `v1\.4\.0` is denied by the policy \(xpkg\.yaml:24\) \[stale\]$/m,
    );
  });
});

function packageYaml(name: string, dependsOn: readonly object[] = []): string {
  return JSON.stringify({
    apiVersion: 'meta.pkg.crossplane.io/v1',
    kind: 'Provider',
    metadata: { name },
    spec: { dependsOn },
  });
}

describe('packages in a registry', () => {
  let registry: Registry;
  afterEach(() => registry.stop());

  async function locked(): Promise<readonly string[]> {
    registry = await new Registry().start();
    await rm(join(cwd, 'xpkg.yaml'));
    const family = { provider: `${registry.host}/a/family`, version: '>=v1.0.0' };
    registry.push('a/p', 'v1.0.0', await packageImage(packageYaml('p', [family])));
    registry.push('a/family', 'v1.0.0', await packageImage(packageYaml('family')));
    const set = [`${registry.host}/a/p@v1.0.0`, '--crossplane', 'v2.3.4', '--cache', 'cache'];
    await rm(join(cwd, 'xpkg.lock.yaml'));
    expect((await run('resolve', ...set)).code).toBe(0);
    registry.log.length = 0;
    return set;
  }

  test('no request is sent twice', async () => {
    const set = await locked();
    expect((await run('check', ...set)).code).toBe(0);
    const requests = registry.asked.filter((line) => !line.endsWith(' /v2/'));
    expect(requests.filter((line) => line.includes('/blobs/')).length).toBeGreaterThanOrEqual(4);
    expect(requests.filter((line, i) => requests.indexOf(line) !== i)).toEqual([]);
  });

  test('--offline sends no requests', async () => {
    const set = await locked();
    expect((await run('check', ...set, '--offline')).code).toBe(0);
    expect(registry.asked).toEqual([]);
  });

  test('a failing registry: exit 5, reported once', async () => {
    const set = await locked();
    registry.fail(on('/manifests/', status(403)));
    const { code, stderr, stdout } = await run('check', ...set);
    expect(code).toBe(5);
    expect(stderr.match(/^error: /gm)!.length).toBe(2);
    expect(stdout).toMatch(/^verify +failed +2 failed sources$/m);
  });
});
