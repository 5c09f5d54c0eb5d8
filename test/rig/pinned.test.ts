import { afterAll, beforeAll, describe, test } from 'vitest';
import type { KeptObject } from '../../src/crossplane/package-manager/image-config.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { render } from '../../src/project/manifests/render.js';
import { withoutLongerTags } from '../../src/resolver/resolve/locked-tags.js';
import { DockerRegistry } from '../conformance/docker-registry.js';
import { requestFor } from '../support/requests.js';
import { Rig } from './rig.js';
import { RELEASES } from './rig-releases.js';
import { applyObjects, applyWanted } from './rig-run.js';
import {
  accepted,
  ACCOUNT,
  createPullSecret,
  endsIn,
  locked,
  modelled,
  nameIn,
  one,
  packagesIn,
  published,
  seen,
} from './rig-scenario.js';
import { A, B, greedy, longer } from './scenario-universes.js';

describe.each(RELEASES)('Crossplane %s, with --pin locked', (release) => {
  const target = targetFor(release)!;
  const rewrites = target.rules.imageConfig?.rewrite === true;
  let rig: Rig;
  beforeAll(async () => {
    if (rewrites) rig = await Rig.up(release);
  });
  afterAll(() => rig?.down());

  test.runIf(rewrites)('a longer tag is installed if an exception admits it', async (context) => {
    seen(context, 'a longer tag beside a pin: stuck, until it is let through', release);
    const registry = await DockerRegistry.start();
    try {
      const moved = await published(registry, 'longer', longer, requestFor({ [A]: '*' }));
      const told = await locked(moved, release, { longerTags: true });
      const alone = render(withoutLongerTags(told), { target, pin: 'locked' });
      await accepted(rig, 'longer', alone);
      const c = { ...one(alone, 'c'), reference: `${nameIn(moved, 'c')}:v1.5.0-rc.1` };
      await applyWanted(rig.api, [c]);
      const acts = [packagesIn(alone), [c]];
      await endsIn(rig, 'longer', [modelled(moved, release, acts, { pins: alone.bundle.objects })]);
      const full = render(told, { target, pin: 'locked' }).bundle.objects;
      await applyObjects(
        rig.api,
        full.filter(({ kind }) => kind === 'ImageConfig'),
      );
      await endsIn(rig, 'longer', [modelled(moved, release, acts, { pins: full })]);
    } finally {
      await registry.stop();
    }
  });

  test.runIf(rewrites)(
    'a pull secret for tags that begin so is kept by the pin',
    async (context) => {
      seen(context, 'a pull secret whose prefix ends within a pinned tag', release);
      const registry = await DockerRegistry.start(ACCOUNT);
      try {
        await createPullSecret(rig, 'account', registry);
        const path = `${registry.host}/secret/xpkgex/acme`;
        const kept = [pullSecret('account', [`${path}/a`, `${path}/b`, `${path}/c:v1`])];
        const request = requestFor({ [A]: '*', [B]: '*' }, { kept });
        const moved = await published(registry, 'secret', greedy, request);
        await accepted(
          rig,
          'secret',
          render(await locked(moved, release), { target, pin: 'locked' }),
        );
      } finally {
        await registry.stop();
      }
    },
  );
});

function pullSecret(name: string, prefixes: readonly string[]): KeptObject {
  const object = {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'ImageConfig',
    metadata: { name },
    spec: {
      matchImages: prefixes.map((prefix) => ({ type: 'Prefix', prefix })),
      registry: { authentication: { pullSecretRef: { name } } },
    },
  };
  return { object, origin: { file: 'rig' } };
}
