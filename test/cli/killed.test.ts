import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockFolders } from '../../src/files/folder-lock.js';
import { writeTransaction } from '../../src/files/transaction.js';
import { sha256 } from '../../src/text/digest.js';
import { providerYaml } from '../support/package-yaml.js';
import { packageImage } from '../support/registry/image.js';
import { Registry } from '../support/registry/registry.js';

const DIST = join(import.meta.dirname, '../../dist');
const SIZE = 20_000;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'killed-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const paths = () => ['lock', 'rendered/a', 'rendered/b', 'rendered/c'].map((n) => join(folder, n));
const outputsOf = (letter: string) =>
  paths().map((path) => ({ path, content: letter.repeat(SIZE) }));

/** Writes all files again and again, with each letter in turn; says so once it has begun. */
function writing(letters: string, times: number): ChildProcess {
  const program = `
    import { writeTransaction } from ${JSON.stringify(join(DIST, 'files/transaction.js'))};
    for (let i = 0; i < ${times}; i += 1) {
      const content = ${JSON.stringify(letters)}[i % ${letters.length}].repeat(${SIZE});
      await writeTransaction(${JSON.stringify(paths())}.map((path) => ({ path, content })));
      if (i === 0) process.stdout.write('begun');
    }
  `;
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio });
}

/** The letter that fills a file; fails if anything else is in it. */
function letterIn(path: string): string {
  const held = readFileSync(path, 'utf8');
  expect(held).toHaveLength(SIZE);
  expect(held).toBe(held.charAt(0).repeat(SIZE));
  return held.charAt(0);
}

const there = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
const FILES = ['lock', 'rendered', 'rendered/a', 'rendered/b', 'rendered/c'];

test('killed at any point, a write leaves every file whole, and the next one clears up after it', async () => {
  for (let round = 0; round < 8; round += 1) {
    const child = writing('ab', 1_000_000);
    const end = once(child, 'exit');
    await once(child.stdout!, 'data');
    await setTimeout(Math.random() * 20);
    child.kill('SIGKILL');
    await end;
    for (const path of paths()) expect('ab').toContain(letterIn(path));
  }
  await writeTransaction(outputsOf('c'));
  expect(paths().map(letterIn)).toEqual(['c', 'c', 'c', 'c']);
  expect(there()).toEqual(FILES);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'told to end (%s), a process writes all files or none, leaves nothing else, and ends by it',
  async (signal) => {
    for (let round = 0; round < 4; round += 1) {
      const child = writing('ab', 1_000_000);
      const end = once(child, 'exit');
      await once(child.stdout!, 'data');
      await setTimeout(Math.random() * 20);
      child.kill(signal);
      expect(await end).toEqual([null, signal]);
      expect(new Set(paths().map(letterIn)).size).toBe(1);
      expect(there()).toEqual(FILES);
    }
  },
);

test('of many processes that write at once, all files are from one', async () => {
  const children = ['a', 'b', 'c'].map((letter) => writing(letter, 60));
  const ends = Promise.all(children.map((child) => once(child, 'exit')));
  await Promise.all(children.map((child) => once(child.stdout!, 'data')));
  let seen = 0;
  while (children.some(({ exitCode }) => exitCode === null)) {
    const locks = lockFolders([...new Set(paths().map((path) => dirname(path)))]);
    if ('release' in locks) {
      expect(new Set(paths().map(letterIn)).size).toBe(1);
      seen += 1;
      locks.release();
    }
    await setTimeout(1);
  }
  expect((await ends).map(([code]) => code as unknown)).toEqual([0, 0, 0]);
  expect(seen).toBeGreaterThan(3);
  expect(there()).toEqual(FILES);
});

test('killed at any point, `resolve` runs again as if it never had before', async () => {
  const registry = await new Registry().start();
  try {
    const names = ['p', 'q', 'r'];
    for (const name of names) {
      registry.push(`a/${name}`, 'v1.0.0', await packageImage(providerYaml(name)));
    }
    const refs = names.map((name) => `${registry.host}/a/${name}:v1.0.0`);
    const flags = ['--crossplane', 'v2.3.4', '--cache', 'cache'];
    const start = () =>
      spawn(process.execPath, [join(DIST, 'cli/main.js'), 'resolve', ...refs, ...flags], {
        cwd: folder,
        stdio: 'ignore',
      });
    for (let round = 1; round <= 5; round += 1) {
      const child = start();
      const end = once(child, 'exit');
      // The registry sees it at work: the last of it is what remains.
      while (registry.log.length < round && child.exitCode === null) await setTimeout(2);
      await setTimeout(Math.random() * 60);
      child.kill('SIGKILL');
      await end;
    }
    expect((await once(start(), 'exit'))[0]).toBe(0);
    const left = there().filter((name) => !name.startsWith('cache'));
    const rendered = ['kustomization.yaml', 'lock.yaml', 'packages.yaml'];
    expect(left).toEqual([
      'rendered',
      ...rendered.map((name) => `rendered/${name}`),
      'xpkg.lock.yaml',
    ]);
    for (const file of ['xpkg.lock.yaml', 'rendered/packages.yaml']) {
      const held = readFileSync(join(folder, file), 'utf8');
      for (const name of names) expect(held).toContain(`/a/${name}`);
    }
  } finally {
    await registry.stop();
  }
});

test('many processes fill one cold cache, and write to one folder: all agree', async () => {
  const registry = await new Registry().start();
  try {
    const names = ['p', 'q', 'r', 's'];
    for (const name of names) {
      registry.push(`a/${name}`, 'v1.0.0', await packageImage(providerYaml(name)));
    }
    const refs = names.map((name) => `${registry.host}/a/${name}@>=v1.0.0`);
    const argv = ['resolve', ...refs, '--crossplane', 'v2.3.4', '--cache', 'cache'];
    const ends = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe'];
        const child = spawn(process.execPath, [join(DIST, 'cli/main.js'), ...argv], {
          cwd: folder,
          stdio,
        });
        const stderr = text(child.stderr);
        const [code] = (await once(child, 'exit')) as unknown[];
        return { code, warnings: (await stderr).match(/^(?:warning|error):.*/gm) };
      }),
    );
    expect(ends).toEqual(ends.map(() => ({ code: 0, warnings: null })));
    const blobs = join(folder, 'cache/v1/blobs/sha256');
    expect(readdirSync(blobs)).toHaveLength(2 * names.length);
    for (const name of readdirSync(blobs)) {
      expect(sha256(readFileSync(join(blobs, name)))).toBe(`sha256:${name}`);
    }
    expect(there().filter((name) => !name.startsWith('cache'))).toHaveLength(5);
  } finally {
    await registry.stop();
  }
});
