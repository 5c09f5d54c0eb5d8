import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GithubAction } from '../support/github-action.js';
import { documentsOf, FROM_FIXTURES, interpolated, PipelineMachine } from '../support/pipeline.js';
import { codeQualityProblems, sarifProblems } from '../support/report-schemas.js';

const ROOT = join(import.meta.dirname, '../..');
const ARGS = ['-f', '.', ...FROM_FIXTURES].join(' ');
let machine: PipelineMachine;

beforeEach(() => {
  machine = new PipelineMachine();
  machine.lock();
});

afterEach(() => machine.remove());

function read(file: string): string {
  return readFileSync(join(machine.repository, file), 'utf8');
}

function breakBundle(): void {
  const file = join(machine.repository, 'rendered/packages.yaml');
  writeFileSync(file, `${readFileSync(file, 'utf8')}# edited\n`);
}

describe('the GitHub Action', () => {
  test('installs the version of its own commit, checks, and has outputs', () => {
    const { ran, outputs, summary } = new GithubAction(machine).run({ args: ARGS });
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(machine.npmCalls).toContain(` xpkg-resolve@${version}\n`);
    expect(ran.status).toBe(0);
    expect(outputs).toMatchObject({ status: 'passed', 'exit-code': '0', errors: '0' });
    expect(summary).toContain('### xpkg-resolve check: passed');
  });

  test('annotates what is wrong, writes files, and fails as the command does', () => {
    breakBundle();
    const files = { 'sarif-file': 'x.sarif', 'junit-file': 'x.xml' };
    const { ran, outputs } = new GithubAction(machine).run({ args: ARGS, ...files });
    expect(ran.status).toBe(4);
    expect(ran.stdout).toMatch(/^::error file=rendered\/packages.yaml,line=\d+,/m);
    expect(outputs).toMatchObject({ status: 'failed', 'exit-code': '4', errors: '1' });
    expect(sarifProblems(read('x.sarif'))).toEqual([]);
    expect(read('x.xml')).toContain('<failure ');
  });

  test('what inputs say is no script', () => {
    const args = `${ARGS} --lock '$(touch owned) ; touch owned'`;
    const { ran } = new GithubAction(machine).run({ args, version: '1; touch owned' });
    expect(ran.status).not.toBe(0);
    expect(ran.stderr).toContain('$(touch owned) ; touch owned');
    expect(() => read('owned')).toThrow('ENOENT');
    expect(machine.npmCalls).toContain('xpkg-resolve@1; touch owned\n');
  });

  test('another command, with quotes that keep blanks', () => {
    const args = `${FROM_FIXTURES.join(' ')} 'xpkg.example.org/acme/configuration-network@>=v1.0.0, <v2.0.0' --no-write --lock none.yaml -q`;
    const { ran } = new GithubAction(machine).run({ command: 'resolve', args });
    expect({ status: ran.status, stderr: ran.stderr }).toMatchObject({ status: 0 });
    expect(ran.stderr).toContain('configuration-network');
  });

  test('in a folder, findings are named from the top', () => {
    const args = `-f ../xpkg.yaml --lock none.yaml ${FROM_FIXTURES.join(' ')}`;
    const { ran } = new GithubAction(machine).run({ args, 'working-directory': 'rendered' });
    expect(ran.stdout).toMatch(/^::error file=xpkg\.yaml,/m);
  });
});

test('the GitLab component writes a Code Quality report and test results', () => {
  const [head, body] = documentsOf('integrations/gitlab/templates/check.yml') as [
    { spec: { inputs: Record<string, { default: string }> } },
    { 'xpkg-resolve': { script: string[]; variables: Record<string, string>; artifacts: object } },
  ];
  const given = { ...defaultsOf(head.spec.inputs), 'inputs.args': ARGS };
  const job = body['xpkg-resolve'];
  const variables = Object.entries(job.variables).map(([k, v]) => [k, interpolated(v, given)]);
  breakBundle();
  const ran = machine.bash(
    job.script.join('\n'),
    {
      ...(Object.fromEntries(variables) as Record<string, string>),
      CI_PROJECT_DIR: machine.repository,
      CI_BUILDS_DIR: machine.temporary,
    },
    { flags: ['-e'] },
  );
  expect(ran.status).toBe(4);
  expect(codeQualityProblems(read('gl-code-quality-report.json'))).toEqual([]);
  expect(read('gl-code-quality-report.json')).toContain('"path": "rendered/packages.yaml"');
  expect(read('xpkg-junit.xml')).toContain('<failure ');
  expect(job.artifacts).toEqual({
    when: 'always',
    reports: { codequality: 'gl-code-quality-report.json', junit: 'xpkg-junit.xml' },
  });
});

function defaultsOf(inputs: Record<string, { default: string }>): Record<string, string> {
  const rows = Object.entries(inputs).map(([name, input]) => [`inputs.${name}`, input.default]);
  return Object.fromEntries(rows) as Record<string, string>;
}

test('the steps for Azure Pipelines log issues, a summary and test results', () => {
  const [template] = documentsOf('integrations/azure/check.yml') as [
    {
      parameters: { name: string; default: string }[];
      steps: { bash?: string; env?: Record<string, string>; inputs?: Record<string, string> }[];
    },
  ];
  const given = Object.fromEntries(
    template.parameters.map((each) => [`parameters.${each.name}`, each.default]),
  );
  given['parameters.args'] = ARGS;
  breakBundle();
  const runs = template.steps.flatMap(({ bash, env = {} }) => {
    if (bash === undefined) return [];
    const own = Object.entries(env).map(([name, text]) => [name, interpolated(text, given)]);
    return machine.bash(bash, {
      ...(Object.fromEntries(own) as Record<string, string>),
      AGENT_TEMPDIRECTORY: machine.temporary,
      BUILD_SOURCESDIRECTORY: machine.repository,
    });
  });
  expect(runs.map(({ status }) => status)).toEqual([0, 4, 0]);
  expect(runs[1]!.stdout).toMatch(
    /^##vso\[task\.logissue type=error;sourcepath=rendered\/packages\.yaml;linenumber=\d+;/m,
  );
  const [, summary] = /^##vso\[task\.uploadsummary\](.+)$/m.exec(runs[2]!.stdout)!;
  expect(readFileSync(summary!, 'utf8')).toContain('### xpkg-resolve check: failed');
  const { testResultsFiles } = template.steps.at(-1)!.inputs!;
  const results = testResultsFiles!.replace('$(Agent.TempDirectory)', machine.temporary);
  expect(readFileSync(results, 'utf8')).toContain('<failure ');
});

test('the Jenkinsfile writes what its post section reads', () => {
  const text = readFileSync(join(ROOT, 'integrations/jenkins/Jenkinsfile'), 'utf8');
  const [, script] = /sh '''\n([\s\S]+?)'''/.exec(text)!;
  // As the step `sh` runs it.
  const ran = machine.bash(script!, { XPKG_ARGS: ARGS }, { flags: ['-xe'] });
  expect(ran.status).toBe(0);
  const [, junit] = /junit '(.+)'/.exec(text)!;
  const [, sarif] = /sarif\(pattern: '(.+)'\)/.exec(text)!;
  expect(read(junit!)).toContain('failures="0"');
  expect(sarifProblems(read(sarif!))).toEqual([]);
});

function git(...words: readonly string[]): string {
  const ran = spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...words], {
    cwd: machine.repository,
    encoding: 'utf8',
  });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return ran.stdout;
}

/** The demo without its objects, locked at an older version. */
function lockOld(): void {
  const ref = 'xpkg.example.org/acme-contrib/provider-helm@';
  writeFileSync(
    join(machine.repository, 'xpkg.yaml'),
    'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec:\n  crossplane: v1.20.11\n  packages:\n    - provider: xpkg.example.org/acme-contrib/provider-helm\n',
  );
  machine.tool(['resolve', ...FROM_FIXTURES, '--upgrade', '-q']);
  machine.tool(['update', `${ref}v0.19.0`, ...FROM_FIXTURES, '-q']);
  git('add', '.');
  git('commit', '--quiet', '--message', 'old');
}

describe('the scheduled update', () => {
  const [workflow] = documentsOf('integrations/github/update.yml') as [
    { jobs: { update: { steps: { run?: string; env?: Record<string, string> }[] } } },
  ];

  beforeEach(() => {
    spawnSync('git', ['init', '--quiet', '--bare', join(machine.folder, 'origin')]);
    git('init', '--quiet', '--initial-branch', 'main');
    git('remote', 'add', 'origin', join(machine.folder, 'origin'));
    machine.program(
      'gh',
      'if [ "$2" = list ]; then cat "$HOME/open" 2>/dev/null || true; else echo "gh $*" >>"$HOME/gh"; while [ $# -gt 0 ]; do [ "$1" = --body-file ] && cp "$2" "$HOME/body"; shift; done; fi',
    );
    machine.addPath(join(machine.folder, 'global/node_modules/.bin'));
  });

  function update() {
    const env = { RUNNER_TEMP: machine.temporary, XPKG_ARGS: FROM_FIXTURES.join(' ') };
    const runs = workflow.jobs.update.steps.flatMap(({ run }) =>
      run === undefined ? [] : machine.bash(run, env, { flags: ['-e'] }),
    );
    expect(runs.map(({ status, stderr }) => (status === 0 ? '' : stderr))).toEqual(['', '', '']);
  }

  test('opens a pull request with what changes as its text, and edits one that is open', () => {
    lockOld();
    update();
    expect(git('log', '--format=%s', 'origin/xpkg-resolve/update')).toBe(
      'Update Crossplane packages\nold\n',
    );
    const changed = git('diff', '--name-only', 'main', 'origin/xpkg-resolve/update');
    expect(changed).toContain('xpkg.lock.yaml\n');
    const body = readFileSync(join(machine.folder, 'body'), 'utf8');
    expect(body).toContain(
      '| moved | `xpkg.example.org/acme-contrib/provider-helm` | `v0.19.0 → v0.21.0` |',
    );
    writeFileSync(join(machine.folder, 'open'), '7\n');
    git('switch', '--quiet', 'main');
    update();
    expect(readFileSync(join(machine.folder, 'gh'), 'utf8')).toMatch(
      /^gh pr create --head xpkg-resolve\/update .*\ngh pr edit xpkg-resolve\/update .*\n$/,
    );
  });

  test('where nothing moves, nothing is proposed', () => {
    lockOld();
    machine.tool(['update', ...FROM_FIXTURES, '-q']);
    git('commit', '--quiet', '--all', '--message', 'new');
    update();
    expect(git('branch', '--all')).toBe('* main\n');
  });
});

describe('the Renovate preset', () => {
  interface Manager {
    readonly matchStrings: readonly string[];
    readonly managerFilePatterns: readonly string[];
  }
  const preset = JSON.parse(
    readFileSync(join(ROOT, 'integrations/renovate/default.json'), 'utf8'),
  ) as { customManagers: [Manager, Manager] };
  const [packages, release] = preset.customManagers;

  function found({ matchStrings }: Manager, text: string) {
    return [...text.matchAll(new RegExp(matchStrings[0]!, 'g'))].map(({ groups }) => ({
      ...groups,
    }));
  }

  test('finds the packages and the release of the demo', () => {
    const text = read('xpkg.yaml');
    const acme = 'xpkg.example.org/acme';
    expect(found(packages, text)).toEqual([
      { depName: `${acme}/configuration-platform`, currentValue: '>=v1.0.0' },
      { depName: `${acme}/configuration-cluster`, currentValue: '~v0.5.0' },
      { depName: `${acme}-contrib/provider-cloud-storage`, currentValue: '>=v1.3.0' },
    ]);
    expect(found(release, text)).toEqual([{ currentValue: 'v1.20.11' }]);
  });

  test.each([
    ["- package: a.b/c\n  version: 'v1.0.0' # why\n", [['a.b/c', 'v1.0.0']]],
    ['- function: "a.b/c"\r\n  version: >=1 <2  # x\r\n', [['a.b/c', '>=1 <2']]],
    ['- provider: a.b/c\n- provider: a.b/d\n  version: v2\n', [['a.b/d', 'v2']]],
    ['- provider: a.b/c\n', []],
  ])('%j', (text, want) => {
    const all = found(packages, text) as { depName: string; currentValue: string }[];
    expect(all.map(({ depName, currentValue }) => [depName, currentValue])).toEqual(want);
  });

  test.each(['xpkg.yaml', 'infra/xpkg.yml'])('looks into %s', (file) => {
    for (const { managerFilePatterns } of [packages, release]) {
      const [pattern] = managerFilePatterns;
      expect(new RegExp(pattern!.slice(1, -1)).test(file)).toBe(true);
      expect(new RegExp(pattern!.slice(1, -1)).test('xpkg.lock.yaml')).toBe(false);
    }
  });
});

test('pre-commit hooks run in a repository as they are', () => {
  const [hooks] = documentsOf('.pre-commit-hooks.yaml') as [{ id: string; entry: string }[]];
  expect(hooks.map(({ id }) => id)).toEqual(['xpkg-lock-check', 'xpkg-render-check']);
  const run = () => hooks.map(({ entry }) => machine.tool(entry.split(' ').slice(1)).status);
  writeFileSync(join(machine.repository, 'xpkg.yaml'), read('xpkg.yaml'));
  expect(hooks.every(({ entry }) => entry.startsWith('xpkg-resolve '))).toBe(true);
  // The lockfile of the demo also answers for files beside xpkg.yaml.
  machine.tool(['resolve', ...FROM_FIXTURES, '-q']);
  expect(run()).toEqual([0, 0]);
  breakBundle();
  expect(run()).toEqual([0, 4]);
  writeFileSync(
    join(machine.repository, 'xpkg.yaml'),
    read('xpkg.yaml').replace('~v0.5.0', '~v9.0.0'),
  );
  expect(run()).toEqual([4, 4]);
});
