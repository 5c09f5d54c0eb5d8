import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { recoverTransactions, recoverWorkingFolder } from '../../../src/base/files/recovery.js';
import { runName } from '../../../src/base/files/file-system.js';
import { sha256 } from '../../../src/base/digest.js';

const ID = '0123456789ab';
const MARK = '# Written by xpkg-resolve\n';
/** A process id that no system assigns. */
const NO_PROCESS = 2 ** 31 - 1;
const HOLDER = `${NO_PROCESS} ${hostname()}`;
let top: string;
let folder: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'settle-'));
  folder = join(top, 'project');
  mkdirSync(folder);
});
afterEach(() => rmSync(top, { recursive: true }));

const at = (name: string) => join(folder, name);
const there = () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

function journal(changes: readonly object[], rest = 'commit\n', more: object = {}): void {
  const plan = { format: 1, holder: HOLDER, changes, folders: [], locked: [], ...more };
  writeFileSync(at('.xpkg-resolve.journal'), `${JSON.stringify(plan)}\n${rest}`);
}

const change = (path: string, was: string | undefined, becomes: string | undefined) => ({
  path,
  id: ID,
  was: was && sha256(was),
  becomes: becomes && sha256(becomes),
});

/** Two files. The first is already in place. */
function half(): void {
  writeFileSync(at('a'), 'new a');
  writeFileSync(at(`.a.${ID}.old`), 'old a');
  writeFileSync(at('b'), 'old b');
  writeFileSync(at(`.b.${ID}.new`), 'new b');
  writeFileSync(at(`.b.${ID}.old`), 'old b');
}
const TWO = [change('a', 'old a', 'new a'), change('b', 'old b', 'new b')];
const texts = () => ['a', 'b'].map((name) => readFileSync(at(name), 'utf8'));

test('a committed transaction is finished', async () => {
  half();
  journal(TWO);
  expect(await recoverTransactions([at('a')])).toBeUndefined();
  expect([texts(), there()]).toEqual([
    ['new a', 'new b'],
    ['a', 'b'],
  ]);
});

test('an uncommitted transaction is undone, including folders and locks', async () => {
  writeFileSync(at('a'), 'old a');
  mkdirSync(at('made'));
  writeFileSync(at(`made/.c.${ID}.new`), 'half');
  symlinkSync(`${HOLDER} ..`, at('made/.xpkg-resolve.writing'));
  symlinkSync(HOLDER, at('.xpkg-resolve.writing'));
  journal([change('made/c', undefined, 'new c')], 'comm', { folders: ['made'], locked: ['made'] });
  expect(await recoverTransactions([at('a')])).toBeUndefined();
  expect(there()).toEqual(['a']);
});

test('the rest is undone if the user restored the first file', async () => {
  half();
  writeFileSync(at('a'), 'old a');
  journal(TWO);
  await recoverTransactions([at('a')]);
  expect([texts(), there()]).toEqual([
    ['old a', 'old b'],
    ['a', 'b'],
  ]);
});

test('all files stay if the user changed one of them', async () => {
  half();
  writeFileSync(at('a'), 'mine');
  journal(TWO);
  await recoverTransactions([at('a')]);
  expect([texts(), there()]).toEqual([
    ['mine', 'old b'],
    ['a', 'b'],
  ]);
});

test('a lock in another folder leads to the journal of its process', async () => {
  half();
  mkdirSync(at('rendered'));
  symlinkSync(`${HOLDER} ..`, at('rendered/.xpkg-resolve.writing'));
  journal(TWO, 'commit\n', { locked: ['rendered'] });
  await recoverTransactions([at('rendered/x')]);
  expect([texts(), there()]).toEqual([
    ['new a', 'new b'],
    ['a', 'b', 'rendered'],
  ]);
});

test.each([
  { why: 'removes a file', file: () => change('../victim', 'victim', undefined) },
  { why: 'removes a file of ours', file: () => change('../ours', `${MARK}ours`, undefined) },
  { why: 'says that it made a file', file: () => change('../victim', undefined, 'victim') },
  { why: 'names a file by its full path', file: () => change(join(top, 'victim'), 'victim', 'x') },
  {
    why: 'has the new content elsewhere',
    file: () => ({ ...change('../victim', 'victim', 'x'), id: '../project/x' }),
  },
])('an untrusted journal that $why outside changes nothing', async ({ file }) => {
  writeFileSync(join(top, 'victim'), 'victim');
  writeFileSync(join(top, 'ours'), `${MARK}ours`);
  writeFileSync(at('other'), `${MARK}other`);
  journal([file(), change('other', 'never', 'neither')]);
  await recoverTransactions([at('a')]);
  journal([file()]);
  await recoverTransactions([at('a')]);
  expect(readFileSync(join(top, 'victim'), 'utf8')).toBe('victim');
  expect(readFileSync(join(top, 'ours'), 'utf8')).toBe(`${MARK}ours`);
  expect(there()).toEqual(['other']);
});

test.each([
  { why: 'it removed the file', file: change('mine', 'mine', undefined), others: [] },
  {
    why: 'it made the file and has to undo that',
    file: change('mine', undefined, 'mine'),
    others: [change('other', 'other', 'content that is nowhere')],
  },
])('a forged journal cannot delete a file of the user: $why', async (forged) => {
  writeFileSync(at('mine'), 'mine');
  writeFileSync(at('other'), 'other');
  journal([forged.file, ...forged.others]);
  await recoverTransactions([at('a')]);
  expect(there()).toEqual(['mine', 'other']);
  expect(readFileSync(at('mine'), 'utf8')).toBe('mine');
});

test('a journal can delete a file that this tool wrote', async () => {
  const ours = `${MARK}ours`;
  writeFileSync(at('ours'), ours);
  journal([change('ours', ours, undefined)]);
  await recoverTransactions([at('a')]);
  expect(there()).toEqual([]);
});

test('a journal that links to a device is refused without reading it', async () => {
  symlinkSync('/dev/zero', at('.xpkg-resolve.journal'));
  await expect(recoverTransactions([at('a')])).rejects.toThrow('.xpkg-resolve.journal');
});

test('only temporary files of ended processes are removed', async () => {
  const [ended, running] = [NO_PROCESS, process.ppid].map((pid) => `.w.${runName(pid)}.${ID}.new`);
  mkdirSync(at(ended!));
  mkdirSync(at(running!));
  await recoverTransactions([at('a')]);
  expect([existsSync(at(ended!)), existsSync(at(running!))]).toEqual([false, true]);
});

test('recovery of the working folder ignores errors', async () => {
  const content = `${MARK}new`;
  writeFileSync(at(`.a.yaml.${ID}.new`), content);
  journal([{ path: 'a.yaml', id: ID, becomes: sha256(content) }]);
  await recoverWorkingFolder(folder);
  expect(there()).toEqual(['a.yaml']);
  mkdirSync(at('.xpkg-resolve.journal'));
  await recoverWorkingFolder(folder);
  expect(there()).toEqual(['.xpkg-resolve.journal', 'a.yaml']);
});

test('recovery of the working folder skips files of other users', async () => {
  journal([]);
  const own = vi.spyOn(process, 'getuid').mockReturnValue(process.getuid!() + 1);
  await recoverWorkingFolder(folder);
  own.mockRestore();
  expect(there()).toEqual(['.xpkg-resolve.journal']);
});

test('a journal may change files in another folder that its process has locked', async () => {
  const outside = join(top, 'out');
  mkdirSync(outside);
  const content = `${MARK}new`;
  writeFileSync(join(outside, `.a.yaml.${ID}.new`), content);
  journal([change('../out/a.yaml', undefined, content)]);
  symlinkSync(`${HOLDER} ../project`, join(outside, '.xpkg-resolve.writing'));
  await recoverTransactions([join(outside, 'a.yaml')]);
  expect(readdirSync(outside)).toEqual(['a.yaml']);
  expect(there()).toEqual([]);
});
