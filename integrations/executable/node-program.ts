import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { KEPT } from '../kept.js';
import type { NodePackage } from './platforms.js';

/**
 * Returns the folder of an unpacked npm package with a Node.js program (`bin/node` or
 * `bin/node.exe`), downloaded if needed. Throws if npm returns other bytes than expected.
 */
export function nodeFolder({ name, version, integrity }: NodePackage): string {
  const folder = join(KEPT, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(KEPT, { recursive: true });
  const work = mkdtempSync(join(KEPT, '.fetching-'));
  try {
    const args = ['pack', '--silent', '--pack-destination', work, `${name}@${version}`];
    const file = join(work, execFileSync('npm', args, { encoding: 'utf8' }).trim());
    const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
    if (found !== integrity) {
      throw new Error(`${name} ${version} is not what it was: ${found}, not ${integrity}`);
    }
    execFileSync('tar', ['-xzf', file, '-C', work]);
    const program = ['node', 'node.exe'].map((each) => join(work, 'package', 'bin', each));
    chmodSync(
      program.find((each) => existsSync(each))!,
      0o755,
    );
    // Another run may have been faster; its folder has the same contents.
    if (!existsSync(folder)) renameSync(join(work, 'package'), folder);
    return folder;
  } finally {
    rmSync(work, { recursive: true });
  }
}
