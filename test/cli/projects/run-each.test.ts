import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { EACH, FleetFolder, FROM, REGISTRY } from '../../support/fleet-folder.js';

let at: FleetFolder;

beforeEach(async () => {
  at = await FleetFolder.make();
  await at.set('east', { platform: '>=v1.0.0' });
  await at.set('north', { odd: '*' });
  await at.set('west', { platform: 'v1.0.0' });
});

afterEach(() => at.remove());

test('each project gets the same outputs as alone; a failed one gets none', async () => {
  expect((await at.run(['resolve', ...EACH, ...FROM])).code).toBe(EXIT.unsolvable);
  expect(at.has('clusters/north/xpkg.lock.yaml') || at.has('clusters/north/rendered')).toBe(false);
  for (const cluster of ['east', 'west']) {
    const together = await at.files(`clusters/${cluster}`);
    const alone = await FleetFolder.make();
    const text = together['xpkg.yaml']!;
    await alone.write('xpkg.yaml', text);
    expect((await alone.run(['resolve', ...FROM])).code).toBe(EXIT.done);
    const { 'index.json': _, ...files } = await alone.files('.');
    expect(together).toEqual(files);
    await alone.remove();
  }
  expect((await readdir(at.path)).sort()).toEqual(['clusters', 'index.json']);
});

test.each(['resolve', 'verify', 'update', 'outdated', 'lint', 'render'])(
  '%s of one set has no parts: `--shard` without `--each` is refused',
  async (command) => {
    const from = command === 'render' ? [] : FROM;
    const { code, stderr } = await at.run([command, ...from, '--shard', '1/2']);
    expect(stderr).toContain('`--shard` is given without `--each`');
    expect(code).toBe(EXIT.badInput);
  },
);

test('failures come last with their full output, after a table that lists them first', async () => {
  const { stdout, notes } = await at.run(['resolve', ...EACH, ...FROM]);
  expect(stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
    ' | set | result',
    expect.stringMatching(/^ \| clusters\/north\/xpkg\.yaml \| unsolvable \| .*base/),
    ' | clusters/east/xpkg.yaml | ok | 2 packages for Crossplane v2.3.4',
    ' | clusters/west/xpkg.yaml | ok | 2 packages for Crossplane v2.3.4',
    '1 of 3 sets failed',
    '',
  ]);
  const headings = notes.filter((note) => note.includes(': in clusters/'));
  expect(headings).toEqual([
    'note: in clusters/east/xpkg.yaml:',
    'note: in clusters/west/xpkg.yaml:',
    'error: in clusters/north/xpkg.yaml:',
  ]);
  const [, ...said] = notes.slice(notes.indexOf(headings[2]!));
  expect(said.filter((note) => note.startsWith('error: '))).toHaveLength(1);
  expect(said.some((note) => note.startsWith('hint: '))).toBe(true);
});

test('hints contain the flags for their project', async () => {
  const set = 'clusters/south/xpkg.yaml';
  await at.set('south', { platform: 'v1.2.0', base: 'v1.0.0' });
  const { stderr } = await at.run(['resolve', '--each', set, ...FROM]);
  expect(stderr).toContain('hint: ');
  expect(stderr).not.toContain('`--apply-hint N` makes the change');
  const [, flags = ''] = /`(-f [^`]* --apply-hint) [1N]` in place of `--each` makes/.exec(stderr)!;
  expect(flags).toBe(
    `-f ${set} --lock clusters/south/xpkg.lock.yaml --out clusters/south/rendered --apply-hint`,
  );
  const alone = await at.run(['resolve', ...flags.split(' '), '1', ...FROM]);
  expect(alone.code).toBe(EXIT.done);
  expect(at.has('clusters/south/rendered/packages.yaml')).toBe(true);
});

test('paths in messages are relative to the working folder', async () => {
  await at.write('clusters/west/xpkg.yaml', 'kind: PackageSet\nspec: [');
  const { stderr } = await at.run(['resolve', ...EACH, ...FROM]);
  expect(stderr).toContain('error: clusters/west/xpkg.yaml:2');
  expect(stderr).toContain('wrote clusters/east/xpkg.lock.yaml and clusters/east/rendered/');
});

test('includes are relative to the file, flags to the working folder', async () => {
  await at.write(
    'clusters/common.yaml',
    'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\n' +
      `spec: {packages: [{package: ${REGISTRY}/base, version: v1.1.0}]}\n`,
  );
  await at.set('east', {}, { include: ['../common.yaml'] });
  const { lines } = await at.lines(['resolve', '--each', 'clusters/east/*', ...FROM, '--no-write']);
  expect(lines[0]).toMatchObject({
    set: 'clusters/east/xpkg.yaml',
    packages: [{ source: `${REGISTRY}/base`, version: 'v1.1.0' }],
  });
});

test('the exit code is the most severe one', async () => {
  const argv = ['resolve', ...EACH, ...FROM, '--no-write'];
  expect((await at.run(argv)).code).toBe(EXIT.unsolvable);
  await at.write('clusters/west/xpkg.yaml', 'nonsense: [');
  const { code, lines } = await at.lines(argv);
  expect([code, ...lines.map(({ exitCode }) => exitCode)]).toEqual([2, 0, 3, 2]);
});

test('"nothing written" is not printed for each project', async () => {
  const { code, lines } = await at.lines(['verify', ...EACH, ...FROM]);
  expect(code).toBe(EXIT.lockMismatch);
  expect(lines.map(({ status }) => status)).toEqual(['mismatch', 'mismatch', 'mismatch']);
});

describe('with lockfiles', () => {
  beforeEach(async () => {
    await at.set('north', { base: '<v1.2.0' });
    expect((await at.run(['resolve', ...EACH, ...FROM])).code).toBe(EXIT.done);
    await at.writeIndex(['v1.0.0', 'v1.1.0', 'v1.2.0', 'v1.3.0']);
  });

  test('update changes each project and lists the changes', async () => {
    const { code, stdout } = await at.run(['update', ...EACH, ...FROM]);
    expect(code).toBe(EXIT.done);
    expect(stdout).toMatch(
      /east\/xpkg.yaml +ok +.*moved xpkg.example.org\/acme\/base v1.2.0 → v1.3/,
    );
    expect(stdout).toMatch(/north\/xpkg.yaml +ok +.*as locked/);
    expect(await at.read('clusters/east/xpkg.lock.yaml')).toContain('v1.3.0');
    expect(await at.read('clusters/north/xpkg.lock.yaml')).not.toContain('v1.3.0');
  });

  test('update of a package changes only the projects that have it', async () => {
    const before = await at.files('clusters/north');
    const { code, lines } = await at.lines(['update', 'platform', ...EACH, ...FROM]);
    expect(code).toBe(EXIT.done);
    expect(lines.map(({ status, headline }) => [status, headline])).toEqual([
      ['solved', expect.stringContaining('base v1.2.0 → v1.3.0 (and 1 more)')],
      ['passed-over', 'has no platform'],
      ['solved', expect.stringContaining('as locked')],
    ]);
    expect(await at.files('clusters/north')).toEqual(before);
  });

  test('a package that no project has is an error, and nothing changes', async () => {
    const before = await at.files('clusters');
    const { code, stderr } = await at.run(['update', 'base', 'platfrom', ...EACH, ...FROM]);
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toContain('`platfrom` is in none of the 3 lockfiles');
    expect(stderr).toContain(`did you mean \`${REGISTRY}/platform\`?`);
    expect(await at.files('clusters')).toEqual(before);
  });

  test('reports a package that is missing in one project, with its lockfile', async () => {
    const { stderr } = await at.run([
      'update',
      'nothing',
      ...FROM,
      '--lock',
      'clusters/east/xpkg.lock.yaml',
    ]);
    expect(stderr).toContain('`nothing` is not in the lockfile `clusters/east/xpkg.lock.yaml`');
    await at.write('clusters/west/xpkg.lock.yaml', 'nonsense');
    await at.write('clusters/north/xpkg.lock.yaml', 'nonsense');
    const one = await at.run(['update', 'nothing', ...EACH, ...FROM]);
    expect(one.stderr).toContain('`nothing` is not in the lockfile `clusters/east/xpkg.lock.yaml`');
  });

  test('--frozen has a headline, too', async () => {
    const { lines } = await at.lines(['resolve', ...EACH, '--frozen']);
    expect(lines.map(({ headline }) => headline)).toEqual([
      '2 packages for Crossplane v2.3.4, as locked',
      '1 package for Crossplane v2.3.4, as locked',
      '2 packages for Crossplane v2.3.4, as locked',
    ]);
  });

  test('read-only commands print their data by project; the table has the rest', async () => {
    const { code, stdout } = await at.run(['outdated', ...EACH, ...FROM, '--exit-code']);
    expect(code).toBe(EXIT.findings);
    expect(stdout.match(/^clusters\/\w+\/xpkg.yaml:$/gm)).toHaveLength(3);
    expect(stdout).toMatch(/east\/xpkg.yaml +findings +2 packages not at the newest/);
  });

  test.each([
    ['verify', FROM],
    ['render', ['--check']],
    ['matrix', [...FROM, '--crossplane', '>=v2.0.0']],
    ['lint', FROM],
    ['resolve', [...FROM, '--locked']],
    ['resolve', ['--frozen']],
  ])('%s runs for all projects: %j', async (name, more) => {
    const { code, lines } = await at.lines([name, ...EACH, ...more]);
    expect([code, ...lines.map(({ set, exitCode }) => [set, exitCode])]).toEqual([
      0,
      ['clusters/east/xpkg.yaml', 0],
      ['clusters/north/xpkg.yaml', 0],
      ['clusters/west/xpkg.yaml', 0],
    ]);
  });

  test('finds the edited manifests of one project and accepts the others', async () => {
    await at.write('clusters/west/rendered/packages.yaml', '# by hand\n');
    const { code, lines } = await at.lines(['verify', ...EACH, ...FROM]);
    expect([code, ...lines.map(({ exitCode }) => exitCode)]).toEqual([4, 0, 0, 4]);
    expect(lines[2]!['headline']).toContain('clusters/west/rendered/packages.yaml');
  });
});

test('two projects in one folder must name their outputs', async () => {
  await at.write('flat/a.yaml', await at.read('clusters/east/xpkg.yaml'));
  await at.write('flat/b.yaml', await at.read('clusters/west/xpkg.yaml'));
  const argv = ['resolve', '--each', 'flat/*.yaml', ...FROM];
  const { code, stderr } = await at.run(argv);
  expect(code).toBe(EXIT.badInput);
  expect(stderr).toContain('`flat/a.yaml` and `flat/b.yaml` would both have `flat/xpkg.lock.yaml`');
  const named = ['--lock', '{name}.lock', '--out', '../rendered/{name}'];
  expect((await at.run([...argv, ...named])).code).toBe(EXIT.done);
  expect(at.has('flat/b.lock') && at.has('rendered/b/packages.yaml')).toBe(true);
});

test.each([
  [
    ['resolve', '--each', 'clusters/east/xpkg.yaml', 'clusters/west/xpkg.yaml'],
    'quote the pattern',
  ],
  [['resolve', ...EACH, `${REGISTRY}/base`], 'in the files of the sets'],
  [['resolve', ...EACH, '-f', 'x.yaml'], '`--each` and `--file` contradict'],
  [['resolve', ...EACH, '--out', '-'], '`--each` and `--out -` contradict'],
  [['resolve', ...EACH, '--apply-hint', '1'], '`--each` and `--apply-hint` contradict'],
  [['verify', ...EACH, '--lock', 'oci://r.io/a:b'], 'contradict each other'],
  [['resolve', '--each', 'nowhere/*.yaml'], 'no file matches `--each nowhere/*.yaml`'],
  [
    ['resolve', '--each', 'clusters/*'],
    "it matches folders: write `--each 'clusters/*/xpkg.yaml'`",
  ],
  [['resolve', '--each', '!clusters/*'], 'only says what to leave out'],
  [
    ['resolve', ...EACH, '--each', '!clusters/**'],
    "narrow what leaves them out: `--each '!clusters/**'`",
  ],
  [['resolve', ...EACH, '--shard', '3/2'], '`--shard 3/2` is no part of a whole'],
])('%j is a usage error', async (argv, why) => {
  const { code, stderr } = await at.run([...argv, ...FROM]);
  expect(code).toBe(EXIT.badInput);
  expect(stderr).toContain(why);
  expect(at.has('clusters/east/xpkg.lock.yaml')).toBe(false);
});

test('a pattern can exclude, and a name with pattern characters matches itself', async () => {
  await at.write('clusters/[x]/xpkg.yaml', await at.read('clusters/east/xpkg.yaml'));
  const setsOf = async (...each: string[]) => {
    const flags = each.flatMap((pattern) => ['--each', pattern]);
    const { lines } = await at.lines(['resolve', ...flags, ...FROM, '--no-write']);
    return lines.map(({ set }) => set);
  };
  expect(await setsOf('clusters/[x]/xpkg.yaml')).toEqual(['clusters/[x]/xpkg.yaml']);
  const [east, x] = ['clusters/east/xpkg.yaml', 'clusters/[x]/xpkg.yaml'];
  expect(await setsOf(east, x, `!${east}`)).toEqual([x]);
  expect(await setsOf(east, x, `!./${x}`)).toEqual([east]);
  expect(await setsOf(`./${east}`, x, '!clusters/e*/**')).toEqual([x]);
  expect(await setsOf('clusters/e*/xpkg.yaml', x, '!clusters/e*/**')).toEqual([x]);
  expect(await setsOf('**/xpkg.yaml', '!clusters/[[]*/**', './clusters/west/xpkg.yaml')).toEqual([
    'clusters/east/xpkg.yaml',
    'clusters/north/xpkg.yaml',
    'clusters/west/xpkg.yaml',
  ]);
});

describe('the lockfile of a project', () => {
  const named = ['--lock', '{name}.lock.yaml', '--out', 'rendered/{name}'];

  beforeEach(async () => {
    await at.write('flat/a.yaml', await at.read('clusters/east/xpkg.yaml'));
    await at.write('flat/b.yaml', await at.read('clusters/west/xpkg.yaml'));
  });

  test('is no project if it matches the pattern', async () => {
    for (const command of ['resolve', 'resolve', 'verify']) {
      const argv = [command, '--each', 'flat/*.yaml', ...named, ...FROM];
      expect(await at.run(argv)).toMatchObject({
        code: EXIT.done,
        stdout: expect.stringContaining('2 sets, all well') as string,
      });
    }
  });

  test('is not the project itself', async () => {
    const places = ['--lock', '{name}.yaml', ...named.slice(2)];
    const argv = ['resolve', '--each', 'flat/*.yaml', ...places, ...FROM];
    const { code, stderr } = await at.run(argv);
    expect(stderr).toContain('`--lock` names `flat/a.yaml`, which is the set itself');
    expect(code).toBe(EXIT.badInput);
  });

  test('is not deleted if it is another project', async () => {
    const argv = ['--each', 'flat/a.yaml', '--lock', 'b.yaml', ...FROM];
    const { code, stderr } = await at.run(['resolve', ...argv]);
    expect(stderr).toContain('is not a lockfile');
    expect(stderr).toContain('hint: it is a file of another sort: let `--lock` name the lockfile');
    expect(code).toBe(EXIT.badInput);
  });

  test.each(['packages.yaml', 'kustomization.yaml'])(
    'the bundle does not have %s, too',
    async (file) => {
      const lock = ['--lock', `rendered/{name}/${file}`, ...named.slice(2)];
      const { code, stderr } = await at.run(['resolve', '--each', 'flat/a.yaml', ...lock, ...FROM]);
      expect(stderr).toContain(`\`--lock flat/rendered/a/${file}\` is a file of the bundle`);
      expect(code).toBe(EXIT.badInput);
      expect(at.has('flat/rendered')).toBe(false);
    },
  );
});

test('a project that is a dangling link fails, but not the others', async () => {
  await at.write('clusters/lost/other.yaml', '');
  await symlink('nowhere', join(at.path, 'clusters/lost/xpkg.yaml'));
  const { code, stdout } = await at.run([
    'resolve',
    ...EACH,
    '--each',
    '!clusters/north/**',
    ...FROM,
  ]);
  expect(stdout).toMatch(/clusters\/lost\/xpkg\.yaml +bad input/);
  expect(stdout).toContain('1 of 3 sets failed');
  expect(code).toBe(EXIT.badInput);
});

test('rejects two links to one project, because it has one lockfile', async () => {
  await symlink('east', join(at.path, 'clusters/link'));
  const { code, stderr } = await at.run(['resolve', ...EACH, ...FROM]);
  expect([code, stderr]).toEqual([EXIT.badInput, expect.stringContaining('would both have')]);
});
