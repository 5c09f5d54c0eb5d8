import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/kit/command.js';
import { EACH, FleetFolder } from '../../support/fleet-folder.js';
import { on, status } from '../../support/registry/faults.js';
import { packageImage } from '../../support/registry/image.js';
import { Registry } from '../../support/registry/registry.js';

let at: FleetFolder;
let registry: Registry;

function meta(kind: string, name: string, dependsOn: readonly object[] = []): string {
  const head = { apiVersion: 'meta.pkg.crossplane.io/v1', kind, metadata: { name } };
  return JSON.stringify({ ...head, spec: { dependsOn } });
}

async function start(...faults: ConstructorParameters<typeof Registry>[0][]): Promise<void> {
  registry = await new Registry(faults[0]).start();
  const requires = [{ provider: `${registry.host}/a/p`, version: '>=v1.0.0' }];
  registry
    .push('a/c', 'v1.0.0', await packageImage(meta('Configuration', 'c', requires)))
    .push('a/p', 'v1.0.0', await packageImage(meta('Provider', 'old')))
    .push('a/p', 'v1.2.0', await packageImage(meta('Provider', 'p')))
    .push('a/q', 'v1.0.0', await packageImage(meta('Provider', 'q')));
}

/**
 * Writes the project of a cluster for a Crossplane release; `name` adds an ImageConfig that
 * rewrites a prefix.
 */
async function set(cluster: string, crossplane: string, names: readonly string[], prefix = '') {
  const packages = names.map((name) => ({ package: `${registry.host}/${name}`, version: '*' }));
  const config = {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'ImageConfig',
    metadata: { name: 'mirror' },
    spec: {
      matchImages: [{ type: 'Prefix', prefix: `mirrored.example.org/${prefix}` }],
      rewriteImage: { prefix: `${registry.host}/a` },
    },
  };
  const set = {
    apiVersion: 'xpkg-resolve.dev/v1alpha1',
    kind: 'PackageSet',
    spec: { crossplane, packages },
  };
  const documents = prefix === '' ? [set] : [set, config];
  await at.write(
    `clusters/${cluster}/xpkg.yaml`,
    documents.map((each) => JSON.stringify(each)).join('\n---\n'),
  );
}

beforeEach(async () => {
  at = await FleetFolder.make();
});

afterEach(async () => {
  await registry.stop();
  await at.remove();
});

/** Returns paths that were requested more than once. */
function repeated(): string[] {
  const paths = registry.log.filter(({ path }) => path !== '/v2/').map(({ path }) => path);
  return paths.filter((path, i) => paths.indexOf(path) < i);
}

async function threeSets(older = 'v2.2.0', oldest = 'v1.20.11'): Promise<void> {
  await set('east', 'v2.3.4', ['a/c', 'a/q'], 'same');
  await set('north', older, ['a/c'], 'same');
  await set('west', oldest, ['a/c', 'a/p'], 'same');
}

test.each(['1', '8'])('no request is repeated for another target (%s at once)', async (n) => {
  await start();
  await threeSets();
  const argv = ['resolve', ...EACH, '--cache', 'none', '--concurrency', n];
  expect((await at.run(argv)).code).toBe(EXIT.done);
  expect(repeated()).toEqual([]);
  expect(registry.log.length).toBeGreaterThan(8);
});

test.each(['1', '8'])(
  'verify repeats no request if releases read images in the same way (%s at once)',
  async (n) => {
    await start();
    await threeSets('v2.3.4', 'v2.3.4');
    expect((await at.run(['resolve', ...EACH, '--cache', 'none'])).code).toBe(EXIT.done);
    registry.log.length = 0;
    const { code } = await at.run(['verify', ...EACH, '--cache', 'none', '--concurrency', n]);
    expect(code).toBe(EXIT.done);
    expect(repeated()).toEqual([]);
    expect(registry.log.filter(({ path }) => path.includes('/blobs/')).length).toBeGreaterThan(2);
  },
);

test('a moved tag is reported by the projects that lock it, and read by none', async () => {
  await start();
  await threeSets();
  await at.run(['resolve', ...EACH, '--cache', 'none']);
  registry.push('a/q', 'v1.0.0', await packageImage(meta('Provider', 'moved')));
  const { code, lines } = await at.lines(['verify', ...EACH, '--cache', 'none']);
  expect([code, ...lines.map(({ exitCode }) => exitCode)]).toEqual([4, 4, 0, 0]);
});

test('projects with different ImageConfigs use their own registries', async () => {
  await start();
  await set('east', 'v2.3.4', ['a/q'], 'one');
  await set('west', 'v2.3.4', ['a/q'], 'two');
  await at.run(['resolve', ...EACH, '--no-write', '--cache', 'none']);
  expect(repeated().length).toBeGreaterThan(0);
});

test('concurrency changes neither text nor JSON', async () => {
  await start();
  await threeSets();
  await set('south', 'v2.3.4', ['a/nothing']);
  const seen = [];
  for (const n of ['1', '2', '8']) {
    for (const form of ['text', 'json']) {
      const flags = [...EACH, '--no-write', '--cache', `cache-${n}-${form}`, '--concurrency', n];
      const { code, stdout, stderr } = await at.run(['resolve', ...flags, '-o', form]);
      seen.push({ form, code, stdout, stderr });
    }
  }
  expect(seen[0]!.stdout).toMatch(/south\/xpkg.yaml +unsolvable/);
  expect(seen.slice(2, 4)).toEqual(seen.slice(0, 2));
  expect(seen.slice(4, 6)).toEqual(seen.slice(0, 2));
});

test('a failing registry fails only the projects that need it', async () => {
  await start({ faults: [on('/a/q/', status(403))] });
  await threeSets();
  const { code, lines } = await at.lines(['resolve', ...EACH, '--cache', 'none']);
  expect([code, ...lines.map(({ exitCode }) => exitCode)]).toEqual([5, 5, 0, 0]);
  expect(at.has('clusters/east/xpkg.lock.yaml')).toBe(false);
  expect(at.has('clusters/north/xpkg.lock.yaml')).toBe(true);
});
