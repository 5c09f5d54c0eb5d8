import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../../../src/cli/run.js';
import { fakeIo } from '../../../support/fake-io.js';
import { blocksOf } from '../../../support/readme.js';

const ROOT = join(import.meta.dirname, '../../../..');
const PACKAGES = ['--from', `dir:${join(ROOT, 'fixtures/packages')}`];
const CONTRIB = 'xpkg.example.org/acme-contrib';
let cwd: string;

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd, env: { HOME: cwd, PATH: process.env['PATH'] } });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes().join('\n') };
}

/** Requires `db` as the version says. */
const app = (constraint: string) => ({
  digest: `sha256:${'a'.repeat(64)}`,
  dependsOn: [{ provider: 'x.io/acme/db', version: constraint }],
});
const db = { digest: `sha256:${'b'.repeat(64)}` };
const INDEX = {
  packages: {
    'x.io/acme/app': {
      kind: 'Provider',
      versions: {
        'v1.0.0': app('^v1.0.0'),
        'v1.5.0': app('>=v1.0.0, <v3.0.0'),
        'v2.0.0': app('^v2.0.0'),
      },
    },
    'x.io/acme/db': { kind: 'Provider', versions: { 'v1.0.0': db, 'v2.0.0': db } },
  },
};

async function lock(file: string, ...argv: readonly string[]): Promise<void> {
  const ran = await run('resolve', ...argv, '--lock', file, '--no-bundle', '--offline');
  expect(ran).toMatchObject({ code: 0 });
}

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'plan-'));
  await writeFile(join(cwd, 'index.json'), JSON.stringify(INDEX));
  const demo = ['-f', join(ROOT, 'fixtures/demo'), ...PACKAGES];
  await lock('old.lock.yaml', ...demo, '--prefer', 'lowest');
  await lock('new.lock.yaml', ...demo);
  const v1 = ['--crossplane', 'v1.20.11', ...PACKAGES];
  await lock('monolith.lock.yaml', `${CONTRIB}/provider-cloud@v0.47.1`, ...v1);
  const family = ['network', 'storage'].map((name) => `${CONTRIB}/provider-cloud-${name}@v1.3.0`);
  await lock('family.lock.yaml', ...family, ...v1);
  const index = ['--crossplane', 'v2.3.4', '--from', 'index:index.json'];
  await lock('before.lock.yaml', 'x.io/acme/app@v1.0.0', ...index);
  await lock('after.lock.yaml', 'x.io/acme/app@v2.0.0', ...index);
});

afterAll(() => rm(cwd, { recursive: true }));

test('what its page shows is what is printed (`vitest -u` writes it anew)', async () => {
  const page = await readFile(join(ROOT, 'docs/plan.md'), 'utf8');
  const blocks = blocksOf(page).filter(({ language }) => language === 'console');
  expect(blocks).toHaveLength(4);
  let text = page;
  for (const { at, body } of blocks.toReversed()) {
    const line = body.split('\n', 1)[0]!;
    const { stdout, notes } = await run(...line.replace('$ xpkg-resolve ', '').split(' '));
    const shown = `${line}\n${stdout}${notes === '' ? '' : `${notes}\n`}`;
    text = `${text.slice(0, at)}${shown}${text.slice(at + body.length)}`;
  }
  await expect(text).toMatchFileSnapshot(join(ROOT, 'docs/plan.md'));
});

test('an order is an answer, and none is exit 3 with what would help', async () => {
  expect((await run('plan', 'old.lock.yaml', 'new.lock.yaml')).code).toBe(0);
  const from = ['--from', 'index:index.json'];
  const refused = await run('plan', 'before.lock.yaml', 'after.lock.yaml', ...from, '-o', 'json');
  expect(refused.code).toBe(3);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    status: 'unsolvable',
    core: [{ kind: 'requirement' }, { kind: 'requirement' }],
    suggestions: [{ args: ['--via', 'x.io/acme/app@v1.5.0'] }],
  });
  const via = ['--via', 'app@v1.5.0', '-o', 'json'];
  const helped = await run('plan', 'before.lock.yaml', 'after.lock.yaml', ...from, ...via);
  expect(helped.code).toBe(0);
  const { steps } = JSON.parse(helped.stdout) as { steps: { apply: string[] }[] };
  expect(steps.map(({ apply }) => apply)).toEqual([
    ['x.io/acme/app@v1.5.0'],
    ['x.io/acme/db@v2.0.0'],
    ['x.io/acme/app@v2.0.0'],
  ]);
});

test('a hand-over comes with its commands, in their order', async () => {
  const { stdout } = await run('plan', 'monolith.lock.yaml', 'family.lock.yaml', '-o', 'json');
  const { steps } = JSON.parse(stdout) as {
    steps: { apply: string[]; remove: string[]; commands: string[] }[];
  };
  const giving = steps.find(({ remove }) => remove.length > 0)!;
  expect(giving.remove).toEqual([`${CONTRIB}/provider-cloud@v0.47.1`]);
  const verbs = giving.commands.map((line) => line.split(' ').slice(0, 2).join(' '));
  expect(verbs.filter((verb, n) => verb !== verbs[n - 1])).toEqual([
    '(crds=$(kubectl get',
    'kubectl patch',
    'kubectl get',
    'kubectl apply',
    'kubectl wait',
    'kubectl delete',
  ]);
});

test('steps are written as folders, from what is committed, and older ones go', async () => {
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd });
  await writeFile(join(cwd, 'xpkg.lock.yaml'), await readFile(join(cwd, 'old.lock.yaml')));
  git('init', '-q');
  git('add', 'xpkg.lock.yaml');
  git('commit', '-qm', 'lock');
  await writeFile(join(cwd, 'xpkg.lock.yaml'), await readFile(join(cwd, 'new.lock.yaml')));
  expect(await run('render', '--plan', 'steps')).toMatchObject({
    code: 0,
    notes: 'wrote steps/, the steps from HEAD:./xpkg.lock.yaml',
  });
  expect((await readdir(join(cwd, 'steps'))).sort()).toEqual(['01', '02', 'README.md']);
  const first = await readFile(join(cwd, 'steps/01/packages.yaml'), 'utf8');
  expect(first).toContain(`package: ${CONTRIB}/provider-family-cloud:v1.4.0`);
  expect(await readFile(join(cwd, 'steps/01/commands.sh'), 'utf8')).toContain(
    'kubectl apply -k steps/01\n',
  );
  const none = await run('render', '--plan', 'steps', '--old', 'new.lock.yaml');
  expect(none.code).toBe(0);
  const left = await readdir(join(cwd, 'steps'), { recursive: true });
  expect(left.filter((name) => name.includes('.'))).toEqual(['README.md']);
});

test('scripts wait as long for what is applied as for what becomes healthy', async () => {
  const args = ['monolith.lock.yaml', 'family.lock.yaml', '-o', 'json'];
  const { stdout } = await run('plan', ...args);
  const { steps } = JSON.parse(stdout) as { steps: { commands: string[] }[] };
  const waits = steps.flatMap(({ commands }) =>
    commands.filter((each) => /kubectl wait/.test(each)),
  );
  expect(waits.filter((each) => each.includes('currentIdentifier'))).toHaveLength(3);
  // kubectl by itself gives up after 30 s, in which few providers are pulled and started.
  for (const wait of waits) expect(wait).toContain(' --timeout=15m ');
});

/** A kubectl that notes what it is asked to change; `crds` and `objects` are what it finds. */
const kubectl = (crds: string, objects: string) => `#!/bin/sh
case "$*" in
  *'--ignore-not-found -o name') ${crds} ;;
  *'--all-namespaces -o name') ${objects} ;;
  'get '*) ;;
  *) echo "$1" >> "$CHANGES" ;;
esac
`;

describe('the script of a step that deletes', () => {
  const found =
    'echo customresourcedefinition.apiextensions.k8s.io/users.database.cloud.example.org';

  test.each([
    ['goes on where none of the CRDs is there', 'true', 'exit 1', true],
    ['goes on where there are no objects of them', found, 'true', true],
    ['stops where there are', found, 'echo users/alice', false],
    ['stops where it cannot be told which CRDs are there', 'exit 1', 'true', false],
    ['stops where it cannot be told which objects are', found, 'exit 1', false],
  ])('%s', async (_, crds, objects, goesOn) => {
    expect(
      await run('plan', 'monolith.lock.yaml', 'family.lock.yaml', '--out', 'guarded'),
    ).toMatchObject({ code: 0 });
    const bin = await mkdtemp(join(cwd, 'bin-'));
    await writeFile(join(bin, 'kubectl'), kubectl(crds, objects), { mode: 0o755 });
    const CHANGES = join(bin, 'changes');
    const ran = spawnSync('sh', ['guarded/01/commands.sh'], {
      cwd,
      env: { PATH: `${bin}:${process.env['PATH']}`, CHANGES },
    });
    const verbs = await readFile(CHANGES, 'utf8').catch(() => '');
    expect(ran.status).toBe(goesOn ? 0 : 1);
    expect([...new Set(verbs.split('\n'))].join(' ')).toBe(
      goesOn ? 'patch apply wait delete ' : '',
    );
  });
});

test('a new Crossplane comes with its commands, and a look at all that runs on it', async () => {
  const args = ['--offline', '--no-bundle', ...PACKAGES, `${CONTRIB}/provider-kubernetes`];
  await run('resolve', ...args, '--crossplane', 'v1.20.11', '--lock', 'v1.lock.yaml');
  await run('resolve', ...args, '--crossplane', 'v2.3.4', '--lock', 'v2.lock.yaml');
  const { stdout } = await run('plan', 'v1.lock.yaml', 'v2.lock.yaml');
  expect(stdout)
    .toContain(`    helm upgrade crossplane crossplane-stable/crossplane -n crossplane-system --version 2.3.4
    kubectl rollout status deployment/crossplane -n crossplane-system --timeout=15m
    kubectl wait --for=condition=Healthy --timeout=15m provider.pkg.crossplane.io/acme-contrib-provider-kubernetes
`);
});

test.each([
  [['plan', 'none.yaml', 'new.lock.yaml'], '`none.yaml` is no lockfile'],
  [['plan', 'old.lock.yaml', 'new.lock.yaml', '--via', 'x'], 'names no version'],
  [['plan', 'old.lock.yaml', 'new.lock.yaml', '--via', 'crossplane@x'], 'not an exact version'],
  [['plan', 'old.lock.yaml', 'new.lock.yaml', '--via', 'nothing@v1.0.0'], 'not in the lockfile'],
  [['render', '--lock', 'new.lock.yaml', '--check', '--plan', 'x'], '--plan'],
])('%j is refused', async (argv, message) => {
  const { code, notes } = await run(...argv);
  expect(code).toBe(2);
  expect(notes).toContain(message);
});

test('markdown for a pull request has the commands, and nothing in it is markup by accident', async () => {
  const args = ['monolith.lock.yaml', 'family.lock.yaml', '-o', 'markdown'];
  const { stdout } = await run('plan', ...args);
  expect(stdout).toContain('## Step 1 of ');
  expect(stdout).toContain('> **Warning:** ');
  expect(stdout).toContain('```sh\n');
});
