import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/commands.js';
import { formatLockfile } from '../../src/project/lockfile/format-lockfile.js';
import type { Lockfile } from '../../src/project/lockfile/lockfile.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import {
  isMapping,
  type JsonObject,
  type JsonValue,
  listOf,
  mappingOf,
  stringOf,
} from '../../src/base/json.js';
import { wantedObject } from '../../src/crossplane/package-manager/cluster-state.js';
import { render, type Rendering } from '../../src/project/manifests/render.js';
import { DockerRegistry } from '../conformance/docker-registry.js';
import { fakeIo } from '../support/fake-io.js';
import { requestFor } from '../support/requests.js';
import type { MovedScenario } from './moved-scenario.js';
import { LOCK } from './kube-api.js';
import { observedEnds, PACKAGE_RESOURCES, renderedEnd } from './observed-end.js';
import { Rig } from './rig.js';
import { BUILT, mustRun } from './rig-processes.js';
import { RELEASES } from './rig-releases.js';
import { applyObjects, cleanUp } from './rig-run.js';
import { accepted, endsIn, locked, published, seen } from './rig-scenario.js';
import { A, B, FAMILY, MONOLITH, PARTS, parting, stages } from './scenario-universes.js';

let registry: DockerRegistry;
let folder: string;

beforeAll(async () => {
  registry = await DockerRegistry.start();
  folder = await mkdtemp(join(tmpdir(), 'rig-plans-'));
});

afterAll(async () => {
  await registry.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the lockfile of a set for some of its roots. */
async function lockedFor(
  moved: MovedScenario,
  roots: Readonly<Record<string, string>>,
  release: string,
): Promise<Lockfile> {
  const names = Object.keys(moved.universe.packages);
  const own = Object.entries(roots).map(([name, range]) => {
    const found = names.find((each) => each.endsWith(name.slice(name.indexOf('/'))));
    return [found!, range] as const;
  });
  return locked({ ...moved, request: requestFor(Object.fromEntries(own)) }, release);
}

/**
 * Writes the plan from one lockfile to another with the command; returns the scripts of its steps.
 */
async function planned(name: string, from: Lockfile, to: Lockfile): Promise<string[]> {
  const [old, next] = ['old', 'new'].map((each) => `${name}-${each}.lock.yaml`) as [string, string];
  await writeFile(join(folder, old), formatLockfile(from));
  await writeFile(join(folder, next), formatLockfile(to));
  const io = fakeIo({ cwd: folder });
  const code = await runCli(['plan', old, next, `--out=${name}`], io);
  if (code !== 0) throw new Error(io.notes().join('\n'));
  const entries = await readdir(join(folder, name), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${name}/${entry.name}/commands.sh`)
    .sort();
}

/** Runs an unchanged script of a plan, with kubectl for the cluster of a rig. */
async function run(rig: Rig, script: string, path = ''): Promise<number> {
  const env = {
    ...process.env,
    KUBECONFIG: rig.kubeconfig,
    PATH: [path, join(BUILT, 'bin'), process.env['PATH']].filter(Boolean).join(':'),
  };
  const child = spawn('sh', [script], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('exit', (code) => done(code ?? 1));
  });
}

/** Returns the API path of `<plural>.<group>`. */
function served(crd: string) {
  const dot = crd.indexOf('.');
  return { at: `/apis/${crd.slice(dot + 1)}/v1`, plural: crd.slice(0, dot) };
}

/** Creates an object of a CRD once it is served; returns its uid. */
async function create(rig: Rig, crd: string): Promise<string> {
  const { at, plural } = served(crd);
  await rig.until(() =>
    rig.api.create(
      { at, plural },
      {
        apiVersion: at.slice('/apis/'.length),
        kind: plural[0]!.toUpperCase() + plural.slice(1),
        metadata: { name: 'mine' },
        spec: {},
      },
    ),
  );
  return (await uidOf(rig, crd))!;
}

/** Returns the uid of the object of a CRD, or undefined if either does not exist. */
async function uidOf(rig: Rig, crd: string): Promise<string | undefined> {
  const { at, plural } = served(crd);
  const object = await rig.api.get(`${at}/${plural}/mine`);
  return stringOf(mappingOf(object?.['metadata'])?.['uid']);
}

async function isThere(rig: Rig, crd: string): Promise<boolean> {
  const at = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  return (await rig.api.get(`${at}/${crd}`)) !== undefined;
}

describe.each(RELEASES)(
  'Crossplane %s, with garbage collection of objects without owners',
  (release) => {
    const target = targetFor(release)!;
    const rendered = (lockfile: Lockfile) => render(lockfile, { target });
    let rig: Rig;
    beforeAll(async () => {
      await mustRun('kubectl', ['version', '--client']);
      rig = await Rig.up(release, { collectsGarbage: true });
    });
    afterAll(() => rig?.down());

    test('the steps of a plan, and the steps back', async (context) => {
      const moved = await published(registry, 'steps', stages, requestFor({}));
      const old = await lockedFor(moved, { [A]: '^1.0.0', [B]: '*' }, release);
      const next = await lockedFor(moved, { [A]: '^2.0.0', [B]: '*' }, release);
      await accepted(rig, 'steps', rendered(old));
      const [up, down] = [
        await planned('steps-up', old, next),
        await planned('steps-down', next, old),
      ];
      seen(
        context,
        'a plan and the way back, by commands.sh',
        release,
        `${up.length} and ${down.length} steps`,
      );
      for (const script of up) expect(await run(rig, script)).toBe(0);
      await endsIn(rig, 'steps', [renderedEnd(rendered(next))]);
      for (const script of down) expect(await run(rig, script)).toBe(0);
      await endsIn(rig, 'steps', [renderedEnd(rendered(old))]);
    });

    test('CRDs move from a monolith to a family, and back', async (context) => {
      seen(context, 'CRDs pass from a monolith to a family and back: objects stay', release);
      const moved = await published(registry, 'hand', parting, requestFor({}));
      const monolith = await lockedFor(moved, { [MONOLITH]: '*' }, release);
      const family = await lockedFor(moved, { [FAMILY]: '*' }, release);
      await accepted(rig, 'hand', rendered(monolith));
      const crds = PARTS.map((name) => `${name}.hand`);
      const uids: string[] = [];
      for (const crd of crds) uids.push(await create(rig, crd));
      const objects = () => Promise.all(crds.map((crd) => uidOf(rig, crd)));
      for (const script of await planned('hand-over', monolith, family)) {
        expect(await run(rig, script)).toBe(0);
      }
      await endsIn(rig, 'hand', [renderedEnd(rendered(family))]);
      expect(await objects()).toEqual(uids);
      for (const script of await planned('hand-back', family, monolith)) {
        expect(await run(rig, script)).toBe(0);
      }
      await endsIn(rig, 'hand', [renderedEnd(rendered(monolith))]);
      expect(await objects()).toEqual(uids);
    });

    test('removing a package removes its CRDs once no object is left', async (context) => {
      seen(context, 'a package is removed: its CRDs go, once no object is left', release);
      const moved = await published(registry, 'gone', parting, requestFor({}));
      const both = await lockedFor(moved, { [FAMILY]: '*' }, release);
      const [kept, lost] = PARTS.map((name) => `${name}.gone`) as [string, string];
      const one = await lockedFor(moved, { [`${FAMILY}-network`]: '*' }, release);
      await accepted(rig, 'gone', rendered(both));
      const [uid] = [await create(rig, kept), await create(rig, lost)];
      const scripts = await planned('removal', both, one);
      const last = scripts.pop()!;
      for (const script of scripts) expect(await run(rig, script)).toBe(0);
      // The script checks first, and stops.
      expect(await run(rig, last)).not.toBe(0);
      expect(await uidOf(rig, lost)).toBeDefined();
      await rig.api.remove(served(lost), 'mine');
      expect(await run(rig, last)).toBe(0);
      await endsIn(rig, 'gone', [renderedEnd(rendered(one))]);
      await rig.until(async () => {
        if (await isThere(rig, lost)) throw new Error(`${lost} is still there`);
      });
      expect(await uidOf(rig, kept)).toBe(uid);
    });

    test('deleting a package by hand deletes every object of its CRDs', async (context) => {
      seen(context, 'a package is deleted by hand: CRDs and objects go', release);
      const moved = await published(registry, 'lost', parting, requestFor({}));
      const lockfile = await lockedFor(moved, { [MONOLITH]: '*' }, release);
      await accepted(rig, 'lost', rendered(lockfile));
      const crds = PARTS.map((name) => `${name}.lost`);
      for (const crd of crds) await create(rig, crd);
      const { name } = lockfile.packages[0]!;
      await rig.api.remove({ at: '/apis/pkg.crossplane.io/v1', plural: 'providers' }, name);
      await endsIn(rig, 'lost', [{ packages: [], rows: [] }]);
      await rig.until(async () => {
        for (const crd of crds)
          if (await isThere(rig, crd)) throw new Error(`${crd} is still there`);
      });
    });

    // This must be the last test: it replaces all rows of the Lock.
    test('--apply-lock: correct rows change nothing, an outdated one stops all', async (context) => {
      const isRefused = target.packageManager.revisionNames !== 'digest';
      seen(
        context,
        '--apply-lock: right rows change nothing, a stale one stops all',
        release,
        isRefused ? 'refused' : undefined,
      );
      await cleanUp(rig.api, ['steps', 'hand', 'gone', 'lost']);
      const moved = await published(registry, 'rows', stages, requestFor({}));
      const lockfile = await lockedFor(moved, { [A]: '^1.0.0', [B]: '*' }, release);
      if (isRefused) {
        expect(() => render(lockfile, { target, applyLock: true })).toThrow('cannot be applied');
        // The names of rows of new objects are right all the same.
        const rendering = render(lockfile, { target });
        await accepted(rig, 'rows', rendering);
        const rows = (await rig.api.get(`${LOCK.at}/${LOCK.plural}/lock`))?.['packages'];
        expect(namesOf(rows)).toEqual(namesOf(rendering.lock?.['packages']));
        return;
      }
      const rendering = render(lockfile, { target, applyLock: true });
      expect(rendering.warnings.join()).toMatch(/stale/);
      await applyLock(rig, listOf(rendering.lock?.['packages'])!.filter(isMapping));
      await accepted(rig, 'rows', rendering);
      // The row of a package whose tag moved after it was locked.
      const [stale, ...others] = listOf(rendering.lock?.['packages'])!.filter(isMapping);
      await cleanUp(rig.api, ['rows']);
      const name = stringOf(stale!['name'])!.replace(/.{12}$/, '0'.repeat(12));
      await applyLock(rig, [{ ...stale, name }, ...others]);
      await applyObjects(rig.api, rendering.bundle.objects);
      await rig.until(async () => {
        const end = (await observedEnds(rig.api, ['rows'])).get('rows')!;
        const stopped = end.failures!.filter(({ message }) =>
          /node .* already exists/.test(message),
        );
        if (stopped.length === 0) throw new Error(JSON.stringify(end));
      });
      const rows = (await rig.api.get(`${LOCK.at}/${LOCK.plural}/lock`))?.['packages'];
      await applyLock(
        rig,
        listOf(rows)!
          .filter(isMapping)
          .filter((row) => row['name'] !== name),
      );
      await endsIn(rig, 'rows', [renderedEnd(rendering)]);
    });
  },
);

function namesOf(rows: JsonValue | undefined): string[] {
  return (listOf(rows) ?? [])
    .filter(isMapping)
    .map(({ name }) => stringOf(name)!)
    .sort();
}

/** Replaces the rows of the Lock. */
async function applyLock(rig: Rig, packages: readonly JsonObject[]): Promise<void> {
  await rig.api.apply(LOCK, 'lock', {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'Lock',
    metadata: { name: 'lock' },
    packages,
  });
}

/** Upgrades; with `manual`, new revisions wait for activation, and the plan activates them. */
const CROSSED = [
  { before: 'v1.20.11', after: 'v2.3.4', manual: false },
  { before: 'v2.3.4', after: 'v2.4.0', manual: true },
].filter(({ before, after }) => [before, after].every((release) => RELEASES.includes(release)));

function withManualActivation(lockfile: Lockfile): Lockfile {
  const packages = lockfile.packages.map((locked) => {
    const spec = { ...locked.object.spec, revisionActivationPolicy: 'Manual' };
    return { ...locked, object: { ...locked.object, spec } };
  });
  return { ...lockfile, packages };
}

describe.runIf(CROSSED.length > 0)('a plan', () => {
  test.for(CROSSED)('across an upgrade from $before to $after', async (crossed, context) => {
    const { before, after, manual } = crossed;
    const moved = await published(registry, 'crossed', stages, requestFor({}));
    const settings = manual ? withManualActivation : (lockfile: Lockfile) => lockfile;
    const old = settings(await lockedFor(moved, { [A]: '^1.0.0', [B]: '*' }, before));
    const next = settings(await lockedFor(moved, { [A]: '^2.0.0', [B]: '*' }, after));
    const scripts = await planned('crossing', old, next);
    const hops = (
      await Promise.all(scripts.map((script) => readFile(join(folder, script), 'utf8')))
    )
      .flatMap((script) => /^helm upgrade .* --version (\S+)$/m.exec(script)?.[1] ?? [])
      .map((version) => `v${version}`);
    expect(hops.at(-1)).toBe(after);
    const text = `${scripts.length} steps, ${hops.length} of them upgrades`;
    seen(context, `a plan from ${before} to ${after}`, after, text);
    const helm = await standInForHelm();
    const rig = await Rig.up(before, { collectsGarbage: true });
    try {
      const first = render(old, { target: targetFor(before)! });
      await applyObjects(rig.api, first.bundle.objects);
      if (manual) await activateAll(rig, first);
      await endsIn(rig, 'crossed', [renderedEnd(first)]);
      await rig.api.create(
        { at: '/apis/apps/v1', plural: 'namespaces/crossplane-system/deployments' },
        deploymentOf('crossplane'),
      );
      const upgraded = (async () => {
        for (const hop of hops) {
          await helm.whenAsked(async (args) => {
            expect(args).toContain(`--version ${hop.slice(1)}`);
            // Skips a release that is not built here.
            if (RELEASES.includes(hop)) await rig.startCrossplane(hop);
          });
        }
      })();
      for (const script of scripts) expect(await run(rig, script, helm.folder)).toBe(0);
      await upgraded;
      await endsIn(rig, 'crossed', [renderedEnd(render(next, { target: targetFor(after)! }))]);
    } finally {
      await rig.down();
    }
  });
});

/** Activates the first revision of each package, as users do with `Manual`. */
async function activateAll(rig: Rig, { bundle }: Rendering): Promise<void> {
  for (const wanted of bundle.objects.map(wantedObject)) {
    if (wanted === undefined) continue;
    const { kind, name } = wanted;
    const { at, plural } = PACKAGE_RESOURCES[kind]!;
    await rig.until(async () => {
      const object = await rig.api.get(`${at}/${plural}/${name}`);
      const revision = stringOf(mappingOf(object?.['status'])?.['currentRevision']);
      if (revision === undefined) throw new Error(`${name} has no revision yet`);
      const resource = { at, plural: `${kind.toLowerCase()}revisions` };
      await rig.api.merge(resource, revision, { spec: { desiredState: 'Active' } });
    });
  }
}

/** A fake `helm` that reports its arguments and waits for the result. */
async function standInForHelm() {
  const [bin, asked, done] = ['bin', 'asked', 'done'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(bin);
  await mustRun('mkfifo', [asked, done]);
  const script = `#!/bin/sh\necho "$*" >'${asked}'\ncat '${done}' >/dev/null\n`;
  await writeFile(join(bin, 'helm'), script, { mode: 0o755 });
  return {
    folder: bin,
    async whenAsked(act: (args: string) => Promise<void>): Promise<void> {
      await act(await readFile(asked, 'utf8'));
      await writeFile(done, '');
    },
  };
}

function deploymentOf(name: string): JsonObject {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name, image: name }] } },
    },
  };
}
