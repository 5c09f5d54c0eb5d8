import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Pin } from '../../src/project/manifests/package-object.js';
import type { WantedObject } from '../../src/crossplane/package-manager/cluster-state.js';
import type { Lockfile } from '../../src/project/lockfile/lockfile.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { render } from '../../src/project/manifests/render.js';
import { DockerRegistry } from '../conformance/docker-registry.js';
import { requestFor } from '../support/requests.js';
import { DEMO, demo, publishDemo, upForDemo } from './demo-platform.js';
import { Rig } from './rig.js';
import { RELEASES } from './rig-releases.js';
import { applyWanted } from './rig-run.js';
import {
  accepted,
  endsIn,
  locked,
  modelled,
  nameIn,
  one,
  packagesIn,
  published,
  seen,
} from './rig-scenario.js';
import { A, B, C, greedy, raised } from './scenario-universes.js';

let registry: DockerRegistry;
let folder: string;

beforeAll(async () => {
  registry = await DockerRegistry.start();
  folder = await mkdtemp(join(tmpdir(), 'rig-upgrades-'));
  await publishDemo(registry);
});

afterAll(async () => {
  await registry.stop();
  await rm(folder, { recursive: true, force: true });
});

const UPGRADES = '--enable-dependency-version-upgrades';

/** v1.19 needs an additional flag for downgrades; both must be set. */
function downgradesOf(release: string): string {
  return release.startsWith('v1.19.')
    ? '--automatic-dependency-downgrade-enabled'
    : '--enable-dependency-version-downgrades';
}

describe.each(RELEASES)('Crossplane %s', (release) => {
  const target = targetFor(release)!;
  const rewrites = target.rules.imageConfig?.rewrite === true;
  const { moves, movesFromPulledVersion } = target.packageManager;
  const render1 = (lockfile: Lockfile, pin: Pin = 'tag') => render(lockfile, { target, pin });

  describe.runIf(moves.includes('upgrades'))('with leave to upgrade', () => {
    const flags = { upgrades: true, downgrades: false };
    let rig: Rig;
    beforeAll(async () => {
      rig = await Rig.up(release, { flags: [UPGRADES] });
    });
    afterAll(() => rig?.down());

    test('a dependency is upgraded, and not downgraded', async (context) => {
      seen(context, 'upgrades alone raise a dependency, and lower none', release);
      const up = await published(registry, 'raised', raised, requestFor({ [B]: '*', [C]: '*' }));
      const b = one(render1(await locked(up, release)), 'b');
      const c: WantedObject = {
        ...one(render1(await locked(up, release)), 'c'),
        reference: `${nameIn(up, 'c')}:v1.5.0`,
      };
      await applyWanted(rig.api, [c]);
      await endsIn(rig, 'raised', [modelled(up, release, [[c]], { flags })]);
      await applyWanted(rig.api, [b]);
      await endsIn(rig, 'raised', [modelled(up, release, [[c], [b]], { flags })]);
      const down = await published(registry, 'low', greedy, requestFor({ [A]: '*', [B]: '*' }));
      const rendering = render1(await locked(down, release));
      const [first, second] = [[one(rendering, 'a')], [one(rendering, 'b')]];
      await applyWanted(rig.api, first);
      await endsIn(rig, 'low', [modelled(down, release, [first], { flags })]);
      await applyWanted(rig.api, second);
      await endsIn(rig, 'low', [modelled(down, release, [first, second], { flags })]);
    });
  });

  describe.runIf(moves.includes('downgrades'))('with leave to move versions', () => {
    let rig: Rig;
    beforeAll(async () => {
      rig = await upForDemo(registry, release, [UPGRADES, downgradesOf(release)]);
    });
    afterAll(() => rig?.down());

    test('the demo', async (context) => {
      seen(context, 'the demo, with upgrades and downgrades on', release);
      await accepted(rig, DEMO, render1(await demo({ registry, folder }, 'newest', release)));
    });

    test('roots with a common dependency', async (context) => {
      seen(context, 'downgrades fix what greedy choices broke', release);
      const moved = await published(
        registry,
        'movable',
        greedy,
        requestFor({ [A]: '*', [B]: '*' }),
      );
      const rendering = render1(await locked(moved, release));
      const [a, b] = ['a', 'b'].map((name) => one(rendering, name)) as [WantedObject, WantedObject];
      await applyWanted(rig.api, [a]);
      await endsIn(rig, 'movable', [modelled(moved, release, [[a]])]);
      await applyWanted(rig.api, [b]);
      const flags = { upgrades: true, downgrades: true };
      await endsIn(rig, 'movable', [modelled(moved, release, [[a], [b]], { flags })]);
    });

    test.runIf(rewrites)('a pin, where the resolver would move it', async (context) => {
      const what = movesFromPulledVersion ? 'its resolver fails on it' : 'it is moved';
      seen(context, 'upgrades meet a pin', release, what);
      const moved = await published(registry, 'panicked', greedy, requestFor({ [A]: '*' }));
      const first = await locked(moved, release);
      const pinned = render1(first, 'locked');
      await accepted(rig, 'panicked', pinned);
      const both = { ...moved, request: requestFor({ [nameIn(moved, 'b')]: '*' }) };
      const b = one(render1(await locked(both, release)), 'b');
      await applyWanted(rig.api, [b]);
      const flags = { upgrades: true, downgrades: true };
      await endsIn(rig, 'panicked', [
        modelled(moved, release, [packagesIn(pinned), [b]], { flags, pins: pinned.bundle.objects }),
      ]);
    });
  });
});
