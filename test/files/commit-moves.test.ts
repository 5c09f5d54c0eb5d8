import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commitMoves } from '../../src/files/commit-moves.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'commit-moves-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);
const contents = () =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(at(name), 'utf8')]));
const fill = (files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
};

const replace = { from: 'a.new', to: 'a', backup: 'a.old' };
const add = { from: 'b.new', to: 'b' };
const remove = { from: 'c', to: 'c.old' };
const impossible = { from: 'missing', to: 'd' };

const BEFORE = { a: 'old', 'a.new': 'new', 'a.old': 'old', 'b.new': 'new', c: 'old' };

function commit(moves: readonly { from: string; to: string; backup?: string }[]) {
  return commitMoves(
    moves.map(({ from, to, backup }) => ({
      from: at(from),
      to: at(to),
      backup: backup && at(backup),
    })),
  );
}

test('all moves are made, in order', async () => {
  fill(BEFORE);
  expect(await commit([replace, add, remove])).toBeUndefined();
  expect(contents()).toEqual({ a: 'new', 'a.old': 'old', b: 'new', 'c.old': 'old' });
});

test.each([0, 1, 2, 3])('if move %d fails, those before it are undone', async (index) => {
  fill(BEFORE);
  const failed = await commit([replace, add, remove].toSpliced(index, 0, impossible));
  expect(failed).toMatchObject({ index, error: { code: 'ENOENT' } });
  const { 'a.old': _, 'a.new': __, ...files } = contents();
  expect(files).toEqual({ a: 'old', 'b.new': 'new', c: 'old' });
});

test('folders move as files do', async () => {
  mkdirSync(at('blobs.new'));
  expect(await commit([{ from: 'blobs.new', to: 'blobs' }])).toBeUndefined();
  expect(readdirSync(folder)).toEqual(['blobs']);
});
