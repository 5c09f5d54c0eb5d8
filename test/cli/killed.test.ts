import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockFolders } from '../../src/base/files/folder-lock.js';
import { writeTransaction } from '../../src/base/files/transaction.js';
import { sha256 } from '../../src/base/digest.js';
import { providerYaml } from '../support/package-yaml.js';
import { packageImage } from '../support/registry/image.js';
import { Registry } from '../support/registry/registry.js';

const DIST = join(import.meta.dirname, '../../dist');
const MAIN = join(DIST, 'main.js');
/** The separate modules that `npm run build` writes in addition to the bundles. */
const MODULES = join(import.meta.dirname, '../../build/src');
const SIZE = 20_000;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'killed-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const FILES = ['lock', 'rendered', 'rendered/a'];
const paths = () => FILES.filter((name) => name !== 'rendered').map((name) => join(folder, name));
const outputsOf = (letter: string) =>
  paths().map((path) => ({ path, content: letter.repeat(SIZE) }));

/**
 * Returns a program that writes all files with one letter after another, and reports each letter.
 */
function program(letters: string): string {
  return `
    const { writeTransaction } = await import(${JSON.stringify(join(MODULES, 'base/files/transaction.js'))});
    for (const letter of ${JSON.stringify(letters)}) {
      const content = letter.repeat(${SIZE});
      await writeTransaction(${JSON.stringify(paths())}.map((path) => ({ path, content })));
      process.stdout.write(letter);
    }
  `;
}

/** Sends a signal to a program before its nth change to the file system. */
function signalled(signal: NodeJS.Signals, step: number, rest: string): string {
  return `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    let left = ${step};
    function count(owner, ...names) {
      for (const name of names) {
        const real = owner[name];
        owner[name] = function (...args) {
          if (left-- === 0) process.kill(process.pid, ${JSON.stringify(signal)});
          return real.apply(this, args);
        };
      }
    }
    const handle = await fs.promises.open(process.execPath);
    count(Object.getPrototypeOf(handle), 'writeFile');
    await handle.close();
    count(fs, 'writeFileSync', 'renameSync', 'linkSync', 'rmSync');
    count(fs.promises, 'open', 'link', 'rename', 'rm');
    syncBuiltinESMExports();
    ${rest}
  `;
}

function start(text: string, argv: readonly string[] = []): ChildProcess {
  const args = ['--input-type=module', '-e', text, 'program', ...argv];
  return spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Returns the letter in a file; fails if the file contains anything else. */
function letterIn(path: string): string {
  const held = readFileSync(path, 'utf8');
  expect(held).toHaveLength(SIZE);
  expect(held).toBe(held.charAt(0).repeat(SIZE));
  return held.charAt(0);
}

const letters = () => paths().map(letterIn);
const there = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

test('killed at any step, a write leaves every file complete, and the next one removes its remains', async () => {
  await writeTransaction(outputsOf('a'));
  for (let step = 0; ; step += 1) {
    const [before, next] = step % 2 === 0 ? 'ab' : 'ba';
    // The remains of an interrupted write are removed first.
    await writeTransaction(outputsOf(before!));
    expect([there(), new Set(letters())]).toEqual([FILES, new Set(before)]);
    const child = start(signalled('SIGKILL', step, program(next!)));
    const [code, signal] = (await once(child, 'exit')) as unknown[];
    for (const letter of letters()) expect('ab').toContain(letter);
    if (signal === 'SIGKILL') continue;
    expect([code, new Set(letters())]).toEqual([0, new Set(next)]);

    expect(step).toBeGreaterThan(12);
    return;
  }
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'told to end (%s), a process writes all files or none, leaves nothing else, and ends by it',
  async (signal) => {
    await writeTransaction(outputsOf('a'));
    for (const [round, step] of [0, 4, 8, 12].entries()) {
      const child = start(signalled(signal, step, program('ba'.charAt(round % 2))));
      expect(await once(child, 'exit')).toEqual([null, signal]);
      expect(new Set(letters()).size).toBe(1);
      expect(there()).toEqual(FILES);
    }
  },
);

test('if many processes write at the same time, all files come from one of them', async () => {
  let seen = 0;
  const look = () => {
    const locks = lockFolders([...new Set(paths().map((path) => dirname(path)))]);
    if (!('release' in locks)) return;
    expect(new Set(letters()).size).toBe(1);
    seen += 1;
    locks.release();
  };
  const ends = ['a', 'b', 'c'].map(async (letter) => {
    const child = start(program(letter.repeat(60)));
    const end = once(child, 'exit');
    for await (const told of child.stdout!) {
      expect(String(told)).toContain(letter);
      look();
    }
    return end;
  });
  expect(await Promise.all(ends)).toEqual(ends.map(() => [0, null]));
  expect(seen).toBeGreaterThan(3);
  expect(there()).toEqual(FILES);
});

test('after a kill, `resolve` runs as if it ran for the first time', async () => {
  const registry = await new Registry().start();
  try {
    const names = ['p', 'q', 'r'];
    for (const name of names) {
      registry.push(`a/${name}`, 'v1.0.0', await packageImage(providerYaml(name)));
    }
    const refs = names.map((name) => `${registry.host}/a/${name}:v1.0.0`);
    const argv = ['resolve', ...refs, '--crossplane', 'v2.3.4', '--cache', 'cache'];
    for (const step of [1, 10, 20]) {
      const child = start(
        signalled('SIGKILL', step, `await import(${JSON.stringify(MAIN)})`),
        argv,
      );
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    }
    const last = spawn(process.execPath, [MAIN, ...argv], { cwd: folder, stdio: 'ignore' });
    expect(await once(last, 'exit')).toEqual([0, null]);
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

test('many processes fill an empty cache and write to one folder with the same result', async () => {
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
        const child = spawn(process.execPath, [MAIN, ...argv], {
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
