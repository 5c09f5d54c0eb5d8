import { mkdtemp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCli } from '../../src/commands.js';
import { digestOf } from '../support/lockfiles.js';
import { fakeIo } from '../support/fake-io.js';
import { tool } from './tools.js';

/** `crossplane xpkg build` adds every YAML file below the folder of a package to the package. */
const INDEX = {
  packages: {
    'h.io/acme/provider': { kind: 'Provider', versions: { 'v1.0.0': { digest: digestOf('p') } } },
  },
};
const META = `apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata: { name: platform }
spec:
  dependsOn: [{ provider: h.io/acme/provider, version: ">=v1.0.0" }]
`;

let folder: string;
let root: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'author-'));
  root = join(folder, 'package');
  await mkdir(root);
  await writeFile(join(root, 'crossplane.yaml'), META);
  await writeFile(join(folder, 'index.json'), JSON.stringify(INDEX));
});
afterEach(() => rm(folder, { recursive: true }));

async function resolveIn(cwd: string, ...more: readonly string[]): Promise<number> {
  const flags = ['--crossplane', 'v2.3.4', '--from', `index:${join(folder, 'index.json')}`];
  return runCli(['resolve', ...flags, '--offline', ...more], fakeIo({ cwd }));
}

function build(cli: string): void {
  tool(cli, ['xpkg', 'build', '-f', root, '-o', join(folder, `${cli}.xpkg`)]);
}

test.each(['crank', 'crossplane'])(
  '%s builds a package with its lockfile beside it',
  async (cli) => {
    expect(await resolveIn(root, '--out', join(folder, 'rendered'))).toBe(0);
    expect(await readdir(root)).toEqual(['crossplane.yaml', 'xpkg.lock']);
    expect(await readdir(join(folder, 'rendered'))).toContain('packages.yaml');
    build(cli);
    // With the extension .yaml, the lockfile becomes a part of the package.
    await rename(join(root, 'xpkg.lock'), join(root, 'xpkg.lock.yaml'));
    expect(() => build(cli)).toThrow(/xpkg\.lock\.yaml|lock/);
  },
);

test('rendered manifests must be outside the folder of the package', async () => {
  expect(await resolveIn(root, '--out', join(root, 'rendered'))).toBe(2);
  expect(await readdir(root)).toEqual(['crossplane.yaml']);
});
