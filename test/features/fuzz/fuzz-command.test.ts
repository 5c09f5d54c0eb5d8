import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';

const A = 'xpkg.example.org/acme/a';
const B = 'xpkg.example.org/acme/b';
const C = 'xpkg.example.org/acme/c';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-'));
  const needs = (version: string) => ({ dependsOn: [{ provider: C, version }] });
  const versions = {
    [A]: { 'v1.0.0': needs('<v2.0.0'), 'v2.0.0': needs('>=v2.0.0') },
    [B]: { 'v1.0.0': needs('<v2.0.0'), 'v2.0.0': needs('>=v2.0.0') },
    [C]: { 'v1.0.0': {}, 'v2.0.0': {} },
  };
  const packages = Object.entries(versions).map(([repository, held]) => [
    repository,
    { kind: 'Provider', versions: held },
  ]);
  write('index.json', { packages: Object.fromEntries(packages) as object });
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content: object): void {
  writeFileSync(join(folder, name), JSON.stringify(content));
}

async function run(args: readonly string[], more: Parameters<typeof fakeIo>[0] = {}) {
  const io = fakeIo({ cwd: folder, ...more });
  const code = await runCli(args, io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

function fuzz(...args: string[]) {
  return run(['fuzz', '--from', 'index:index.json', '--crossplane', 'v2.3.4', ...args]);
}

interface Report {
  readonly seed: number;
  readonly runs: number;
  readonly breakages: readonly {
    readonly packages: readonly { readonly source: string; readonly version?: string }[];
    readonly core: readonly { readonly kind: string }[];
    readonly replay: string;
  }[];
}

function parsed(stdout: string): Report {
  return JSON.parse(stdout) as Report;
}

/** Splits a command like a shell; the other lines are the here-document. */
function shell(command: string): { args: string[]; stdin: string } {
  const [line = '', ...rest] = command.split('\n');
  const words = line.replace(" <<'EOF'", '').match(/'[^']*'|\S+/g) ?? [];
  const args = words.map((word) => word.replaceAll("'", '')).slice(1);
  return { args, stdin: rest.slice(0, -1).join('\n') };
}

test('a pair that breaks: findings, versions and the command that reproduces it', async () => {
  const { code, stdout } = await fuzz(A, B, '--seed', '3', '--runs', '40', '-o', 'json');
  expect(code).toBe(EXIT.findings);
  const report = parsed(stdout);
  expect(report).toMatchObject({ schemaVersion: 1, seed: 3, runs: 40 });
  expect(report.breakages).toHaveLength(1);
  const { packages, replay } = report.breakages[0]!;
  expect(packages.map(({ source }) => source)).toEqual([A, B]);
  expect(new Set(packages.map(({ version }) => version))).toEqual(new Set(['v1.0.0', 'v2.0.0']));
  const [first, second] = packages.map(({ source, version }) => `${source}:${version}`);
  expect(replay).toBe(
    `xpkg-resolve resolve ${first} ${second} --crossplane v2.3.4 --from index:index.json --no-write`,
  );
});

describe('the reproduction command reproduces it', () => {
  const SET = { apiVersion: 'xpkg-resolve.dev/v1alpha1', kind: 'PackageSet' };
  const both = [{ provider: A }, { provider: B }];

  test.each([
    { why: 'packages from a file', spec: { packages: both } },
    {
      why: 'a rule that only a file can state',
      spec: { packages: both, exclude: [{ package: C, version: 'v1.0.0' }] },
    },
    {
      why: 'a wrong kind',
      spec: { packages: [{ function: A, version: '>=v1.0.0' }] },
    },
    {
      why: 'an API that no package owns',
      spec: { packages: [{ crd: 'buckets.s3.example.org' }] },
    },
    {
      why: 'a flag of an object',
      spec: {
        packages: [
          { provider: A, spec: { ignoreCrossplaneConstraints: true } },
          { provider: B, version: 'v1.0.0' },
        ],
      },
    },
  ])('$why', async ({ spec }) => {
    write('xpkg.yaml', { ...SET, spec });
    const { code, stdout } = await fuzz('--seed', '1', '--runs', '40', '-o', 'json');
    expect(code).toBe(EXIT.findings);
    for (const { replay } of parsed(stdout).breakages) {
      const { args, stdin } = shell(replay);
      expect(args[0]).toBe('resolve');
      expect({ replay, ...(await run(args, { stdin })) }).toMatchObject({ code: EXIT.unsolvable });
    }
  });

  test('a package under development', async () => {
    write('crossplane.yaml', {
      apiVersion: 'meta.pkg.crossplane.io/v1',
      kind: 'Configuration',
      metadata: { name: 'mine' },
      spec: {
        dependsOn: [
          { provider: A, version: '*' },
          { provider: B, version: '*' },
        ],
      },
    });
    const { code, stdout } = await fuzz('--seed', '1', '--runs', '40', '-o', 'json');
    expect(code).toBe(EXIT.findings);
    const [{ replay }] = parsed(stdout).breakages as [Report['breakages'][number]];
    const { args, stdin } = shell(replay);
    expect(await run(args, { stdin })).toMatchObject({ code: EXIT.unsolvable });
  });
});

test('no breakage: exit code 0', async () => {
  const { code, stdout } = await fuzz(`${A}@<v2.0.0`, `${B}@<v2.0.0`, '--runs', '20');
  expect(code).toBe(EXIT.done);
  expect(stdout).toMatch(/nothing breaks/);
});

test('text states the seed, what breaks, the reason and the reproduction command', async () => {
  const { stdout } = await fuzz(A, B, '--seed', '3');
  expect(stdout).toContain('seed 3');
  expect(stdout).toContain(`xpkg-resolve resolve ${A}:`);
  expect(stdout).toMatch(/Because /);
});

test('the same seed gives the same output; without a seed, one is drawn', async () => {
  const first = await fuzz(A, B, '--runs', '10', '-o', 'json');
  const { seed } = parsed(first.stdout);
  expect(await fuzz(A, B, '--runs', '10', '-o', 'json', '--seed', String(seed))).toEqual(first);
});

test('it writes no file', async () => {
  await fuzz(A, B);
  expect(readdirSync(folder)).toEqual(['index.json']);
});

test('a time limit can replace the number of runs', async () => {
  const { code } = await fuzz(A, B, '--seconds', '0.05');
  expect([EXIT.done, EXIT.findings]).toContain(code);
});

test.each([
  ['--runs', '-1', 'a whole number, 0 or more'],
  ['--runs', 'many', 'a whole number, 0 or more'],
  ['--seconds', '0', 'a number, more than 0'],
  ['--seconds', 'some', 'a number, more than 0'],
  ['--seed', '1.5', 'a whole number, 0 or more'],
])('%s %s is bad usage', async (flag, value, must) => {
  const { code, stderr } = await fuzz(A, `${flag}=${value}`);
  expect(code).toBe(EXIT.badInput);
  expect(stderr).toContain(`\`${flag}\` must be ${must}`);
});
