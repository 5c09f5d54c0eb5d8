import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeTransaction } from '../../../src/base/files/transaction.js';
import { InputError } from '../../../src/base/errors.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outputs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
const there = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

test('files are created, replaced and removed, without leftovers', async () => {
  writeFileSync(at('old.yaml'), 'old');
  writeFileSync(at('gone.yaml'), 'gone');
  writeFileSync(at('theirs.txt'), 'theirs');
  await writeTransaction([
    { path: at('old.yaml'), content: 'new' },
    { path: at('gone.yaml'), content: undefined },
    { path: at('a/b/made.yaml'), content: 'made' },
    { path: at('never.yaml'), content: undefined },
  ]);
  expect(there()).toEqual(['a', 'a/b', 'a/b/made.yaml', 'old.yaml', 'theirs.txt']);
  expect(readFileSync(at('old.yaml'), 'utf8')).toBe('new');
  expect(readFileSync(at('a/b/made.yaml'), 'utf8')).toBe('made');
});

test('unchanged files are not written', async () => {
  writeFileSync(at('same.yaml'), 'same');
  utimesSync(at('same.yaml'), 1, 1);
  await writeTransaction([{ path: at('same.yaml'), content: 'same' }]);
  expect(statSync(at('same.yaml')).mtimeMs).toBe(1000);
});

test('leftovers of a killed process are removed even if nothing changes', async () => {
  writeFileSync(at('same.yaml'), 'same');
  writeFileSync(at('.same.yaml.0123456789ab.old'), 'older');
  writeFileSync(at('.same.yaml.0123456789ab.new.txt'), 'theirs');
  writeFileSync(at('.xpkg-resolve.writing'), `${2 ** 31 - 1} ${hostname()}`);
  await writeTransaction([{ path: at('same.yaml'), content: 'same' }]);
  expect(there()).toEqual(['.same.yaml.0123456789ab.new.txt', 'same.yaml']);
});

test('a file keeps its mode, and links are followed', async () => {
  writeFileSync(at('real.yaml'), 'old');
  chmodSync(at('real.yaml'), 0o640);
  symlinkSync('real.yaml', at('link.yaml'));
  await writeTransaction([{ path: at('link.yaml'), content: 'new' }]);
  expect(readFileSync(at('real.yaml'), 'utf8')).toBe('new');
  expect(statSync(at('real.yaml')).mode & 0o777).toBe(0o640);
});

test('if one file cannot be written, none is, and new folders are removed', async () => {
  writeFileSync(at('first.yaml'), 'old');
  writeFileSync(at('file'), '');
  mkdirSync(at('taken.yaml'));
  for (const impossible of [at('file/below.yaml'), at('taken.yaml')]) {
    const outputs = [
      { path: at('first.yaml'), content: 'new' },
      { path: at('new/made.yaml'), content: 'made' },
      { path: impossible, content: 'x' },
    ];
    await expect(writeTransaction(outputs)).rejects.toThrow(InputError);
    expect(there()).toEqual(['file', 'first.yaml', 'taken.yaml']);
    expect(readFileSync(at('first.yaml'), 'utf8')).toBe('old');
  }
});

test('a signal during a transaction ends the process after all files are written', async () => {
  const program = `
    import { writeTransaction } from ${JSON.stringify(join(import.meta.dirname, '../../../build/src/base/files/transaction.js'))};
    const outputs = Array.from({ length: 50 }, (_, n) => ({ path: ${JSON.stringify(folder)} + '/f' + n, content: 'x' }));
    const written = writeTransaction(outputs);
    process.kill(process.pid, 'SIGINT');
    await written;
    setTimeout(() => {}, 60000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  const signal = await new Promise((resolve) => child.on('exit', (_code, name) => resolve(name)));
  expect(signal).toBe('SIGINT');
  expect(there()).toHaveLength(50);
  expect(existsSync(at('f49'))).toBe(true);
});
