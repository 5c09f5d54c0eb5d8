import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS, runCli } from '../../../src/commands.js';
import { REPORT_FORMATS } from '../../../src/cli/arguments/common-flags.js';
import { fakeIo } from '../../support/fake-io.js';
import { codeQualityProblems, sarifProblems } from '../../support/report-schemas.js';

const ROOT = join(import.meta.dirname, '../../..');
const FROM = ['--from', `dir:${join(ROOT, 'fixtures/packages')}`];
const NETWORK = 'xpkg.example.org/acme/configuration-network';
let made: string;
let cwd: string;

beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), 'reporting-'));
  cwd = made;
  await mkdir(join(cwd, '.git'));
  await cp(join(ROOT, 'fixtures/demo/xpkg.yaml'), join(cwd, 'xpkg.yaml'));
  await cp(join(ROOT, 'fixtures/demo'), join(cwd, 'demo'), { recursive: true });
  await run(['resolve', '-f', 'demo', ...FROM]);
});

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'reporting-'));
  await cp(made, cwd, { recursive: true });
});

async function run(argv: readonly string[], given: Parameters<typeof fakeIo>[0] = {}) {
  const io = fakeIo({ cwd, env: { HOME: cwd }, ...given });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

async function lineOf(file: string, text: string): Promise<number> {
  const lines = (await readFile(join(cwd, file), 'utf8')).split('\n');
  return lines.findIndex((line) => line.includes(text)) + 1;
}

async function edit(file: string, from: string | RegExp, to: string): Promise<void> {
  const text = await readFile(join(cwd, file), 'utf8');
  expect(text.replace(from, to)).not.toBe(text);
  await writeFile(join(cwd, file), text.replace(from, to));
}

const REPORTING = ['check', 'resolve', 'verify', 'lint', 'diff', 'matrix', 'outdated'];
const SET = ['-f', 'demo', ...FROM];

/** For each command, a command line with findings and its exit code. */
const LINES: readonly (readonly [code: number, argv: readonly string[]])[] = [
  [0, ['resolve', ...SET, '--no-write']],
  [3, ['resolve', ...SET, '--no-write', `${NETWORK}@>=v2.0.0`]],
  [4, ['resolve', ...SET, '--locked', '--lock', 'none.yaml']],
  [4, ['resolve', ...SET, '--frozen', '--lock', 'stale.yaml']],
  [5, ['resolve', '-f', 'demo', '--offline', '--no-write']],
  [2, ['resolve', ...SET, '--nonsense']],
  [0, ['check', ...SET]],
  [4, ['check', ...SET, '--lock', 'stale.yaml']],
  [2, ['check', 'https://a/b', ...FROM]],
  [0, ['verify', ...SET]],
  [4, ['verify', ...SET, '--lock', 'stale.yaml']],
  [0, ['lint', ...SET]],
  [0, ['lint', `${NETWORK}@v1.2.0`, ...FROM]],
  [3, ['lint', '-f', 'impossible.yaml', ...FROM]],
  [0, ['diff', 'stale.yaml', 'xpkg.lock.yaml', ...FROM]],
  [6, ['diff', `${NETWORK}@v1.2.0`, `${NETWORK}@v2.0.0`, ...FROM, '--fail-on', 'harmless']],
  [0, ['matrix', ...SET]],
  [3, ['matrix', '-f', 'impossible.yaml', ...FROM]],
  [6, ['outdated', ...SET, '--exit-code']],
];

const FORMS: Readonly<Record<(typeof REPORT_FORMATS)[number], (text: string) => unknown>> = {
  github: (text) =>
    text.split('\n').filter((line) => !/^(::(error|warning|notice) file=.+::.+)?$/.test(line)),
  azure: (text) =>
    text.split('\n').filter((line) => !/^(##vso\[task\.logissue .+;\].+|note: .+)?$/.test(line)),
  gitlab: codeQualityProblems,
  sarif: sarifProblems,
  junit: (text) => (/^<\?xml [\s\S]+<\/testsuites>\n$/.test(text) ? [] : text),
  markdown: (text) => (text.startsWith('### xpkg-resolve ') ? [] : text),
};

describe.each(LINES)('exit %d: %j', (code, argv) => {
  beforeEach(async () => {
    const text = await readFile(join(cwd, 'xpkg.lock.yaml'), 'utf8');
    await writeFile(join(cwd, 'stale.yaml'), text.replaceAll('v0.21.0', 'v0.19.0'));
    await writeFile(
      join(cwd, 'impossible.yaml'),
      'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec:\n  packages:\n    - provider: xpkg.example.org/acme/nothing\n',
    );
  });

  test('each format is valid, and the exit code is the same', async () => {
    const formats = REPORT_FORMATS.flatMap((format) => ['--format', `${format}=${format}.out`]);
    const ran = await run([...argv, ...formats]);
    expect(ran.code).toBe(code);
    for (const format of REPORT_FORMATS) {
      const text = await readFile(join(cwd, `${format}.out`), 'utf8');
      expect([format, FORMS[format](text)]).toEqual([format, []]);
      const failed = { junit: '<failure', markdown: ': failed' }[format as string];
      if (failed !== undefined) expect(text.includes(failed)).toBe(code !== 0);
    }
  });
});

test('every command with reports is tested here, and no other command has --format', async () => {
  const taking: string[] = [];
  for (const { usage, load } of COMMANDS)
    if ('format' in (await load()).flags) taking.push(usage.split(' ')[0]!);
  expect(taking.sort()).toEqual([...REPORTING].sort());
  expect(new Set(LINES.map(([, argv]) => argv[0]))).toEqual(new Set(REPORTING));
});

describe('places of findings', () => {
  test('a conflict, at each line with a conflicting requirement', async () => {
    await edit(
      'xpkg.yaml',
      '"~v0.5.0"',
      `"~v0.5.0"\n    - configuration: ${NETWORK}\n      version: ">=v2.0.0"`,
    );
    const { code, stdout, notes } = await run(['resolve', ...FROM, '--format', 'github']);
    const places = [...stdout.matchAll(/^::error file=(.+?),line=(\d+),/gm)].map(
      ([, file, line]) => `${file}:${line}`,
    );
    expect(code).toBe(3);
    expect(places.sort()).toEqual(
      [
        `xpkg.yaml:${await lineOf('xpkg.yaml', 'configuration-cluster')}`,
        `xpkg.yaml:${await lineOf('xpkg.yaml', NETWORK)}`,
      ].sort(),
    );
    expect(stdout).toContain('%0Afix: ');
    expect(notes.join('\n')).toContain('error: no set of versions satisfies everything');
  });

  test('an outdated lockfile, at the line of the package that changes', async () => {
    await edit('xpkg.lock.yaml', /v0\.21\.0/g, 'v0.19.0');
    const { code, stdout } = await run(['verify', ...SET, '--format', 'azure']);
    const line = await lineOf(
      'xpkg.lock.yaml',
      'source: xpkg.example.org/acme-contrib/provider-helm',
    );
    expect(code).toBe(4);
    expect(stdout).toContain(`sourcepath=xpkg.lock.yaml;linenumber=${line};`);
  });

  test('an edited manifest, at the first line that differs', async () => {
    await edit('rendered/packages.yaml', 'revisionHistoryLimit: 3', 'revisionHistoryLimit: 4');
    const line = await lineOf('rendered/packages.yaml', 'revisionHistoryLimit: 4');
    const { code, stdout } = await run(['resolve', ...SET, '--locked', '--format', 'github']);
    expect(code).toBe(4);
    expect(stdout).toMatch(
      new RegExp(
        `^::error file=rendered/packages.yaml,line=${line},title=xpkg-resolve%3A bundle::`,
      ),
    );
  });

  test('an error in a file, at its line', async () => {
    await edit('xpkg.yaml', 'version: "~v0.5.0"', 'version: [1]');
    const { code, stdout } = await run(['resolve', ...FROM, '--format', 'github']);
    const line = await lineOf('xpkg.yaml', 'version: [1]');
    expect(code).toBe(2);
    expect(stdout).toMatch(
      new RegExp(`^::error file=xpkg.yaml,line=${line},title=xpkg-resolve%3A bad-input::`),
    );
    expect(stdout).not.toContain('::xpkg.yaml:');
  });

  test('paths are relative to the repository, wherever the command runs', async () => {
    await mkdir(join(cwd, 'infra'));
    await cp(join(cwd, 'xpkg.yaml'), join(cwd, 'infra/xpkg.yaml'));
    const below = { cwd: join(cwd, 'infra') };
    const argv = ['resolve', ...FROM, '--no-write', `${NETWORK}@>=v2.0.0`, '--format', 'github'];
    expect((await run(argv, below)).stdout).toContain('file=infra/xpkg.yaml,');
    const env = { HOME: cwd, CI_PROJECT_DIR: join(cwd, 'infra') };
    expect((await run(argv, { ...below, env })).stdout).toContain('file=xpkg.yaml,');
  });
});

describe('GitHub', () => {
  test('has a summary on the page of the run, and outputs for later steps', async () => {
    const files = { GITHUB_STEP_SUMMARY: join(cwd, 'summary'), GITHUB_OUTPUT: join(cwd, 'output') };
    await writeFile(files.GITHUB_STEP_SUMMARY, 'of another step\n');
    const argv = ['outdated', ...SET, '--exit-code', '--format', 'github'];
    const { code } = await run(argv, { env: { HOME: cwd, ...files } });
    expect(code).toBe(6);
    const summary = await readFile(files.GITHUB_STEP_SUMMARY, 'utf8');
    expect(summary).toMatch(/^of another step\n### xpkg-resolve outdated: failed\n/);
    expect(summary).toContain('| package | locked | fits | newest | held by |');
    const output = await readFile(files.GITHUB_OUTPUT, 'utf8');
    expect(output).toMatch(/^status=failed\nexit-code=6\nerrors=0\nwarnings=0\noutdated=\d+\n$/);
  });

  test('is not used for other formats', async () => {
    const env = { HOME: cwd, GITHUB_STEP_SUMMARY: join(cwd, 'summary') };
    await run(['outdated', ...SET, '--format', 'sarif'], { env });
    await expect(readFile(join(cwd, 'summary'))).rejects.toThrow('ENOENT');
  });
});

describe('what is printed', () => {
  test('prints the answer on stderr if the report goes to stdout, with and without --quiet', async () => {
    const { stdout, notes } = await run(['lint', ...SET, '-q', '--format', 'gitlab']);
    expect(codeQualityProblems(stdout)).toEqual([]);
    expect(notes.join('\n')).toContain('the set for Crossplane v1.20.11');
  });

  test('with a file, prints the answer as usual', async () => {
    const { stdout } = await run(['verify', ...SET, '-o', 'json', '--format', 'sarif=x.sarif']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'verified' });
    expect(sarifProblems(await readFile(join(cwd, 'x.sarif'), 'utf8'))).toEqual([]);
  });

  test.each([
    [['-o', 'json', '--format', 'github'], '`-o json` and `--format github` contradict'],
    [['--out', '-', '--format', 'github'], '`--out -` and `--format github` contradict'],
    [['--format', 'github', '--format', 'sarif'], 'two formats cannot both be printed'],
    [['--format', 'xml'], '`--format xml` is none that is known'],
    [['--format', 'sarif='], '`--format sarif=` is none that is known'],
  ])('rejects %j', async (flags, message) => {
    const { code, notes } = await run(['resolve', ...SET, ...flags]);
    expect(code).toBe(2);
    expect(notes.join('\n')).toMatch(new RegExp(message.replaceAll(/[`.]/g, '.')));
  });

  test('reports a summary that cannot be written once, with exit code 2', async () => {
    const env = { HOME: cwd, GITHUB_STEP_SUMMARY: join(cwd, 'no/such/folder') };
    const { code, notes } = await run(['verify', ...SET, '--format', 'github'], { env });
    expect(code).toBe(2);
    expect(notes.filter((note) => note.includes('cannot write'))).toHaveLength(1);
  });
});
