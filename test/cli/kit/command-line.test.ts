import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Flag, EXIT } from '../../../src/cli/kit/command.js';
import { readCommandLine } from '../../../src/cli/kit/command-line.js';
import { COMMANDS, runCli } from '../../../src/commands.js';
import { globalFlags } from '../../../src/cli/arguments/common-flags.js';
import { fakeIo } from '../../support/fake-io.js';

const commands = await Promise.all(
  COMMANDS.map(async ({ usage, load }) => ({ name: usage.split(' ')[0]!, it: await load() })),
);
const NAMES = commands.map(({ name }) => name);

/** Returns a flag with a valid value; command names are the hardest values. */
function wordsOf([name, flag]: readonly [string, Flag]): fc.Arbitrary<readonly string[]> {
  if (flag.type === 'boolean') return fc.constantFrom([`--${name}`], [`--no-${name}`]);
  const values =
    flag.choices ?? (flag.type === 'number' ? ['1', '20'] : [...NAMES, '-', 'a=b', '>=v1.0.0']);
  return fc
    .tuple(fc.constantFrom(...values), fc.boolean())
    .map(([value, isJoined]) => (isJoined ? [`--${name}=${value}`] : [`--${name}`, value]));
}

/** A command with some of its flags, each at most once. */
const lines = fc.constantFrom(...commands).chain(({ name, it }) => {
  const flags = Object.entries<Flag>({ ...it.flags, ...globalFlags }).filter(
    ([flag]) => flag !== 'timeout',
  );
  return fc.record({
    name: fc.constant(name),
    flags: fc
      .subarray(flags, { maxLength: 4 })
      .chain((some) => fc.tuple(...some.map((flag) => wordsOf(flag)))),
  });
});

test('flags have the same meaning before and after the command', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.nat(4), async ({ name, flags }, at) => {
      const before = flags.slice(0, at).flat();
      const after = flags.slice(at).flat();
      const mixed = await readCommandLine(COMMANDS, [...before, name, ...after]);
      const plain = await readCommandLine(COMMANDS, [name, ...flags.flat()]);
      const { words: _mixed, ...restMixed } = mixed;
      const { words: _plain, ...restPlain } = plain;
      expect(mixed.command).toBe(name);
      expect(JSON.stringify(restMixed)).toBe(JSON.stringify(restPlain));
    }),
  );
});

test('a flag takes a value in all commands or in none', () => {
  const arities = new Map<string, Set<boolean>>();
  for (const { it } of commands) {
    for (const [name, { type, alias }] of Object.entries({ ...it.flags, ...globalFlags } as Record<
      string,
      Flag
    >)) {
      for (const each of [name, ...(alias === undefined ? [] : [`-${alias}`])]) {
        arities.set(each, (arities.get(each) ?? new Set()).add(type !== 'boolean'));
      }
    }
  }
  expect([...arities].filter(([, found]) => found.size > 1)).toEqual([]);
});

test('a flag that needs a value is a usage error without one', async () => {
  for (const { name, it } of commands) {
    for (const [flag, { type }] of Object.entries(it.flags)) {
      for (const rest of [[], ['--debug']]) {
        const { mistake } = await readCommandLine(COMMANDS, [name, `--${flag}`, ...rest]);
        const says = mistake?.message.includes(`\`--${flag}\` needs a value`) === true;
        expect([name, flag, says]).toEqual([name, flag, type !== 'boolean']);
      }
    }
  }
});

test.each([
  { argv: ['-qo', 'json', 'tree'], why: 'short flags together' },
  { argv: ['-qojson', 'tree'], why: 'with the value' },
  { argv: ['tree', '-o=json', '-q'], why: 'with an equals sign' },
  { argv: ['--output', 'json', '--quiet', 'tree'], why: 'long ones first' },
])('$argv: $why', async ({ argv }) => {
  const { command, json, args, mistake } = await readCommandLine(COMMANDS, argv);
  expect({ command, json, quiet: args.quiet, mistake }).toEqual({
    command: 'tree',
    json: true,
    quiet: true,
    mistake: undefined,
  });
});

test('the value of a flag is never the command', async () => {
  const line = await readCommandLine(COMMANDS, [
    '-f',
    'resolve',
    '--lock',
    'tree',
    'update',
    'add',
  ]);
  expect(line).toMatchObject({
    command: 'update',
    args: { file: ['resolve'], lock: 'tree', packages: ['add'] },
  });
});

test.each([
  ['--lock', '0x10'],
  ['--lock', '-5'],
  ['--lock', '-'],
  ['--lock', 'true'],
  ['--lock="quoted"'],
  ['--lock=a=b'],
  ['--lock=--offline'],
])('%s %s: the value is the text as typed', async (...words) => {
  const { args, mistake } = await readCommandLine(COMMANDS, ['tree', ...words]);
  expect(mistake).toBeUndefined();
  expect(args['lock']).toBe(words[1] ?? words[0].slice('--lock='.length));
});

test.each(['.', '..', './set.yaml', '../a.b/set.yaml', '-', '5', 'set.yaml', 'quiet=x'])(
  '-qf%s: the file follows the short flag',
  async (file) => {
    for (const word of [`-qf${file}`, `-qf=${file}`]) {
      const { args, mistake } = await readCommandLine(COMMANDS, ['resolve', word]);
      expect([mistake, args.quiet, args.file]).toEqual([undefined, true, [file]]);
    }
  },
);

test('a switch does not consume the next word', async () => {
  const { args } = await readCommandLine(COMMANDS, [
    '--offline',
    'resolve',
    '--offline',
    'true',
    '-q',
    '5',
  ]);
  expect(args).toMatchObject({ offline: true, quiet: true, refs: ['true', '5'] });
});

test('words after `--` are arguments', async () => {
  const { args, words } = await readCommandLine(COMMANDS, [
    'resolve',
    '--offline',
    '--',
    '--lock',
    'x',
  ]);
  expect(args).toMatchObject({ offline: true, refs: ['--lock', 'x'], lock: undefined });
  expect(words.map(({ flag }) => flag)).toEqual([undefined, 'offline', ...Array(3)]);
});

const PROJECT_FLAGS = [
  '--from=dir:packages',
  '--offline',
  '--cache=cache',
  '--crossplane=v2.3.4',
  '--allow-undigested',
];
const WITHOUT_PROJECT = ['cache', 'completion', 'index', 'krm', 'releases', 'report', 'schema'];

test.each(NAMES)('%s accepts the flags of the project if it works on one', async (name) => {
  const { mistake } = await readCommandLine(COMMANDS, [...PROJECT_FLAGS, name]);
  const isUnknown = mistake?.message.includes('has no flag') === true;
  expect(isUnknown).toBe(WITHOUT_PROJECT.includes(name));
});

test.each(NAMES)('%s: --dry-run is --no-write', async (name) => {
  const { it } = commands.find((each) => each.name === name)!;
  if (it.flags['write'] === undefined) return;
  const [dry, off, on] = await Promise.all(
    [['--dry-run'], ['--no-write'], []].map((words) => readCommandLine(COMMANDS, [name, ...words])),
  );
  expect([dry!.args['write'], off!.args['write'], on!.args['write']]).toEqual([false, false, true]);
  expect((await run(['help', name])).stdout).toContain('--no-write, --dry-run');
});

async function run(argv: readonly string[], cwd?: string) {
  const io = fakeIo({ ...(cwd !== undefined && { cwd }), env: { HOME: '/nowhere' } });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

test.each([
  { argv: ['resolve', '-qo', 'json', '--nope'], says: 'no flag `--nope`' },
  { argv: ['-qo', 'json', 'resolve', '-f', 'missing.yaml'], says: 'missing.yaml' },
  { argv: ['--lock', '-o', 'json', 'tree'], says: '`--lock` needs a value' },
  { argv: ['-o', 'json', '--nope', 'value', 'tree'], says: 'no flag `--nope`' },
  { argv: ['-o', 'json', '-f', 'xpkg.yaml', 'reslove'], says: 'no command `reslove`' },
  { argv: ['-o', 'json', '--prefer', 'newest', 'reslove'], says: 'no command `reslove`' },
  { argv: ['-o', 'json'], says: 'name a command' },
  { argv: ['-o', 'json', '--apply-hint', '1', 'tree'], says: '`xpkg-resolve tree` has no flag' },
  { argv: ['-o', 'json', '-C', 'nowhere', 'tree'], says: '`-C nowhere`' },
])('$argv: as JSON, $says', async ({ argv, says }) => {
  const { code, stdout } = await run(argv);
  const { error, exitCode } = JSON.parse(stdout) as {
    exitCode: number;
    error: { message: string };
  };
  expect([code, exitCode]).toEqual([EXIT.badInput, EXIT.badInput]);
  expect(error.message).toContain(says);
});

test.each([
  { argv: ['resolve', '--offline=maybe'], says: '`--offline` takes no value' },
  { argv: ['tree', '--lock='], says: '`--lock` needs a value' },
  { argv: ['tree', '--lock', ''], says: '`--lock` needs a value' },
  { argv: ['tree', '--lock', 'a', '--lock=b'], says: '`--lock` is given more than once' },
  { argv: ['tree', '--constructor'], says: 'no flag `--constructor`' },
  { argv: ['tree', '--__proto__=x'], says: 'no flag `--__proto__`' },
  { argv: ['tree', '--_'], says: 'no flag `--_`' },
  { argv: ['tree', '--o', 'json'], says: 'no flag `--o`' },
  { argv: ['tree', '-x'], says: 'no flag `-x`' },
  { argv: ['tree', '-=.='], says: 'no flag `-=.=`' },
  { argv: ['tree', '-q5'], says: '`--quiet` takes no value' },
])('$argv: $says', async ({ argv, says }) => {
  const { code, notes } = await run(argv);
  expect(code).toBe(EXIT.badInput);
  expect(notes[0]).toContain(says);
});

describe('-C', () => {
  const FROM = ['--from', `dir:${join(import.meta.dirname, '../../../fixtures/packages')}`];
  let top: string;
  beforeAll(async () => {
    top = await mkdtemp(join(tmpdir(), 'directory-'));
    await mkdir(join(top, 'clusters/east'), { recursive: true });
    await writeFile(
      join(top, 'clusters/east/set.yaml'),
      [
        'apiVersion: xpkg-resolve.dev/v1alpha1',
        'kind: PackageSet',
        'spec:',
        '  crossplane: v1.20.0',
        '  packages:',
        '    - provider: xpkg.example.org/acme-contrib/provider-helm',
        '      version: "*"',
        '',
      ].join('\n'),
    );
  });
  afterAll(() => rm(top, { recursive: true }));

  test('reads and writes files in the folder, including reports', async () => {
    const argv = ['-f', 'set.yaml', '--format', 'sarif=out.sarif', 'resolve', ...FROM];
    const { code } = await run(['-C', 'clusters', ...argv, '--directory=east'], top);
    expect(code).toBe(EXIT.done);
    expect(await readdir(top)).toEqual(['clusters']);
    expect((await readdir(join(top, 'clusters/east'))).sort()).toEqual(
      ['out.sarif', 'rendered', 'set.yaml', 'xpkg.lock.yaml'].sort(),
    );
  });

  test('follows links, as a process started in the folder does', async () => {
    await mkdir(join(top, 'linked/real/deep'), { recursive: true });
    await mkdir(join(top, 'linked/real/.git'));
    await symlink('real/deep', join(top, 'linked/link'));
    await copyFile(join(top, 'clusters/east/set.yaml'), join(top, 'linked/real/xpkg.yaml'));
    const found = await run(['-C', 'linked/link', 'resolve', ...FROM], top);
    expect(found.code).toBe(EXIT.done);
    expect(await readdir(join(top, 'linked/real'))).toContain('xpkg.lock.yaml');
    const above = await run(['-C', 'linked/link', '-C', '..', 'resolve', '--locked', ...FROM], top);
    expect(above.code).toBe(EXIT.done);
  });

  test('completion lists the locked packages of the folder', async () => {
    const { stdout } = await run(['--complete', '-C', 'clusters/east', 'why', 'prov'], top);
    expect(stdout).toContain('provider-helm\n');
  });

  test.each(['nowhere', 'clusters/east/set.yaml'])('%s is no folder', async (folder) => {
    const { code, notes } = await run(['tree', '-C', folder], top);
    expect(code).toBe(EXIT.badInput);
    expect(notes[0]).toBe(`error: \`-C ${folder}\`: there is no such folder`);
  });
});
