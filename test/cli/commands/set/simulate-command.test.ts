import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../../../src/cli/exit-code.js';
import { runCli } from '../../../../src/cli/run.js';
import { fakeIo } from '../../../support/fake-io.js';
import { digestOf } from '../../../support/lockfiles.js';
import { providers, requiring } from '../../../support/universes.js';

const [A, B, C] = ['a', 'b', 'c'].map((name) => `xpkg.example.org/acme/${name}`) as [
  string,
  string,
  string,
];
const V1 = 'v1.0.0';
const digest = digestOf('any');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-'));
  const universe = providers({
    [A]: { [V1]: { ...requiring({ [C]: '>=1.0.0' }), digest } },
    [B]: { [V1]: { ...requiring({ [C]: '<2.0.0' }), digest } },
    [C]: { 'v1.5.0': { digest }, 'v2.0.0': { digest: digestOf('other') } },
  });
  writeFileSync(join(folder, 'index.json'), JSON.stringify(universe));
});

afterEach(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]) {
  const io = fakeIo({ cwd: folder });
  const [name, ...rest] = args;
  const from = ['--from', 'index:index.json', '--crossplane', 'v2.3.4'];
  const code = await runCli([name!, ...rest, ...from], io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

test('step by step, to where it is stuck; other orders; the lockfile', async () => {
  await run('resolve', A, B);
  const { code, stdout } = await run('simulate', A, B, '--orders', '20', '--compare');
  expect(code).toBe(EXIT.done);
  expect(stdout).toBe(
    [
      `1. ${A} ${V1}: applied`,
      `2. ${B} ${V1}: applied`,
      `3. ${C} v2.0.0: installed`,
      `   because ${A} ${V1} requires \`>=1.0.0\``,
      `4. ${B} ${V1}: cannot resolve package dependencies: incompatible dependencies:`,
      `   existing package ${C}@v2.0.0 is incompatible with constraint <2.0.0`,
      `   because of its own checks`,
      '',
      'stuck on Crossplane v2.3.4: 1 of 3 packages not healthy',
      `  Provider acme-b (${B}:${V1}): Healthy=False`,
      `    Package revision health is "False" with message: cannot resolve package dependencies:`,
      `    incompatible dependencies: existing package ${C}@v2.0.0 is incompatible with`,
      '    constraint <2.0.0',
      '',
      '20 other orders of arrival: 1 other end',
      '  in 14 of them, healthy on Crossplane v2.3.4: 3 packages',
      `    + ${C}:v1.5.0`,
      `    - ${C}:v2.0.0`,
      '',
      'not as locked:',
      `  ${C}: locked v1.5.0, in the cluster v2.0.0`,
      '',
    ].join('\n'),
  );
});

test('what is locked ends as locked, whatever the order', async () => {
  await run('resolve', A, B);
  const all = await run('simulate', '--all', '--orders', '5', '--compare', '--exit-code');
  expect(all.code).toBe(EXIT.done);
  expect(all.stdout.split('\n').slice(-6)).toEqual([
    'healthy on Crossplane v2.3.4: 3 packages',
    '',
    '5 other orders of arrival: the end is the same',
    '',
    'as locked',
    '',
  ]);
  const roots = await run('simulate', A, B, '--locked', '--exit-code');
  expect(roots.code).toBe(EXIT.findings);
});

test('a cluster is gone on from: as it was dumped, or as a lockfile was applied', async () => {
  await run('resolve', A, B);
  const on = await run('simulate', '--onto', 'xpkg.lock.yaml');
  expect(on.stdout).toBe('healthy on Crossplane v2.3.4: 3 packages\n');
  writeFileSync(
    join(folder, 'dump.json'),
    JSON.stringify({
      apiVersion: 'pkg.crossplane.io/v1',
      kind: 'Provider',
      metadata: { name: 'mine', uid: '1' },
      spec: { package: `${B}:${V1}` },
    }),
  );
  const dumped = await run('simulate', '--onto', 'dump.json');
  expect(dumped.stdout).toContain(`1. ${C} v1.5.0: installed\n   because ${B} ${V1} requires`);
  const none = await run('simulate', '--onto', 'none.json');
  expect([none.code, none.stderr]).toEqual([EXIT.badInput, expect.stringContaining('--onto')]);
});
