import * as fc from 'fast-check';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import { scenario } from '../../../src/testing/generators/scenario.js';
import { fakeIo } from '../../support/fake-io.js';
import { followAdvice } from '../../support/follow-advice.js';
import { providers, requiring } from '../../support/universes.js';

const FROM = ['--from', 'index:index.json', '--allow-undigested'];

/**
 * Runs `check` in a folder with an index, xpkg.yaml and its lockfile; returns false if unsolvable.
 */
async function inProject(
  universe: IndexFile,
  packages: readonly object[],
  check: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-'));
  try {
    const set = {
      apiVersion: 'xpkg-resolve.dev/v1alpha1',
      kind: 'PackageSet',
      metadata: { name: 'test' },
      spec: { crossplane: 'v2.3.4', packages },
    };
    writeFileSync(join(folder, 'index.json'), JSON.stringify(universe));
    writeFileSync(join(folder, 'xpkg.yaml'), `${JSON.stringify(set, undefined, 2)}\n`);
    const io = fakeIo({ cwd: folder });
    if ((await runCli(['resolve', ...FROM], io)) === 0) await check(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the printed command locks the printed version with the printed effect', async () => {
  let followed = 0;
  await fc.assert(
    fc.asyncProperty(scenario({ packages: 6, invalid: 0, replace: 0 }), async (given) => {
      const { universe, request } = given;
      const packages = request.roots.flatMap((root) =>
        root.root === 'package' && root.version.form === 'text'
          ? [{ package: root.repository, version: root.version.text }]
          : [],
      );
      await inProject(universe, packages, async (folder) => {
        followed += await followAdvice(folder, FROM);
      });
    }),
    { seed: 24, numRuns: 60 },
  );
  expect(followed).toBeGreaterThan(5);
});

test('advice names the change, the command and the effect', async () => {
  const [a, b] = ['xpkg.example.org/acme/a', 'xpkg.example.org/acme/b'];
  const universe = providers({
    [a]: { 'v1.0.0': {}, 'v2.0.0': {} },
    [b]: { 'v1.0.0': requiring({ [a]: 'v1.0.0' }), 'v2.0.0': requiring({ [a]: 'v2.0.0' }) },
  });
  await inProject(universe, [{ provider: b, version: 'v1.0.0' }], async (folder) => {
    const io = fakeIo({ cwd: folder });
    await runCli(['outdated', ...FROM], io);
    expect(io.stdout()).toContain(`to move to v2.0.0: ask for ${b} \`^v2.0.0\``);
    const command = `xpkg-resolve update ${a}@v2.0.0 --apply-hint 1 ${FROM.join(' ')}`;
    expect(io.stdout()).toContain(`      ${command}\n`);
    expect(io.stdout()).toContain('      effect: upgrades 2\n');
    expect(await followAdvice(folder, FROM)).toBe(2);
    const staying = fakeIo({ cwd: folder });
    await runCli(['update', a, ...FROM], staying);
    expect(staying.notes().join('\n')).toContain(command);
  });
});

const A = 'xpkg.example.org/acme/a';

/** `project`: folder of the project; `from`: folder in which commands run. */
test.each([
  { project: '.', from: 'apps/one', argv: ['outdated'], flags: '' },
  {
    project: 'clusters/a',
    from: '.',
    argv: ['outdated', '--each', 'clusters/*/xpkg.yaml'],
    flags: '-f clusters/a/xpkg.yaml --lock clusters/a/xpkg.lock.yaml --out clusters/a/rendered ',
  },
  {
    project: 'clusters/a',
    from: '.',
    argv: ['outdated', '-C', 'clusters/a'],
    flags: '-C clusters/a ',
  },
  {
    project: 'clusters/a',
    from: '.',
    argv: ['-C', 'clusters/a', 'why', '--not', `${A}@v2.0.0`],
    flags: '-C clusters/a ',
  },
  {
    project: 'clusters/a',
    from: 'clusters',
    argv: ['why', '--not', `${A}@v2.0.0`, '-f', 'a/xpkg.yaml', '--lock=a/xpkg.lock.yaml'],
    flags: '-f a/xpkg.yaml --lock=a/xpkg.lock.yaml ',
    writes: 'clusters/rendered',
  },
])(
  '$argv in $from prints a command that updates this project only',
  async ({ project, from, argv, flags, writes }) => {
    const universe = providers({ [A]: { 'v1.0.0': {}, 'v2.0.0': {} } });
    await inProject(universe, [{ provider: A, version: 'v1.0.0' }], async (folder) => {
      for (const made of ['.git', 'apps/one', project]) {
        mkdirSync(join(folder, made), { recursive: true });
      }
      for (const file of project === '.' ? [] : ['xpkg.yaml', 'xpkg.lock.yaml', 'rendered']) {
        renameSync(join(folder, file), join(folder, project, file));
      }
      const before = readdirSync(folder, { recursive: true });
      const sources = `--from index:${join(folder, 'index.json')} --allow-undigested`;
      const io = fakeIo({ cwd: join(folder, from) });
      await runCli([...argv, ...sources.split(' ')], io);
      const printed = /xpkg-resolve (update [^`\n]*)/.exec(io.stdout())![1]!;
      const words = printed.split(' ');
      expect(words.toSorted()).toEqual(
        `update ${A}@v2.0.0 --apply-hint 1 ${flags}${sources}`.split(' ').toSorted(),
      );
      const run = fakeIo({ cwd: join(folder, from) });
      expect(await runCli(words, run)).toBe(0);
      const after = readdirSync(folder, { recursive: true }) as string[];
      const isElsewhere = (path: string) => writes !== undefined && path.startsWith(writes);
      expect(after.filter((path) => !isElsewhere(path))).toEqual(before);
      const rendered = join(folder, writes ?? join(project, 'rendered'), 'packages.yaml');
      expect(readFileSync(rendered, 'utf8')).toContain(`package: ${A}:v2.0.0\n`);
    });
  },
);
