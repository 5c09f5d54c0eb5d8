import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { RESOLVE_OUTPUT_SCHEMA } from '../../../src/features/resolve/answer-output.js';
import { runCli } from '../../../src/commands.js';
import { schemaCheck } from '../../../src/base/json-schema.js';
import { fakeIo } from '../../support/fake-io.js';

const [A, B] = ['h.io/acme/a', 'h.io/acme/b'];
let folder: string;

const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
const requires = (version: string) => ({ dependsOn: [{ provider: B, version }] });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-hints-'));
  const packages = {
    [A]: {
      kind: 'Provider',
      versions: {
        'v1.0.0': { digest: digest('1'), ...requires('^v1.0.0') },
        'v2.0.0': { digest: digest('2'), ...requires('^v2.0.0') },
      },
    },
    [B]: {
      kind: 'Provider',
      versions: { 'v1.0.0': { digest: digest('3') }, 'v2.0.0': { digest: digest('4') } },
    },
  };
  write('index.json', JSON.stringify({ packages }));
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

const textOf = (name: string) => readFileSync(join(folder, name), 'utf8');

async function run(args: readonly string[], stdin = '') {
  const io = fakeIo({ cwd: folder, stdin });
  const words = ['resolve', '--from', 'index:index.json', '--crossplane', 'v2.3.4', ...args];
  const code = await runCli(words, io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

const SET = `# ours
apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
spec:
  packages:
    - provider: ${A}
      version: v1.0.0 # pinned
    # the newest
    - provider: ${B}
      version: "^v2.0.0"
`;

test('a refusal shows the lines to write and the command that writes them', async () => {
  write('xpkg.yaml', SET);
  const { code, stderr } = await run(['--explain']);
  expect(code).toBe(EXIT.unsolvable);
  expect(stderr).toContain(`
hint: each of these alone makes it solvable; \`--apply-hint N\` makes the change
  1. ask for ${A} \`^v2.0.0\` instead of \`v1.0.0\` (xpkg.yaml:6); effect: adds 2
       xpkg.yaml:7: version: "^v2.0.0" # pinned
  2. ask for ${B} \`^v1.0.0\` instead of \`^v2.0.0\` (xpkg.yaml:9); effect: adds 2
       xpkg.yaml:10: version: "^v1.0.0"
  3. override ${B} to \`v2.0.0\` (\`spec.overrides\`), against what others ask for; effect: adds
     2; every package object gets \`skipDependencyResolution: true\`
       xpkg.yaml:11:
         overrides:
           - package: ${B}
             version: v2.0.0
  4. leave out ${A} (xpkg.yaml:6); effect: adds 1; one root is not installed`);
  expect(readdirSync(folder).sort()).toEqual(['index.json', 'xpkg.yaml']);
});

test('in a narrow terminal, lines wrap with their usual indentation', async () => {
  write('xpkg.yaml', SET);
  const terminal = { out: () => undefined, note: () => 50 };
  const io = fakeIo({ cwd: folder, terminal });
  await runCli(['resolve', '--from', 'index:index.json', '--crossplane', 'v2.3.4'], io);
  expect(io.notes().slice(0, 6)).toEqual([
    'error: no set of versions satisfies everything on',
    '  Crossplane v2.3.4',
    '',
    '  xpkg.yaml:6 asks for a `v1.0.0`, which requires',
    '    b `^v1.0.0`.',
    '  xpkg.yaml:9 asks for b `^v2.0.0`.',
  ]);
});

test('in JSON it is a patch that matches the schema', async () => {
  write('xpkg.yaml', SET);
  const { stdout } = await run(['-o', 'json']);
  const answer = JSON.parse(stdout) as { suggestions: object[] };
  expect(schemaCheck(RESOLVE_OUTPUT_SCHEMA)(answer)).toEqual([]);
  expect(answer.suggestions[1]).toEqual({
    text: `ask for ${B} \`^v1.0.0\` instead of \`^v2.0.0\` (xpkg.yaml:9)`,
    effect: { up: 0, down: 0, added: 2, removed: 0, notes: [] },
    file: 'xpkg.yaml',
    document: 0,
    patch: [{ op: 'replace', path: '/spec/packages/1/version', value: '^v1.0.0' }],
  });
});

/** Returns a Provider object with a name and a tag. */
const object = (name: string, tag: string) => `apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata:
  name: ${name}
spec:
  package: h.io/acme/${name}:${tag}
`;

describe('--apply-hint', () => {
  test('edits the file, keeps comments and resolves', async () => {
    write('xpkg.yaml', SET);
    const { code, stderr } = await run(['--apply-hint', '2']);
    expect([code, stderr]).toEqual([EXIT.done, expect.stringContaining('wrote xpkg.yaml')]);
    expect(textOf('xpkg.yaml')).toBe(SET.replace('"^v2.0.0"', '"^v1.0.0"'));
    expect(textOf('xpkg.lock.yaml')).toContain('version: v1.0.0');
    expect((await run(['--locked'])).code).toBe(EXIT.done);
  });

  test('a downgrade is not called an update', async () => {
    write('xpkg.yaml', SET.replace('v1.0.0', 'v2.0.0'));
    await run([]);
    write('xpkg.yaml', SET);
    const change = `${B} v2.0.0 → v1.0.0`;
    const numberOf = /(\d)\. ask for \S+\/b `\^v1/.exec((await run(['--explain'])).stderr)![1]!;
    const planned = await run(['--apply-hint', numberOf, '--no-write']);
    expect(planned.stderr).toContain(`would downgrade ${change}`);
    const { stderr } = await run(['--apply-hint', numberOf]);
    expect(stderr).toContain(`downgraded ${change}`);
    expect(stderr).not.toContain('moved');
  });

  test('writes nothing with --no-write', async () => {
    write('xpkg.yaml', SET);
    expect((await run(['--apply-hint', '1', '--no-write'])).code).toBe(EXIT.done);
    expect(textOf('xpkg.yaml')).toBe(SET);
  });

  test('edits documents in their own files', async () => {
    const text = `${object('a', 'v1.0.0')}---\n${object('b', 'v2.0.0')}`;
    write('objects.yaml', text);
    expect((await run(['-f', 'objects.yaml', '--apply-hint', '1'])).code).toBe(EXIT.done);
    expect(textOf('objects.yaml')).toBe(text.replace('a:v1.0.0', 'a:v2.0.0'));
  });

  test('prints the new command for arguments on the command line', async () => {
    const { code, stderr } = await run([`${A}@v1.0.0`, `${B}@^v2.0.0`, '--apply-hint', '1']);
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain(
      `from now on: xpkg-resolve resolve --from index:index.json --crossplane v2.3.4 '${A}@^v2.0.0' '${B}@^v2.0.0'`,
    );
    expect(textOf('xpkg.lock.yaml')).toContain('version: v2.0.0');
  });

  test('creates a file for rules if none is given', async () => {
    const { stderr } = await run([`${A}@v1.0.0`, `${B}@^v2.0.0`, '--apply-hint', '3']);
    expect(stderr).toContain('wrote xpkg.yaml');
    expect(textOf('xpkg.yaml')).toContain(`  overrides:\n    - package: ${B}\n`);
    expect((await run([`${A}@v1.0.0`, `${B}@^v2.0.0`, '--locked'])).code).toBe(EXIT.done);
  });

  test('explains the change to standard input', async () => {
    const { code, stderr } = await run(['-f', '-', '--apply-hint', '1'], SET);
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('stdin:7: version: "^v2.0.0" # pinned');
    expect(stderr).toContain('standard input cannot be written');
  });

  test('changes nothing if there is a solution', async () => {
    write('xpkg.yaml', SET.replace('v1.0.0', 'v2.0.0'));
    const { code, stderr } = await run(['--apply-hint', '1']);
    expect([code, stderr]).toEqual([EXIT.done, expect.stringContaining('no hint is applied')]);
  });

  test.each([
    [['--apply-hint', '9'], 'there is no hint 9: there are 4'],
    [['--apply-hint', '0'], 'there is no hint 0'],
    [['--apply-hint', '1', '--locked'], '--locked'],
    [['--apply-hint', '1', '--frozen'], '--frozen'],
  ])('rejects %j', async (args, message) => {
    write('xpkg.yaml', SET);
    const { code, stderr } = await run(args);
    expect([code, stderr]).toEqual([EXIT.badInput, expect.stringContaining(message)]);
    expect(readdirSync(folder).sort()).toEqual(['index.json', 'xpkg.yaml']);
  });
});
