import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../../src/commands.js';
import { fakeIo } from '../support/fake-io.js';
import { providerYaml } from '../support/package-yaml.js';
import { packageImage } from '../support/registry/image.js';
import { DockerRegistry } from './docker-registry.js';
import { tool } from './tools.js';

let folder: string;
let registry: DockerRegistry;
let names: readonly string[];

const path = (...parts: readonly string[]) => join(folder, ...parts);
const place = () => `oci://${registry.host}/team/index:v1`;

async function run(...argv: readonly string[]) {
  const io = fakeIo({ cwd: folder });
  const code = await runCli(argv, io);
  expect([code, ...(code === 0 ? [] : io.notes())], argv.join(' ')).toEqual([0]);
  return io.stdout();
}

async function publish(name: string, version: string): Promise<string> {
  const image = await packageImage(providerYaml(name, `${name}s.${name}.example.org`));
  await registry.push(`acme/${name}`, version, image);
  return `${registry.host}/acme/${name}`;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'index-parts-'));
  registry = await DockerRegistry.start();
  const made: string[] = [];
  for (let i = 0; i < 12; i++) made.push(await publish(`p${i}`, 'v1.0.0'));
  names = made;
  await run('index', 'push', place(), ...names);
  await run('index', ...names, '--out', 'one.json');
});

afterAll(async () => {
  await registry.stop();
  await rm(folder, { recursive: true });
});

test('a real registry stores it as a tree, and returns the contents of one file', async () => {
  const one = await readFile(path('one.json'), 'utf8');
  expect(await run('index', '--from', `index:${place()}`)).toBe(one);
  registry.forget();
  await run('resolve', `${names[7]}@>=v1.0.0`, '--from', `index:${place()}`, '--no-write');
  const blobs = registry.answered.filter((line) => line.includes('/blobs/'));
  // A table, the list of often required packages, a node, a part.
  expect(blobs).toHaveLength(4);
});

test('an update sends the changes, and requests no layer that is known', async () => {
  const name = await publish('p3', 'v1.1.0');
  registry.forget();
  const said = await run('index', 'update', place());
  expect(said).toBe(`${name} v1.1.0 is new\n`);
  const blobs = registry.answered.filter((line) => /^GET .*\/acme\/.*\/blobs\//.test(line));
  // The layer of the new part, and its config with the date.
  expect(blobs).toHaveLength(2);
  const sent = registry.answered.filter((line) => line.startsWith('PUT'));
  // A part, its node, the table; their manifests, the index of these manifests, the tag.
  expect(sent.length).toBeLessThanOrEqual(8);
  await run('index', 'verify', place());
  await run('index', ...names, '--out', 'one.json');
  const updated = await run('index', '--from', `index:${place()}`);
  expect(updated.match(/"firstSeen"/g)).toHaveLength(1);
  expect(updated.replace(/,"firstSeen":"[^"]*"/, '')).toBe(
    await readFile(path('one.json'), 'utf8'),
  );
});

test('`oras pull` writes parts with their titles, and each package is a separate index', async () => {
  const at = place().slice('oci://'.length);
  tool('oras', ['pull', '--plain-http', at, '-o', path('pulled')]);
  const files = await readdir(path('pulled'), { recursive: true });
  const parts = files.filter((file) => file.endsWith('@.json') && file.startsWith('packages'));
  expect(parts).toHaveLength(names.length);
  const said = await run('index', '--from', `index:pulled/${parts[0]}`);
  expect(said).toBe(await readFile(path('pulled', parts[0]!), 'utf8'));
  expect(files).toEqual(expect.arrayContaining(['lookup/packages.json', 'lookup/words.json']));
});

test('`oras copy` copies it to a folder and from a folder to a registry with the same digest', async () => {
  const at = place().slice('oci://'.length);
  tool('oras', ['copy', '--from-plain-http', at, '--to-oci-layout', `${path('copied')}:v1`]);
  const from = await run('index', '--from', `index:${place()}`);
  expect(await run('index', '--from', 'index:copied/')).toBe(from);
  await run('index', '--from', 'index:copied/', '--out', 'written/');
  const to = `${registry.host}/team/other:v1`;
  const source = ['--from-oci-layout', `${path('written')}:index`];
  tool('oras', ['copy', ...source, '--to-plain-http', to]);
  expect(await run('index', '--from', `index:oci://${to}`)).toBe(from);
  expect(tool('crane', ['digest', '--insecure', to])).toBe(
    tool('crane', ['digest', '--insecure', at]),
  );
  await run('index', 'verify', 'written/');
});
