import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';
import { blocksOf } from '../../support/readme.js';

const ROOT = join(import.meta.dirname, '../../..');
const PACKAGES = ['--from', `dir:${join(ROOT, 'fixtures/packages')}`];
const CONTRIB = 'xpkg.example.org/acme-contrib';
let cwd: string;

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd, env: { HOME: cwd, PATH: process.env['PATH'] } });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes().join('\n') };
}

/** Returns package metadata that requires `db` in a range. */
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

/** A folder that cannot be created, because a file has its name. */
const UNWRITABLE = 'index.json/plan';

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

test('the documentation shows the printed output (`vitest -u` updates it)', async () => {
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

test('exits with 0 for a plan, and with 3 and a suggestion without one', async () => {
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

test('a hand-over has its commands in order', async () => {
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

test('writes steps as folders from the committed lockfile, and removes old ones', async () => {
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd });
  await writeFile(join(cwd, 'xpkg.lock.yaml'), await readFile(join(cwd, 'old.lock.yaml')));
  git('init', '-q');
  git('add', 'xpkg.lock.yaml');
  git('commit', '-qm', 'lock');
  await writeFile(join(cwd, 'xpkg.lock.yaml'), await readFile(join(cwd, 'new.lock.yaml')));
  expect(await run('render', '--plan', 'steps')).toMatchObject({
    code: 0,
    notes: expect.stringContaining('wrote steps/, the steps from HEAD:./xpkg.lock.yaml') as string,
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

test('scripts use the same timeout for all waits', async () => {
  const args = ['monolith.lock.yaml', 'family.lock.yaml', '-o', 'json'];
  const { stdout } = await run('plan', ...args);
  const { steps } = JSON.parse(stdout) as { steps: { commands: string[] }[] };
  const waits = steps.flatMap(({ commands }) =>
    commands.filter((each) => /kubectl wait/.test(each)),
  );
  expect(waits.filter((each) => each.includes('currentIdentifier'))).toHaveLength(3);
  // The default timeout of kubectl is 30 s, which is too short for most providers.
  for (const wait of waits) expect(wait).toContain(' --timeout=15m ');
});

/** A fake kubectl that records changes; `crds` and `objects` print the existing ones. */
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
    ['continues if none of the CRDs exists', 'true', 'exit 1', true],
    ['continues if the CRDs have no objects', found, 'true', true],
    ['stops if objects exist', found, 'echo users/alice', false],
    ['stops if the CRDs cannot be listed', 'exit 1', 'true', false],
    ['stops if the objects cannot be listed', found, 'exit 1', false],
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

/**
 * A fake kubectl for a cluster with one package, whose new revisions stay inactive until they are
 * patched. It does not wait, and fails if kubectl would time out.
 */
const manualCluster = `#!/bin/sh
case "$*" in
  apply*) echo thing-2 > "$STATE.revision" ;;
  'get '*'jsonpath={.status.currentRevision}') cat "$STATE.revision" ;;
  'get '*'jsonpath={.metadata.generation}'*)
    if test -e "$STATE.revision"; then printf '2 2 InactivePackageRevision'; else printf '2 1 ActivePackageRevision'; fi ;;
  'get '*'jsonpath={.status.currentRevision}{" "}') cat "$STATE.revision" 2>/dev/null || printf 'thing-1 ' ;;
  'rollout status '*) echo thing-2 > "$STATE.revision" ;;
  'patch '*'revision.pkg.crossplane.io/thing-2 '*'"desiredState":"Active"'*) echo > "$STATE.active" ;;
  'wait --for=jsonpath={.status.currentIdentifier}='*) test -e "$STATE.revision" ;;
  'wait --for=condition=Ready '*'pods -n crossplane-system -l pkg.crossplane.io/revision=thing-2')
    test -e "$STATE.active" || exit 1
    test -e "$STATE.starting" && echo > "$STATE.running" # at first there are no pods, which is an error
    echo > "$STATE.starting"; test -e "$STATE.running" ;;
  'wait --for=condition=Installed '*) test -e "$STATE.active" ;;
  'wait --for=condition='*'revision.pkg.crossplane.io/'*)
    case "$*" in *revision.pkg.crossplane.io/thing-2) test -e "$STATE.active" ;; *) exit 1 ;; esac ;;
  'wait --for=condition=Healthy '*) ;; # an inactive revision is healthy, too
  *) exit 1 ;;
esac
`;

const manual = (version: string, release: string) => `apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
metadata: {name: manual}
spec:
  crossplane: ${release}
  packages:
    - provider: x.io/acme/db
      version: ${version}
      spec: {revisionActivationPolicy: Manual}
`;

/** Two packages, of which one needs the other. */
function twoManual(release: string): string {
  const one = manual('v1.0.0', release);
  return one + one.slice(one.indexOf('    - provider')).replace('acme/db', 'acme/app');
}

describe('a package with `revisionActivationPolicy: Manual`', () => {
  test.each([
    ['v1.20.11', ['Healthy']],
    ['v2.3.4', ['RevisionHealthy', 'RuntimeHealthy']],
    ['v2.4.2', ['RevisionHealthy', 'RuntimeHealthy']],
  ])('is activated, and that is waited for (%s)', async (release, conditions) => {
    for (const version of ['v1.0.0', 'v2.0.0']) {
      await writeFile(join(cwd, 'manual.yaml'), manual(version, release));
      await lock(`manual-${version}.yaml`, '-f', 'manual.yaml', '--from', 'index:index.json');
    }
    const locks = ['manual-v1.0.0.yaml', 'manual-v2.0.0.yaml'];
    const { stdout } = await run('plan', ...locks, '--out', 'manual');
    expect(stdout).toContain('nothing runs until the new revision is activated');
    const script = await readFile(join(cwd, 'manual/01/commands.sh'), 'utf8');
    const waits = [...script.matchAll(/--for=condition=(\w+) --timeout=15m "providerrevision/g)];
    expect(waits.map(([, condition]) => condition)).toEqual(conditions);
    expect(stdout).toContain('"desiredState":"Active"');

    const bin = await mkdtemp(join(cwd, 'bin-'));
    await writeFile(join(bin, 'kubectl'), manualCluster, { mode: 0o755 });
    await writeFile(join(bin, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env['PATH']}`, STATE: join(bin, 'state') };
    const shell = (...args: readonly string[]) => spawnSync('sh', args, { cwd, env }).status;
    expect(shell('manual/01/commands.sh')).toBe(0);
    expect(await readdir(bin)).toContain('state.active');
    // Before v2.0, conditions do not prove that a revision runs.
    expect((await readdir(bin)).includes('state.running')).toBe(release === 'v1.20.11');
    // The commands for people work without the other lines of the script.
    const byHand = stdout.split('\n').filter((each) => each.startsWith('    kubectl '));
    await rm(join(bin, 'state.active'));
    expect(shell('-euc', byHand.join('\n'))).toBe(0);
    expect(await readdir(bin)).toContain('state.active');
  });

  test('is activated after an upgrade that gives every package a new revision', async () => {
    for (const release of ['v2.3.4', 'v2.4.2']) {
      await writeFile(join(cwd, 'manual.yaml'), manual('v1.0.0', release));
      await lock(`on-${release}.yaml`, '-f', 'manual.yaml', '--from', 'index:index.json');
    }
    const { stdout } = await run('plan', 'on-v2.3.4.yaml', 'on-v2.4.2.yaml', '--out', 'renamed');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('every package gets a new revision');
    const lines = stdout.split('\n').map((line) => line.trim());
    const found = [
      /^before=/,
      /^helm upgrade/,
      /until current=/,
      /"desiredState":"Active"/,
      /RuntimeHealthy/,
    ].map((pattern) => lines.findIndex((line) => pattern.test(line)));
    expect(found.every((at) => at >= 0)).toBe(true);
    expect(found.toSorted((a, b) => a - b)).toEqual(found);

    const bin = await mkdtemp(join(cwd, 'bin-'));
    await writeFile(join(bin, 'kubectl'), manualCluster, { mode: 0o755 });
    await writeFile(join(bin, 'helm'), '#!/bin/sh\n', { mode: 0o755 });
    await writeFile(join(bin, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env['PATH']}`, STATE: join(bin, 'state') };
    expect(spawnSync('sh', ['renamed/01/commands.sh'], { cwd, env }).status).toBe(0);
    expect(await readdir(bin)).toContain('state.active');
  });

  test('all are activated before any is waited for, because one may need another', async () => {
    for (const release of ['v2.3.4', 'v2.4.2']) {
      await writeFile(join(cwd, 'two.yaml'), twoManual(release));
      await lock(`two-${release}.yaml`, '-f', 'two.yaml', '--from', 'index:index.json');
    }
    const { stdout } = await run('plan', 'two-v2.3.4.yaml', 'two-v2.4.2.yaml');
    const lines = stdout.split('\n');
    const activations = lines.filter((line) => line.includes('"desiredState":"Active"'));
    expect(activations).toHaveLength(2);
    expect(lines.indexOf(activations[1]!)).toBeLessThan(
      lines.findIndex((line) => line.includes('condition=RevisionHealthy')),
    );
  });

  test('is activated again on v2.4 if only its settings change', async () => {
    const locks = ['v2.3.4', 'v2.4.2'].flatMap((release) => [
      { name: `less-${release}.yaml`, text: manual('v1.0.0', release) },
      {
        name: `more-${release}.yaml`,
        text: manual('v1.0.0', release).replace('Manual}', 'Manual, revisionHistoryLimit: 3}'),
      },
    ]);
    for (const { name, text } of locks) {
      await writeFile(join(cwd, 'manual.yaml'), text);
      await lock(name, '-f', 'manual.yaml', '--from', 'index:index.json');
    }
    const before = await run('plan', 'less-v2.3.4.yaml', 'more-v2.3.4.yaml');
    expect(before.stdout).not.toContain('makes a new revision');
    const after = await run('plan', 'less-v2.4.2.yaml', 'more-v2.4.2.yaml');
    expect(after.stdout).toContain('makes a new revision');
    expect(after.stdout).toContain('nothing runs until the new revision is activated');
    const { notes } = await run('diff', 'less-v2.4.2.yaml', 'more-v2.4.2.yaml', '--no-schemas');
    expect(notes).toContain('makes a new revision');
  });

  test('is not activated if the policy is Automatic', async () => {
    const { stdout } = await run('plan', 'old.lock.yaml', 'new.lock.yaml', '-o', 'json');
    expect(stdout).not.toContain('desiredState\\":\\"Active');
    expect(stdout).not.toContain('Installed');
  });
});

test('the way from a release to its build by Upbound is no way back', async () => {
  const args = ['--offline', '--no-bundle', ...PACKAGES, `${CONTRIB}/provider-kubernetes`];
  await run('resolve', ...args, '--crossplane', 'v2.3.4', '--lock', 'release.yaml');
  await run('resolve', ...args, '--crossplane', 'v2.3.4-up.1', '--lock', 'build.yaml');
  const { code, stdout } = await run('plan', 'release.yaml', 'build.yaml');
  expect(code).toBe(0);
  expect(stdout).toMatch(/upgrade +Crossplane +v2\.3\.4 → v2\.3\.4-up\.1/);
  expect(stdout).not.toContain('go back');
});

test('a plan to a release that is not known is refused unless that is accepted', async () => {
  const args = ['--offline', '--no-bundle', ...PACKAGES, `${CONTRIB}/provider-kubernetes`];
  await run('resolve', ...args, '--crossplane', 'v2.3.4', '--lock', 'known.yaml');
  await run('resolve', ...args, '--crossplane', 'v9.0.0', '--lock', 'unknown.yaml');
  const { code, notes } = await run('plan', 'known.yaml', 'unknown.yaml');
  expect(code).toBe(2);
  expect(notes).toContain('--accept-unknown-release');
  const accepted = await run('plan', 'known.yaml', 'unknown.yaml', '--accept-unknown-release');
  expect(accepted.code).toBe(0);
});

test('an upgrade of Crossplane has its commands, and a check of all packages', async () => {
  const args = ['--offline', '--no-bundle', ...PACKAGES, `${CONTRIB}/provider-kubernetes`];
  await run('resolve', ...args, '--crossplane', 'v1.20.11', '--lock', 'v1.lock.yaml');
  await run('resolve', ...args, '--crossplane', 'v2.3.4', '--lock', 'v2.lock.yaml');
  const { stdout } = await run('plan', 'v1.lock.yaml', 'v2.lock.yaml');
  const upgrades = [...stdout.matchAll(/^ {4}helm upgrade .* --version (\S+)$/gm)];
  expect(upgrades.map(([, version]) => version)).toEqual(['2.0.8', '2.1.8', '2.2.4', '2.3.4']);
  const { stdout: json } = await run('plan', 'v1.lock.yaml', 'v2.lock.yaml', '-o', 'json');
  const { steps } = JSON.parse(json) as { steps: { crossplane?: string }[] };
  expect(steps.flatMap(({ crossplane }) => crossplane ?? [])).toEqual([
    'v2.0.8',
    'v2.1.8',
    'v2.2.4',
    'v2.3.4',
  ]);
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

test('Markdown has the commands, and escapes all other text', async () => {
  const args = ['monolith.lock.yaml', 'family.lock.yaml', '-o', 'markdown'];
  const { stdout } = await run('plan', ...args);
  expect(stdout).toContain('## Step 1 of ');
  expect(stdout).toContain('> **Warning:** ');
  expect(stdout).toContain('```sh\n');
});

/** A cluster with the CRD `things.acme.dev`, one namespaced object and one without a namespace. */
const storageCluster = `#!/bin/sh
echo "$*" >>"$CALLS"
case "$*" in
  *'get crd '*) echo customresourcedefinition.apiextensions.k8s.io/things.acme.dev ;;
  *jsonpath=*storage*) printf v1 ;;
  *go-template=*) printf 'a team\nb \n' ;;
esac
`;

describe('versions of a CRD in which objects are stored', () => {
  const THING = 'xpkg.example.org/acme/provider-thing';
  const FROM = ['--from', 'dir:stored'];
  /** Versions of the CRD, the first of which is the storage version. */
  const publish = async (version: string, versions: readonly string[]) => {
    const schema = '{openAPIV3Schema: {type: object}}';
    const listed = versions.map(
      (name, n) => `{name: ${name}, served: true, storage: ${n === 0}, schema: ${schema}}`,
    );
    const folder = join(cwd, 'stored', `${THING}@${version}`);
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, 'package.yaml'),
      `apiVersion: meta.pkg.crossplane.io/v1
kind: Provider
metadata: {name: provider-thing}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.acme.dev}
spec:
  group: acme.dev
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions: [${listed.join(', ')}]
`,
    );
    await lock(`thing-${version}.yaml`, `${THING}@${version}`, ...FROM, '--crossplane', 'v2.3.4');
  };
  interface Printed {
    readonly steps: readonly { readonly commands: string[]; readonly warnings: string[] }[];
    readonly notes: readonly string[];
  }
  const planned = async (from: string, to: string, ...more: readonly string[]) => {
    const locks = [`thing-${from}.yaml`, `thing-${to}.yaml`];
    const { code, stdout } = await run('plan', ...locks, '-o', 'json', ...more);
    expect(code).toBe(0);
    return JSON.parse(stdout) as Printed;
  };

  beforeAll(async () => {
    await publish('v1.0.0', ['v1alpha1']);
    await publish('v1.1.0', ['v1', 'v1alpha1']);
    await publish('v1.2.0', ['v1']);
  });

  test('are migrated before the step that removes them', async () => {
    const { steps, notes } = await planned('v1.1.0', 'v1.2.0', ...FROM);
    expect(notes).toEqual([]);
    expect(steps[0]!.warnings).toEqual([
      expect.stringContaining(`${THING} v1.2.0 removes version v1alpha1 of CRD things.acme.dev`),
    ]);
    const bin = await mkdtemp(join(cwd, 'bin-'));
    await writeFile(join(bin, 'kubectl'), storageCluster, { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env['PATH']}`, CALLS: join(bin, 'calls') };
    const script = ['set -eu', ...steps[0]!.commands].join('\n');
    expect(spawnSync('sh', ['-c', script], { cwd, env }).status).toBe(0);
    const calls = (await readFile(join(bin, 'calls'), 'utf8')).split('\n');
    expect(calls.filter((call) => /^(?:patch|apply)/.test(call))).toEqual([
      'patch things.acme.dev a -n team --type merge -p {}',
      'patch things.acme.dev b --type merge -p {}',
      'patch customresourcedefinition.apiextensions.k8s.io/things.acme.dev --subresource=status --type merge -p {"status":{"storedVersions":["v1"]}}',
      'apply -k plan/01',
    ]);
  });

  test('cannot be migrated before the step if the installed version stores them', async () => {
    const { steps } = await planned('v1.0.0', 'v1.2.0', ...FROM);
    expect(steps[0]!.warnings.join('\n')).toContain(`--via ${THING}@VERSION`);
    expect(steps[0]!.commands.join('\n')).not.toContain('--subresource=status');
    const via = await planned('v1.0.0', 'v1.2.0', ...FROM, '--via', `${THING}@v1.1.0`);
    expect(via.steps.map(({ warnings }) => warnings.length)).toEqual([0, 1]);
    expect(via.steps[1]!.commands[0]).toContain('--subresource=status');
  });

  test('are not migrated if no version is removed', async () => {
    const { steps, notes } = await planned('v1.0.0', 'v1.1.0', ...FROM);
    expect([steps[0]!.warnings, notes]).toEqual([[], []]);
  });

  test('are not checked if the CRDs cannot be read, with one note', async () => {
    await mkdir(join(cwd, 'empty'), { recursive: true });
    for (const from of [[], ['--from', 'dir:empty']]) {
      const { steps, notes } = await planned('v1.1.0', 'v1.2.0', ...from);
      expect(steps[0]!.warnings).toEqual([]);
      expect(notes).toEqual([expect.stringContaining('`xpkg-resolve diff OLD NEW` compares')]);
    }
    expect((await planned('v1.1.0', 'v1.1.0')).notes).toEqual([]);
  });
});

test.each(['text', 'json', 'markdown'])(
  'prints no plan (%s) that it cannot write',
  async (form) => {
    const argv = ['plan', 'old.lock.yaml', 'new.lock.yaml', '-o', form];
    expect((await run(...argv)).stdout).toContain(CONTRIB);
    const { code, stdout } = await run(...argv, '--out', UNWRITABLE);
    expect(code).toBe(2);
    expect(stdout).not.toContain(CONTRIB);
  },
);
