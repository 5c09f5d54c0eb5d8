import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GithubAction } from '../support/github-action.js';
import {
  documentsOf,
  FAKE_NPM,
  FROM_FIXTURES,
  interpolated,
  PipelineMachine,
  type Ran,
} from '../support/pipeline.js';
import { codeQualityProblems, sarifProblems } from '../support/report-schemas.js';

const ROOT = join(import.meta.dirname, '../..');
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
};
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
    expect(machine.npmCalls).toContain(` xpkg-resolve@${VERSION}\n`);
    expect(ran.status).toBe(0);
    expect(outputs).toMatchObject({ status: 'passed', 'exit-code': '0', errors: '0' });
    expect(summary).toContain('### xpkg-resolve check: passed');
  });

  test('annotates problems, writes files, and fails like the command', () => {
    breakBundle();
    const files = { 'sarif-file': 'x.sarif', 'junit-file': 'x.xml' };
    const { ran, outputs } = new GithubAction(machine).run({ args: ARGS, ...files });
    expect(ran.status).toBe(4);
    expect(ran.stdout).toMatch(/^::error file=rendered\/packages.yaml,line=\d+,/m);
    expect(outputs).toMatchObject({ status: 'failed', 'exit-code': '4', errors: '1' });
    expect(sarifProblems(read('x.sarif'))).toEqual([]);
    expect(read('x.xml')).toContain('<failure ');
  });

  test('inputs are not run as a script', () => {
    const args = `${ARGS} --lock '$(touch owned) ; touch owned'`;
    const { ran } = new GithubAction(machine).run({ args, version: '1; touch owned' });
    expect(ran.status).not.toBe(0);
    expect(ran.stderr).toContain('$(touch owned) ; touch owned');
    expect(() => read('owned')).toThrow('ENOENT');
    expect(machine.npmCalls).toContain('xpkg-resolve@1; touch owned\n');
  });

  test('another command, with spaces in quotes', () => {
    const args = `${FROM_FIXTURES.join(' ')} 'xpkg.example.org/acme/configuration-network@>=v1.0.0, <v2.0.0' --no-write --lock none.yaml -q`;
    const { ran } = new GithubAction(machine).run({ command: 'resolve', args });
    expect({ status: ran.status, stderr: ran.stderr }).toMatchObject({ status: 0 });
    expect(ran.stderr).toContain('configuration-network');
  });

  test('findings of a run in a folder have paths from the top of the repository', () => {
    const args = `-f ../xpkg.yaml --lock none.yaml ${FROM_FIXTURES.join(' ')}`;
    const { ran } = new GithubAction(machine).run({ args, 'working-directory': 'rendered' });
    expect(ran.stdout).toMatch(/^::error file=xpkg\.yaml,/m);
  });
});

function runGitlab() {
  const [head, body] = documentsOf('integrations/gitlab/templates/check.yml') as [
    { spec: { inputs: Record<string, { default: string }> } },
    { 'xpkg-resolve': { script: string[]; variables: Record<string, string>; artifacts: object } },
  ];
  const given = { ...defaultsOf(head.spec.inputs), 'inputs.args': ARGS };
  const job = body['xpkg-resolve'];
  const variables = Object.entries(job.variables).map(([k, v]) => [k, interpolated(v, given)]);
  const ran = machine.bash(
    job.script.join('\n'),
    {
      ...(Object.fromEntries(variables) as Record<string, string>),
      CI_PROJECT_DIR: machine.repository,
      CI_BUILDS_DIR: machine.temporary,
    },
    { flags: ['-e'] },
  );
  return { ran, job };
}

test('the GitLab component writes a Code Quality report and test results', () => {
  breakBundle();
  const { ran, job } = runGitlab();
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

function runAzure() {
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
  const runs = template.steps.flatMap(({ bash, env = {} }) => {
    if (bash === undefined) return [];
    const own = Object.entries(env).map(([name, text]) => [name, interpolated(text, given)]);
    return machine.bash(bash, {
      ...(Object.fromEntries(own) as Record<string, string>),
      AGENT_TEMPDIRECTORY: machine.temporary,
      BUILD_SOURCESDIRECTORY: machine.repository,
    });
  });
  return { runs, template };
}

test('the steps for Azure Pipelines log issues, a summary and test results', () => {
  breakBundle();
  const { runs, template } = runAzure();
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

function runJenkins() {
  const text = readFileSync(join(ROOT, 'integrations/jenkins/Jenkinsfile'), 'utf8');
  const [, script] = /sh '''\n([\s\S]+?)'''/.exec(text)!;
  const parameters = [...text.matchAll(/string\(name: '(\w+)', defaultValue: '(.*?)'/g)];
  const defaults = Object.fromEntries(parameters.map(([, name, value]) => [name!, value!]));
  // As the step `sh` runs it.
  const env = { ...defaults, XPKG_ARGS: ARGS, TMPDIR: machine.temporary };
  return { ran: machine.bash(script!, env, { flags: ['-xe'] }), text };
}

test('the Jenkinsfile writes what its post section reads', () => {
  const { ran, text } = runJenkins();
  expect(ran.status).toBe(0);
  const [, junit] = /junit '(.+)'/.exec(text)!;
  const [, sarif] = /sarif\(pattern: '(.+)'\)/.exec(text)!;
  expect(read(junit!)).toContain('failures="0"');
  expect(sarifProblems(read(sarif!))).toEqual([]);
  expect(readdirSync(machine.temporary)).toEqual([]);
});

describe('every integration', () => {
  const [update] = documentsOf('integrations/github/update.yml') as [UpdateWorkflow];
  const integrations = [
    { name: 'GitHub Action', run: () => new GithubAction(machine).run({ args: ARGS }) },
    { name: 'GitLab', run: runGitlab },
    { name: 'Azure Pipelines', run: runAzure },
    { name: 'Jenkins', run: runJenkins },
    { name: 'scheduled update', run: () => runStep(update.jobs.update.steps[1]!) },
  ];

  test.each(integrations)('$name: an .npmrc of a pull request chooses no registry', ({ run }) => {
    const npm = spawnSync('bash', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim();
    machine.program('npm', `${askRegistry(npm)}\n${FAKE_NPM}`);
    mkdirSync(join(machine.repository, '.xpkg-resolve'));
    for (const folder of ['.', '.xpkg-resolve'])
      writeFileSync(join(machine.repository, folder, '.npmrc'), 'registry=http://evil.example/\n');
    run();
    const registries = readFileSync(join(machine.folder, 'registries'), 'utf8');
    expect(registries).toMatch(/^https?:\/\/.+\n$/);
    expect(registries).not.toContain('evil');
  });

  test.each(integrations)('$name: installs the version of this repository', ({ run }) => {
    run();
    expect(machine.npmCalls).toContain(` xpkg-resolve@${VERSION}\n`);
  });

  test('another version is an input', () => {
    const [gitlab] = documentsOf('integrations/gitlab/templates/check.yml') as [
      { spec: { inputs: { version: { default: string } } } },
    ];
    const [azure] = documentsOf('integrations/azure/check.yml') as [
      { parameters: { name: string; default: string }[] },
    ];
    const defaults = [
      update.on.workflow_dispatch.inputs.version.default,
      gitlab.spec.inputs.version.default,
      azure.parameters.find(({ name }) => name === 'version')!.default,
    ];
    expect(defaults).toEqual(defaults.map(() => VERSION));
  });

  test('actions are pinned to a commit, with the release in a comment', () => {
    const files = ['action.yml', 'integrations/github/update.yml', 'docs/ci.md', 'docs/graph.md'];
    const used = files.flatMap((file) => [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(/^\W+uses: (.+)$/gm),
    ]);
    const others = used.map(([, action]) => action!).filter((one) => !one.startsWith('OWNER/'));
    expect(others.length).toBeGreaterThan(3);
    for (const action of others) expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('the scheduled update has the permissions that it needs, and gives its token to one step', () => {
    expect(update.permissions).toEqual({});
    const { permissions, steps } = update.jobs.update;
    expect(permissions).toEqual({ contents: 'write', 'pull-requests': 'write' });
    expect(steps[0]!.with).toEqual({ 'persist-credentials': false });
    const withToken = steps.filter(({ env = {} }) => JSON.stringify(env).includes('token'));
    expect(withToken).toEqual([steps.at(-1)]);
  });
});

/** Writes the registry that npm would use for the same call to `registries` in the home folder. */
function askRegistry(npm: string): string {
  return `flags=()
for ((i = 1; i <= $#; i++)); do
  case \${!i} in --global) flags+=(--global) ;; --prefix) j=$((i + 1)); flags+=(--prefix "\${!j}") ;; esac
done
"${npm}" config get registry "\${flags[@]}" >>"$HOME/registries"`;
}

interface UpdateStep {
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: object;
  readonly 'working-directory'?: string;
}

interface UpdateWorkflow {
  readonly on: { workflow_dispatch: { inputs: { version: { default: string } } } };
  readonly permissions: object;
  readonly jobs: { update: { permissions: object; steps: readonly UpdateStep[] } };
}

/** Runs a step of the scheduled update as a runner does. */
function runStep({ run, env = {}, 'working-directory': folder = '.' }: UpdateStep): Ran {
  const expressions: Record<string, string> = {
    'runner.temp': relative(machine.repository, machine.temporary),
    [`inputs.version || '${VERSION}'`]: VERSION,
    'github.token': 'secret',
  };
  const filled = (text: string) =>
    text.replaceAll(/\$\{\{ (.+?) \}\}/g, (_, name: string) => expressions[name]!);
  const own = Object.entries(env).map(([name, text]) => [name, filled(text)]);
  return machine.bash(
    run!,
    {
      ...(Object.fromEntries(own) as Record<string, string>),
      RUNNER_TEMP: machine.temporary,
      XPKG_ARGS: FROM_FIXTURES.join(' '),
    },
    { cwd: filled(folder), flags: ['-e'] },
  );
}

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
  const [workflow] = documentsOf('integrations/github/update.yml') as [UpdateWorkflow];

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
    const runs = workflow.jobs.update.steps.flatMap((step) =>
      step.run === undefined ? [] : runStep(step),
    );
    expect(runs.map(({ status, stderr }) => (status === 0 ? '' : stderr))).toEqual(['', '', '']);
  }

  test('opens a pull request with the changes as its text, and edits an open one', () => {
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

  test('without changes there is no pull request', () => {
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
