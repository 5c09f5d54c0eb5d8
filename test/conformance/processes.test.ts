import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sha256 } from '../../src/base/digest.js';
import { providerYaml } from '../support/package-yaml.js';
import { packageImage } from '../support/registry/image.js';
import { Registry, type Fault } from '../support/registry/registry.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
const NAMES = Array.from({ length: 12 }, (_, i) => `p${i}`);
const STDIO: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
let folder: string;
let registry: Registry;
/** Whether layers are requested and never arrive. */
let hanging = false;
let hung: () => void = () => {};

const hang: Fault = (request) => {
  if (!hanging || !request.path.includes('/blobs/')) return false;
  hung();
  return true;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cache-processes-'));
  registry = await new Registry({ faults: [hang] }).start();
  for (const name of NAMES) {
    registry.push(`a/${name}`, 'v1.0.0', await packageImage(providerYaml(name, `${name}.b.org`)));
  }
});

afterAll(async () => {
  await registry.stop();
  await rm(folder, { recursive: true });
});

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Resolves in a separate process, which is killed after `patience` milliseconds if given. */
function resolving(flags: readonly string[], patience?: number): Promise<Ended> {
  const refs = NAMES.map((name) => `${registry.host}/a/${name}@>=v1.0.0`);
  const cache = ['--cache', join(folder, 'cache')];
  const args = [
    MAIN,
    'resolve',
    ...refs,
    '--crossplane',
    'v2.3.4',
    '-o',
    'json',
    ...cache,
    ...flags,
  ];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: STDIO });
  if (patience !== undefined) setTimeout(() => child.kill('SIGKILL'), patience);
  return ended(child);
}

function ended(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  return new Promise((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, ...said })),
  );
}

function packagesOf({ stdout }: Ended): unknown {
  return JSON.parse(stdout).packages;
}

test('many processes share an empty cache, some are killed, and all others agree', async () => {
  const killed = [150, 300, 450, 600, 900].map((patience) => resolving(['--no-write'], patience));
  const ended = await Promise.all(Array.from({ length: 5 }, () => resolving(['--no-write'])));
  await Promise.all(killed);
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(ended.map(() => [0, '']));
  const [first, ...others] = ended.map(packagesOf);
  for (const other of others) expect(other).toEqual(first);
  const offline = await resolving(['--offline', '--no-write']);
  expect([offline.code, packagesOf(offline)]).toEqual([0, first]);
});

test('every remaining blob is complete', async () => {
  const blobs = join(folder, 'cache/v1/blobs/sha256');
  const names = (await readdir(blobs)).filter((name) => !name.startsWith('.'));
  expect(names).toHaveLength(2 * NAMES.length);
  for (const name of names) {
    expect(sha256(await readFile(join(blobs, name)))).toBe(`sha256:${name}`);
  }
});

test('an interrupted `vendor` leaves nothing behind, and ends by the signal', async () => {
  const cache = ['--cache', join(folder, 'no-cache')];
  expect((await resolving([])).code).toBe(0);
  const before = await readdir(folder);
  hanging = true;
  const asked = new Promise<void>((resolve) => (hung = resolve));
  const child = spawn(process.execPath, [MAIN, 'vendor', 'world', ...cache], {
    cwd: folder,
    stdio: STDIO,
  });
  const end = ended(child);
  await asked;
  expect(await readdir(folder)).not.toEqual(before);
  child.kill('SIGINT');
  expect(await end).toMatchObject({ code: null, signal: 'SIGINT' });
  expect((await readdir(folder)).filter((name) => name !== 'no-cache')).toEqual(before);
});
