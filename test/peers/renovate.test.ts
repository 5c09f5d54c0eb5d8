import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

function run(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const node = join(renovate, 'node/node_modules/.bin/node');
  const script = join(renovate, 'app/node_modules/.bin', name);
  const ran = spawnSync(node, [script, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, RENOVATE_X_IGNORE_RE2: 'true', LOG_FORMAT: 'json', ...env },
    maxBuffer: 1 << 27,
  });
  if (ran.error !== undefined) throw ran.error;
  return { status: ran.status, said: ran.stdout + ran.stderr };
}

test.each(['default.json', 'self-hosted.json'])('Renovate takes the preset %s', (file) => {
  const { status, said } = run('renovate-config-validator', [
    '--strict',
    '--no-global',
    join(PRESETS, file),
  ]);
  expect(said).toContain('Config validated successfully');
  expect(status).toBe(0);
});

test('the validator refuses a preset that is none', () => {
  const broken = join(folder, 'broken.json');
  writeFileSync(
    broken,
    JSON.stringify({ customManagers: [{ customType: 'regex', matchStrings: ['('] }] }),
  );
  expect(run('renovate-config-validator', ['--strict', '--no-global', broken]).status).not.toBe(0);
});

test('Renovate finds what xpkg.yaml asks for, and nothing in what is rendered', () => {
  const repository = join(folder, 'repository');
  cpSync(join(ROOT, 'fixtures/demo'), repository, { recursive: true });
  cpSync(join(PRESETS, 'default.json'), join(repository, 'renovate.json'));
  const git = (...words: readonly string[]) =>
    spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...words], {
      cwd: repository,
    });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'all');
  const { said } = run('renovate', ['--platform=local', '--dry-run=extract'], {
    LOG_LEVEL: 'debug',
    RENOVATE_BASE_DIR: join(folder, 'base'),
    GIT_DIR: join(repository, '.git'),
    GIT_WORK_TREE: repository,
  });
  for (const name of ['configuration-platform', 'configuration-cluster', 'provider-cloud-storage'])
    expect(said).toContain(name);
  const text = readFileSync(join(repository, 'xpkg.yaml'), 'utf8');
  expect(text).toContain('crossplane: v1.20.11');
  expect(said).toContain('"currentValue":"v1.20.11"');
});
