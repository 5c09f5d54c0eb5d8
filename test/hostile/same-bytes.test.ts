import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'dist/main.js');
let top: string;

beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'same-bytes-'));
});
afterAll(() => rmSync(top, { recursive: true }));

/**
 * Returns everything that `resolve` and `index` write and print, with source files copied in an
 * order.
 */
function outputs(name: string, env: Readonly<Record<string, string>>, reverse = false): string {
  const folder = join(top, name);
  mkdirSync(folder);
  cpSync(join(ROOT, 'fixtures/demo'), join(folder, 'inputs'), { recursive: true });
  const packages = join(ROOT, 'fixtures/packages');
  const files = readdirSync(packages, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(packages.length + 1))
    .sort();
  for (const file of reverse ? files.toReversed() : files)
    cpSync(join(packages, file), join(folder, 'packages', file), { recursive: true });
  const said = [
    ['resolve', '-f', 'inputs', '--from', 'dir:packages', '-o', 'json'],
    ['index', '--from', 'dir:packages', '--out', 'i.json'],
  ].map((argv) => {
    const ran = spawnSync(process.execPath, [MAIN, ...argv], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...env },
      encoding: 'utf8',
    });
    expect([ran.status, ran.stderr]).toEqual([0, expect.any(String)]);
    return ran.stdout + ran.stderr;
  });
  const written = [
    'xpkg.lock.yaml',
    'i.json',
    ...readdirSync(join(folder, 'rendered'))
      .sort()
      .map((file) => join('rendered', file)),
  ];
  return [...said, ...written.map((file) => readFileSync(join(folder, file), 'utf8'))].join('\0');
}

test('locale, time zone and file order change no byte', () => {
  const plain = outputs('plain', {});
  const elsewhere = { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Kathmandu' };
  expect(outputs('elsewhere', elsewhere)).toBe(plain);
  expect(outputs('swedish', { LC_ALL: 'sv_SE.UTF-8', TZ: 'Pacific/Apia' }, true)).toBe(plain);
});

test('the code compares no text by locale and writes no dates or random values', () => {
  const src = join(ROOT, 'src');
  const uses = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /localeCompare|toLocale|Intl\./.test(readFileSync(join(src, file), 'utf8')));
  expect(uses).toEqual([]);
});
