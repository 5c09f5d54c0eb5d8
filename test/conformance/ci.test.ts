import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GithubAction } from '../support/github-action.js';
import { FROM_FIXTURES, PipelineMachine } from '../support/pipeline.js';

const ROOT = join(import.meta.dirname, '../..');
const SCRIPT = join(ROOT, 'test/support/python-tools.sh');
const python = spawnSync('bash', [SCRIPT, 'dir'], { encoding: 'utf8' }).stdout.trim();

/** Runs a program of `test/support/python-tools.sh`; fails if it is missing. */
function pythonTool(name: string, args: readonly string[], cwd = ROOT, env = {}) {
  const ran = spawnSync(join(python, 'bin', name), args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (ran.error !== undefined) throw new Error(`run ${SCRIPT}`, { cause: ran.error });
  return { status: ran.status, said: ran.stdout + ran.stderr };
}

function schemaProblems(schema: string, file: string): string {
  const { status, said } = pythonTool('check-jsonschema', ['--builtin-schema', schema, file]);
  return status === 0 ? '' : said;
}

function junitProblems(file: string): string {
  const args = ['--schema', join(python, 'junit-10.xsd'), file];
  const { status, said } = pythonTool('xmlschema-validate', args);
  return status === 0 ? '' : said;
}

function git(cwd: string, ...words: readonly string[]): string {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@localhost'];
  const ran = spawnSync('git', [...who, ...words], { cwd, encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return ran.stdout.trim();
}

function commit(cwd: string): void {
  git(cwd, 'init', '--quiet');
  git(cwd, 'add', '--all');
  git(cwd, 'commit', '--quiet', '--message', 'all');
}

let machine: PipelineMachine;
beforeAll(() => {
  machine = new PipelineMachine({ realNpm: true });
  machine.lock();
});
afterAll(() => machine.remove());

describe('reports match the schemas of build systems', () => {
  test.each([
    ['vendor.github-actions', 'action.yml'],
    ['vendor.github-workflows', 'integrations/github/update.yml'],
    ['vendor.azure-pipelines', 'integrations/azure/check.yml'],
    ['vendor.renovate', 'integrations/renovate/default.json'],
    ['vendor.renovate', 'integrations/renovate/self-hosted.json'],
  ])('%s: %s', (schema, file) => {
    expect(schemaProblems(schema, file)).toBe('');
    const broken = join(machine.folder, file.endsWith('json') ? 'broken.json' : 'broken.yml');
    writeFileSync(broken, file.endsWith('json') ? '{"packageRules": 1}' : 'runs: 1\njobs: 1\n');
    expect(schemaProblems(schema, broken)).not.toBe('');
  });

  test('vendor.gitlab-ci: the component, its inputs and its jobs', () => {
    const text = readFileSync(join(ROOT, 'integrations/gitlab/templates/check.yml'), 'utf8');
    const parts = text.split('\n---\n');
    expect(parts).toHaveLength(2);
    for (const [i, part] of parts.entries()) {
      const file = join(machine.folder, `part-${i}.yml`);
      writeFileSync(file, part);
      expect(schemaProblems('vendor.gitlab-ci', file)).toBe('');
    }
  });
});

describe('Jenkins can read JUnit results', () => {
  test.each([
    ['check', '-f', '.'],
    ['check', '-f', '.', '--lock', 'none.yaml'],
    ['resolve', '-f', '.', '--no-write', 'xpkg.example.org/acme/configuration-network@>=v2.0.0'],
    ['verify', '-f', '.'],
    ['outdated', '-f', '.', '--exit-code'],
    ['matrix', '-f', '.'],
  ])('%s %s %s %s', (...words) => {
    const file = join(machine.folder, 'results.xml');
    machine.tool([...words, ...FROM_FIXTURES, '--format', `junit=${file}`]);
    expect(junitProblems(file)).toBe('');
    writeFileSync(file, readFileSync(file, 'utf8').replace('<testcase name=', '<testcase nam='));
    expect(junitProblems(file)).not.toBe('');
  });
});

test('the GitHub Action installs the package with npm, and checks', () => {
  // Runs without scripts: `prepare` would build `dist`, which other tests run.
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', machine.folder];
  const packed = spawnSync('npm', pack, { cwd: ROOT, encoding: 'utf8' });
  const version = `file:${join(machine.folder, packed.stdout.trim().split('\n').at(-1)!)}`;
  const args = ['-f', '.', ...FROM_FIXTURES].join(' ');
  const { ran, outputs } = new GithubAction(machine).run({ args, version });
  expect({ status: ran.status, said: ran.stderr }).toMatchObject({ status: 0 });
  expect(outputs).toMatchObject({ status: 'passed' });
});

describe('pre-commit', () => {
  let home: string;
  let hooks: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'pre-commit-'));
    hooks = join(home, 'hooks');
    mkdirSync(hooks);
    // Creates a repository from this checkout, including uncommitted changes.
    const copy = `git ls-files --cached --others --exclude-standard -z | tar --null --ignore-failed-read -cf - -T - | tar -xf - -C "${hooks}"`;
    expect(spawnSync('bash', ['-c', copy], { cwd: ROOT }).status).toBe(0);
    commit(hooks);
    commit(machine.repository);
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const env = () => ({ PRE_COMMIT_HOME: join(home, 'kept'), npm_config_prefer_offline: 'true' });

  test('accepts the manifest of hooks', () => {
    const { status, said } = pythonTool('pre-commit', [
      'validate-manifest',
      '.pre-commit-hooks.yaml',
    ]);
    expect({ status, said }).toEqual({ status: 0, said: '' });
  });

  test('installs the hooks from a clone, runs them, and fails if they fail', () => {
    const config = join(machine.repository, '.pre-commit-config.yaml');
    const rev = git(hooks, 'rev-parse', 'HEAD');
    writeFileSync(
      config,
      JSON.stringify({
        repos: [
          { repo: hooks, rev, hooks: [{ id: 'xpkg-lock-check' }, { id: 'xpkg-render-check' }] },
        ],
      }),
    );
    machine.tool(['resolve', ...FROM_FIXTURES, '-q']);
    git(machine.repository, 'add', '--all');
    const run = () => pythonTool('pre-commit', ['run', '--all-files'], machine.repository, env());
    const first = run();
    expect(first.status, first.said).toBe(0);
    const bundle = join(machine.repository, 'rendered/packages.yaml');
    writeFileSync(bundle, `${readFileSync(bundle, 'utf8')}# edited\n`);
    const { status, said } = run();
    expect(status).toBe(1);
    expect(said).toMatch(
      /xpkg\.yaml asks for\.+Passed[\s\S]+renders\.+Failed[\s\S]+rendered\/packages\.yaml:\d+/,
    );
  });
});
