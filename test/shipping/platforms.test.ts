import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUILT, buildExecutables, executableOf } from '../../integrations/executable/build.js';
import { PLATFORMS } from '../../integrations/executable/platforms.js';
import { ARCHITECTURES, buildContainerImage, IMAGE } from '../../integrations/image/build.js';
import { Debian } from '../../integrations/image/debian.js';

const ROOT = join(import.meta.dirname, '../..');

let folder: string;
let version: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shipping-'));
  await buildExecutables(Object.keys(PLATFORMS));
  version = (await buildContainerImage(Object.keys(ARCHITECTURES))).tag;
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The processor that a program is for, as each format writes it: ELF, Mach-O and PE. */
const PROCESSORS: Readonly<Record<string, (program: Buffer) => readonly [string, number]>> = {
  linux: (program) => [program.toString('latin1', 1, 4), program.readUInt16LE(18)],
  darwin: (program) => [program.toString('hex', 0, 4), program.readUInt32LE(4)],
  win32: (program) => {
    const at = program.readUInt32LE(0x3c);
    return [program.toString('latin1', at, at + 2), program.readUInt16LE(at + 4)];
  },
};

describe('every platform', () => {
  test.each([
    ['linux-x64', ['ELF', 0x3e]],
    ['linux-arm64', ['ELF', 0xb7]],
    ['darwin-x64', ['cffaedfe', 0x01000007]],
    ['darwin-arm64', ['cffaedfe', 0x0100000c]],
    ['win32-x64', ['PE', 0x8664]],
    ['win32-arm64', ['PE', 0xaa64]],
  ])('%s: a program for it, which holds ours', (name, processor) => {
    const program = readFileSync(executableOf(name).file);
    expect(PROCESSORS[name.split('-')[0]!]!(program)).toEqual(processor);
    expect(program.includes('NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1')).toBe(true);
    const inside = name === `${process.platform}-${process.arch}` ? 'warmed' : 'plain';
    expect(program.includes(readFileSync(join(BUILT, `${inside}.blob`)))).toBe(true);
  });

  test('its archive has the digest in SHA256SUMS', () => {
    const told = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], {
      cwd: BUILT,
      encoding: 'utf8',
    });
    expect(told.match(/: OK$/gm)).toHaveLength(Object.keys(PLATFORMS).length);
  });
});

describe('the image for arm64, by emulation', () => {
  let root: string;
  let qemu: string;
  beforeAll(() => {
    const unpacked = join(folder, 'qemu');
    const { file } = new Debian('amd64').package('qemu-user-static');
    execFileSync('dpkg-deb', ['-x', file, unpacked]);
    qemu = join(unpacked, 'usr/bin/qemu-aarch64-static');
    const arm64 = `${IMAGE}:${version}`;
    const one = join(folder, 'arm64');
    const copy = ['copy', '--override-arch', 'arm64', `oci:${arm64}`, `oci:${one}:${version}`];
    execFileSync('skopeo', copy, { stdio: 'pipe' });
    execFileSync('umoci', ['unpack', '--image', `${one}:${version}`, join(folder, 'bundle')]);
    root = join(folder, 'bundle/rootfs');
  });

  function run(...args: readonly string[]): string {
    const words = ['-L', root, join(root, 'usr/bin/xpkg-resolve'), ...args];
    return execFileSync(qemu, words, {
      encoding: 'utf8',
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  test('prints its version', () => {
    expect(run('--version')).toBe(`${version}\n`);
  });

  test('resolves the same packages as the npm package', () => {
    const args = [
      '-f',
      'fixtures/demo',
      '--from',
      'dir:fixtures/packages',
      '--no-write',
      '-o',
      'json',
    ];
    const npm = execFileSync(process.execPath, ['dist/main.js', 'resolve', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(run('resolve', ...args)).toBe(npm);
  });
});
