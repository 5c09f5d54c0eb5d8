import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { runCli } from '../../src/commands.js';
import type { Lockfile } from '../../src/project/lockfile/lockfile.js';
import { parseLockfile } from '../../src/project/lockfile/parse-lockfile.js';
import { readPackageFiles } from '../../src/sources/package-on-disk.js';
import type { DockerRegistry } from '../conformance/docker-registry.js';
import { fakeIo } from '../support/fake-io.js';
import { packedImage } from './moved-scenario.js';
import { Rig } from './rig.js';
import { createPullSecret } from './rig-scenario.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const HOST = 'xpkg.example.org';
/** Part of the names of all its packages. */
export const DEMO = 'demo';

/** Publishes the packages of the README's platform under a separate path. */
export async function publishDemo(registry: DockerRegistry): Promise<void> {
  const root = join(FIXTURES, 'packages');
  for (const folder of await versionFolders(root)) {
    const [repository, tag] = relative(root, folder).split('@') as [string, string];
    const text = new TextDecoder().decode(await readPackageFiles(folder, folder));
    const image = await packedImage(atRegistry(text, registry));
    await registry.push(repository.replace(HOST, DEMO), tag, image);
  }
}

async function versionFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const found = folders.sort().map(async (name) => {
    const path = join(folder, name);
    return name.includes('@') ? [path] : versionFolders(path);
  });
  return (await Promise.all(found)).flat();
}

/** Starts a cluster with the pull secret of the demo. */
export async function upForDemo(
  registry: DockerRegistry,
  release: string,
  flags: readonly string[] = [],
): Promise<Rig> {
  const rig = await Rig.up(release, { flags });
  await createPullSecret(rig, 'example-org', registry);
  return rig;
}

/** Resolves the demo from the registry with the command; `override` is not one of its flags. */
export async function demo(
  { registry, folder }: { readonly registry: DockerRegistry; readonly folder: string },
  name: string,
  release: string,
  ...flags: readonly string[]
): Promise<Lockfile> {
  const override = flags.includes('override');
  const rule = `  overrides: [{ package: "${registry.host}/demo/acme/configuration-network", version: v2.0.0 }]\n`;
  await writeDemo(join(folder, name), registry, (text) =>
    override ? text.replace('  defaults:', `${rule}  defaults:`) : text,
  );
  const io = fakeIo({ cwd: folder });
  const code = await runCli(
    [
      'resolve',
      `--file=${name}`,
      `--crossplane=${release}`,
      '--from=registry',
      `--lock=${name}.lock.yaml`,
      `--out=${name}-rendered`,
      '--cache=cache',
      ...flags.filter((flag) => flag !== 'override'),
    ],
    io,
  );
  if (code !== 0) throw new Error(io.notes().join('\n'));
  const file = `${name}.lock.yaml`;
  return parseLockfile(await readFile(join(folder, file), 'utf8'), file);
}

/** Writes the demo's xpkg.yaml with packages at the registry; `edit` may change it. */
async function writeDemo(
  folder: string,
  registry: DockerRegistry,
  edit: (text: string) => string = (text) => text,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(join(FIXTURES, 'demo'))) {
    const text = await readFile(join(FIXTURES, 'demo', name), 'utf8');
    const own = atRegistry(text, registry);
    await writeFile(join(folder, name), name === 'xpkg.yaml' ? edit(own) : own);
  }
}

/**
 * Replaces the names of packages with those at the registry, and names objects accordingly: a
 * required package with an object name that differs from the derived one may be installed twice.
 */
function atRegistry(text: string, { host }: DockerRegistry): string {
  return text
    .replaceAll(`${HOST}/`, `${host}/${DEMO}/`)
    .replaceAll(/^( {2}name: )(?=acme-)/gm, `$1${DEMO}-`);
}
