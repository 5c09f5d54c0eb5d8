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
import { settle, settleWorkingFolder } from '../../../src/files/journal/settle.js';
import { runName } from '../../../src/files/run-name.js';
import { sha256 } from '../../../src/text/digest.js';

const ID = '0123456789ab';
const MARK = '# Written by xpkg-resolve\n';
/** A process id above what any system gives out. */
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

/** Two files, of which the first is in place already. */
function half(): void {
  writeFileSync(at('a'), 'new a');
  writeFileSync(at(`.a.${ID}.old`), 'old a');
  writeFileSync(at('b'), 'old b');
  writeFileSync(at(`.b.${ID}.new`), 'new b');
  writeFileSync(at(`.b.${ID}.old`), 'old b');
}
const TWO = [change('a', 'old a', 'new a'), change('b', 'old b', 'new b')];
const texts = () => ['a', 'b'].map((name) => readFileSync(at(name), 'utf8'));

test('what was committed is finished', async () => {
  half();
  journal(TWO);
  expect(await settle([at('a')])).toBeUndefined();
  expect([texts(), there()]).toEqual([
    ['new a', 'new b'],
    ['a', 'b'],
  ]);
});

test('what was not committed is undone, folders and locks included', async () => {
  writeFileSync(at('a'), 'old a');
  mkdirSync(at('made'));
  writeFileSync(at(`made/.c.${ID}.new`), 'half');
  symlinkSync(`${HOLDER} ..`, at('made/.xpkg-resolve.writing'));
  symlinkSync(HOLDER, at('.xpkg-resolve.writing'));
  journal([change('made/c', undefined, 'new c')], 'comm', { folders: ['made'], locked: ['made'] });
  expect(await settle([at('a')])).toBeUndefined();
  expect(there()).toEqual(['a']);
});

test('where the user has put the first file back since, the rest is undone', async () => {
  half();
  writeFileSync(at('a'), 'old a');
  journal(TWO);
  await settle([at('a')]);
  expect([texts(), there()]).toEqual([
    ['old a', 'old b'],
    ['a', 'b'],
  ]);
});

test('where the user has changed a file since, all stay as they are', async () => {
  half();
  writeFileSync(at('a'), 'mine');
  journal(TWO);
  await settle([at('a')]);
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
  await settle([at('rendered/x')]);
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
])('a journal of a stranger that $why outside changes nothing', async ({ file }) => {
  writeFileSync(join(top, 'victim'), 'victim');
  writeFileSync(join(top, 'ours'), `${MARK}ours`);
  writeFileSync(at('other'), `${MARK}other`);
  journal([file(), change('other', 'never', 'neither')]);
  await settle([at('a')]);
  journal([file()]);
  await settle([at('a')]);
  expect(readFileSync(join(top, 'victim'), 'utf8')).toBe('victim');
  expect(readFileSync(join(top, 'ours'), 'utf8')).toBe(`${MARK}ours`);
  expect(there()).toEqual(['other']);
});

test('a journal that is a link to a device is refused, and not read', async () => {
  symlinkSync('/dev/zero', at('.xpkg-resolve.journal'));
  await expect(settle([at('a')])).rejects.toThrow('.xpkg-resolve.journal');
});

test('temporary files of processes that have ended go, those of others stay', async () => {
  const [ended, running] = [NO_PROCESS, process.ppid].map((pid) => `.w.${runName(pid)}.${ID}.new`);
  mkdirSync(at(ended!));
  mkdirSync(at(running!));
  await settle([at('a')]);
  expect([existsSync(at(ended!)), existsSync(at(running!))]).toEqual([false, true]);
});

test('a command that has nothing to do with the folder settles it, and is not stopped by what it cannot', async () => {
  const content = `${MARK}new`;
  writeFileSync(at(`.a.yaml.${ID}.new`), content);
  journal([{ path: 'a.yaml', id: ID, becomes: sha256(content) }]);
  await settleWorkingFolder(folder);
  expect(there()).toEqual(['a.yaml']);
  mkdirSync(at('.xpkg-resolve.journal'));
  await settleWorkingFolder(folder);
  expect(there()).toEqual(['.xpkg-resolve.journal', 'a.yaml']);
});

test('what another user left is for commands that read or write there', async () => {
  journal([]);
  const own = vi.spyOn(process, 'getuid').mockReturnValue(process.getuid!() + 1);
  await settleWorkingFolder(folder);
  own.mockRestore();
  expect(there()).toEqual(['.xpkg-resolve.journal']);
});

test('what a journal says of a folder elsewhere counts where its process has locked that folder', async () => {
  const outside = join(top, 'out');
  mkdirSync(outside);
  const content = `${MARK}new`;
  writeFileSync(join(outside, `.a.yaml.${ID}.new`), content);
  journal([change('../out/a.yaml', undefined, content)]);
  symlinkSync(`${HOLDER} ../project`, join(outside, '.xpkg-resolve.writing'));
  await settle([join(outside, 'a.yaml')]);
  expect(readdirSync(outside)).toEqual(['a.yaml']);
  expect(there()).toEqual([]);
});
