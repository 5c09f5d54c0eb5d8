import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Pin } from '../../src/project/manifests/package-object.js';
import { runWith, type KnownImages } from '../support/known-images.js';
import {
  EMPTY_CLUSTER,
  type ClusterState,
  type WantedObject,
  wantedObject,
} from '../../src/crossplane/package-manager/cluster-state.js';
import { lockedImages } from '../support/locked-images.js';
import { reconcileCluster } from '../../src/crossplane/package-manager/reconcile-cluster.js';
import type { Lockfile } from '../../src/project/lockfile/lockfile.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { plan } from '../../src/features/plan/plan.js';
import { stepBundle } from '../../src/features/plan/render-plan.js';
import { render, type Rendering } from '../../src/project/manifests/render.js';
import { DockerRegistry } from '../conformance/docker-registry.js';
import { imagesOf } from '../support/clusters.js';
import { BASE, imageOf, layerOf } from '../support/registry/image.js';
import { zstdOf } from '../support/registry/zstd.js';
import { requestFor } from '../support/requests.js';
import { DEMO, demo, publishDemo, upForDemo } from './demo-platform.js';
import { moveScenario, packedImage } from './moved-scenario.js';
import { predictedEnd, renderedEnd, type ObservedEnd } from './observed-end.js';
import { packageText } from './package-text.js';
import type { Rig } from './rig.js';
import { RELEASES } from './rig-releases.js';
import { A, B, greedy, HOST, mirror, odd, stages } from './scenario-universes.js';
import { applyObjects, applyWanted, withoutLock } from './rig-run.js';
import {
  accepted,
  digested,
  endsIn,
  locked,
  modelled,
  one,
  published,
  seen,
} from './rig-scenario.js';

let registry: DockerRegistry;
let folder: string;

beforeAll(async () => {
  registry = await DockerRegistry.start();
  folder = await mkdtemp(join(tmpdir(), 'rig-demo-'));
  await publishDemo(registry);
});

afterAll(async () => {
  await registry.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The renderings that were applied to a cluster, in order. */
interface History {
  readonly lockfiles: Lockfile[];
  readonly renderings: Rendering[];
}

/** Applies a rendering after earlier ones: it is healthy, with the rows that the model predicts. */
async function goesOn(
  rig: Rig,
  { lockfiles, renderings }: History,
  lockfile: Lockfile,
  rendering: Rendering,
): Promise<ClusterState> {
  lockfiles.push(lockfile);
  renderings.push(rendering);
  const target = targetFor(lockfile.crossplane)!;
  const images = lockedImages(lockfiles);
  let state: ClusterState = EMPTY_CLUSTER;
  let end: ObservedEnd = { packages: [], rows: [] };
  for (const { bundle } of renderings) {
    const wanted = bundle.objects.map(wantedObject).filter((object) => object !== undefined);
    const acts = wanted.map((apply) => ({ apply }));
    const done = runWith(reconcileCluster(state, acts, { target }), images);
    state = done.state;
    end = predictedEnd(done, target);
  }
  // If no package skips, and a row follows its revision to another tag, the rows are ours.
  const skips = renderings.some(({ bundle }) => bundle.skips.length > 0);
  const follows = target.packageManager.refreshesRowVersions;
  if (follows && !skips) expect(withoutLock([end])).toEqual([renderedEnd(rendering)]);
  expect(end.packages.filter((line) => !line.endsWith('Healthy=True'))).toEqual([]);
  await applyObjects(rig.api, rendering.bundle.objects);
  await endsIn(rig, DEMO, [end]);
  return state;
}

/** Returns the part of a state that belongs to one set; others have rows in the Lock, too. */
function ofCase({ packages, rows }: ObservedEnd, id: string): ObservedEnd {
  const isOurs = (text: string) => text.includes(`/${id}/`);
  return { packages: packages.filter(isOurs), rows: rows.filter(isOurs) };
}

describe.each(RELEASES)('Crossplane %s', (release) => {
  const target = targetFor(release)!;
  const rewrites = target.rules.imageConfig?.rewrite === true;
  // Its functions are of `v1`: releases that reject them reject the demo.
  const hasDemo = !target.rules.refusesV1Functions;
  const render1 = (lockfile: Lockfile, pin: Pin = 'tag') => render(lockfile, { target, pin });

  describe('with the default flags', () => {
    const history: History = { lockfiles: [], renderings: [] };
    let rig: Rig;
    let newest: Lockfile;
    let lowest: Lockfile;
    beforeAll(async () => {
      rig = await upForDemo(registry, release);
    });
    afterAll(() => rig?.down());

    test.runIf(hasDemo)('the demo', async (context) => {
      seen(context, 'the demo', release);
      newest = await demo({ registry, folder }, 'newest', release);
      await goesOn(rig, history, newest, render1(newest));
    });

    test.runIf(hasDemo)('the demo, moved down and up again', async (context) => {
      seen(context, 'the demo, moved down and up again', release);
      lowest = await demo({ registry, folder }, 'lowest', release, '--prefer', 'lowest');
      await goesOn(rig, history, lowest, render1(lowest));
      await goesOn(rig, history, newest, render1(newest));
    });

    test.runIf(rewrites)('--pin locked, over tags, and back', async (context) => {
      seen(context, '--pin locked, over tags, and back', release);
      await goesOn(rig, history, newest, render1(newest, 'locked'));
      // v1.20 reconciles a revision after an ImageConfig changed only if it names a pull secret.
      if (!release.startsWith('v1.20.')) await runsDigests(rig, DEMO);
      for (const { name } of newest.packages) await removePin(rig, `pin-${name}`);
      await goesOn(rig, history, newest, render1(newest));
    });

    test('--pin digest', async (context) => {
      seen(context, '--pin digest, of a new set: no rows', release);
      const moved = await published(
        registry,
        'digests',
        greedy,
        requestFor({ [A]: '*', [B]: '*' }),
      );
      await accepted(rig, 'digests', render1(await locked(moved, release), 'digest'));
    });

    test('unusual names, tags and digests', async (context) => {
      seen(context, 'odd names, tags and digests', release);
      const roots = { [`${HOST}/odd/configuration`]: '*' };
      const byDigest = target.rules.digestDependencies ? { [`${HOST}/odd/by-digest`]: '*' } : {};
      const moved = await published(registry, 'odd', odd, requestFor({ ...roots, ...byDigest }));
      await accepted(rig, 'odd', render1(await locked(moved, release)));
    });

    test.runIf(rewrites)('a mirror, by ImageConfig, and with --pin locked', async (context) => {
      seen(context, 'a mirror, by ImageConfig, and with --pin locked', release);
      const moved = await published(
        registry,
        'mirrored',
        greedy,
        requestFor({ [A]: '*', [B]: '*' }, { kept: [mirror('nowhere.invalid', registry.host)] }),
        'nowhere.invalid',
      );
      const lockfile = await locked(moved, release);
      await accepted(rig, 'mirrored', render1(lockfile));
      await accepted(rig, 'mirrored', render1(lockfile, 'locked'));
    });

    test.runIf(rewrites)(
      'a tag that was moved: --pin locked installs the locked',
      async (context) => {
        seen(context, 'a tag that was moved: --pin locked installs the locked', release);
        const moved = await published(
          registry,
          'movedtag',
          greedy,
          requestFor({ [A]: '*', [B]: '*' }),
        );
        const rendering = render1(await locked(moved, release), 'locked');
        const text = packageText('Provider', 'c', {
          dependsOn: [{ provider: A, version: '>=9.0.0' }],
        });
        const path = Object.keys(moved.universe.packages)
          .find((each) => each.endsWith('/c'))!
          .slice(registry.host.length + 1);
        await registry.push(path, 'v1.5.0', await packedImage(text));
        await accepted(rig, 'movedtag', rendering);
        await runsDigests(rig, 'movedtag');
      },
    );

    test('repairs a cluster that is stuck after a greedy choice', async (context) => {
      seen(context, 'what greedy picks left stuck is healed', release);
      const moved = await published(registry, 'greedy', greedy, requestFor({ [A]: '*', [B]: '*' }));
      const rendering = render1(await locked(moved, release));
      const [a, b] = ['a', 'b'].map((name) => one(rendering, name)) as [WantedObject, WantedObject];
      await applyWanted(rig.api, [a]);
      await endsIn(rig, 'greedy', [modelled(moved, release, [[a]])]);
      await applyWanted(rig.api, [b]);
      await endsIn(rig, 'greedy', [modelled(moved, release, [[a], [b]])]);
      await accepted(rig, 'greedy', rendering);
    });

    test('the steps of a plan', async (context) => {
      const moved = await published(
        registry,
        'plan',
        stages,
        requestFor({ [A]: '^1.0.0', [B]: '*' }),
      );
      const old = await locked(moved, release);
      const next = await moveScenario(
        {
          universe: digested(stages),
          request: requestFor({ [A]: '^2.0.0', [B]: '*' }),
          options: {},
        },
        'plan',
        registry.host,
      );
      const answer = await plan(old, await locked(next, release));
      if (answer.status !== 'planned') throw new Error('there is no plan');
      seen(
        context,
        'the steps of a plan',
        release,
        `${answer.steps.length} steps, healthy after each`,
      );
      await accepted(rig, 'plan', render1(old));
      for (const [n, step] of answer.steps.entries()) {
        const { extraManifests: kept, packages } = stepBundle(answer, n, 'tag');
        await applyObjects(rig.api, [...kept, ...packages]);
        const after = step.after.map(({ locked: each }) => each);
        await endsIn(rig, 'plan', [renderedEnd(render1({ ...old, packages: after }))]);
      }
    });

    test('layers without gzip compression', async (context) => {
      const reads = !target.rules.gzipLayersOnly;
      seen(context, 'layers that are not packed by gzip', release, reads ? 'read' : 'refused');
      const packers = { plain: (tar: Uint8Array) => tar, zstd: zstdOf };
      for (const [name, compress] of Object.entries(packers)) {
        const entries = [{ name: 'package.yaml', content: packageText('Provider', name, {}) }];
        const layer = await layerOf(entries, { compress, annotations: BASE });
        await registry.push(`packed/acme/${name}`, 'v1.0.0', imageOf([layer]));
        const reference = `${registry.host}/packed/acme/${name}:v1.0.0`;
        await applyObjects(rig.api, [
          {
            apiVersion: 'pkg.crossplane.io/v1',
            kind: 'Provider',
            metadata: { name: `packed-${name}` },
            spec: { package: reference },
          },
        ]);
        await rig.until(async () => {
          const path = `/apis/pkg.crossplane.io/v1/providers/packed-${name}`;
          const text = JSON.stringify((await rig.api.get(path))?.['status'] ?? {});
          const revisions = await rig.api.list({
            at: '/apis/pkg.crossplane.io/v1',
            plural: 'providerrevisions',
          });
          const told = JSON.stringify(revisions.map(({ status }) => status ?? {}));
          const isTold = reads
            ? text.includes('"type":"Healthy"') &&
              !text.includes('"status":"False"') &&
              !text.includes('Unknown')
            : told.includes('gzip: invalid header') || text.includes('gzip: invalid header');
          if (!isTold) throw new Error(`${text} ${told.slice(0, 2000)}`);
        });
      }
    });

    // This must be the last test: remaining rows require packages without a row, which stops the
    // resolver.
    test.runIf(hasDemo)('--pin digest, over tags, and back', async (context) => {
      seen(context, '--pin digest, over tags, and back: rows stay', release);
      await goesOn(rig, history, newest, render1(newest, 'digest'));
      await goesOn(rig, history, newest, render1(newest));
    });

    test.runIf(hasDemo)('an override that breaks a constraint', async (context) => {
      seen(context, 'an override that breaks a constraint: rows of what stays stay', release);
      const override = await demo({ registry, folder }, 'override', release, 'override');
      const state = await goesOn(rig, history, override, render1(override));
      // Remaining rows require removed packages: from then on, no dependencies of others are
      // installed. From v2.4 on, packages that begin to skip have new revisions, and no rows remain.
      const keepsRows = target.packageManager.revisionNames === 'digest';
      const moved = await published(registry, 'others', greedy, requestFor({ [A]: '*' }));
      const a = one(render1(await locked(moved, release)), 'a');
      const [ours, theirs] = [lockedImages(history.lockfiles), imagesOf(moved.universe, target)];
      const images: KnownImages = {
        tags: (repository) => ours.tags(repository) ?? theirs.tags(repository),
        image: (candidate) => ours.image(candidate) ?? theirs.image(candidate),
      };
      const done = runWith(reconcileCluster(state, [{ apply: a }], { target }), images);
      const end = ofCase(predictedEnd(done, target), 'others');
      expect(end.packages).toHaveLength(keepsRows ? 1 : 2);
      await applyWanted(rig.api, [a]);
      await endsIn(rig, 'others', [end]);
    });
  });
});

async function deploymentImages(rig: Rig, part: string): Promise<string[]> {
  const deployments = await rig.api.list({ at: '/apis/apps/v1', plural: 'deployments' });
  return deployments
    .map((each) => JSON.stringify(each['spec']))
    .flatMap((text) => [...text.matchAll(/"image":"([^"]+)"/g)].map(([, image]) => image!))
    .filter((image) => image.includes(part));
}

/** Waits until every Deployment of a set runs a digest. */
function runsDigests(rig: Rig, id: string): Promise<void> {
  return rig.until(async () => {
    const images = await deploymentImages(rig, `/${id}/`);
    const byTag = images.filter((image) => !image.includes('@sha256:'));
    if (images.length < 3 || byTag.length > 0) throw new Error(`by tag: ${byTag.join(' ')}`);
  });
}

async function removePin(rig: Rig, name: string): Promise<void> {
  await rig.api.remove({ at: '/apis/pkg.crossplane.io/v1beta1', plural: 'imageconfigs' }, name);
}
