import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readPackageFiles } from '../../src/sources/dir/package-files.js';
import type { DockerRegistry } from '../conformance/docker-registry.js';
import { packedImage } from './moved-scenario.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const HOST = 'xpkg.example.org';
/** Part of the names of all its packages. */
export const DEMO = 'demo';

/** Publishes the packages of the README's platform, at a path of their own. */
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

/** Writes what the README asks for, of packages at the registry; `edit` may ask for more. */
export async function writeDemo(
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
 * The names of packages at the registry, and of objects after them: under another name than that which
 * Crossplane would give it, a package that others require may come twice.
 */
function atRegistry(text: string, { host }: DockerRegistry): string {
  return text
    .replaceAll(`${HOST}/`, `${host}/${DEMO}/`)
    .replaceAll(/^( {2}name: )(?=acme-)/gm, `$1${DEMO}-`);
}
