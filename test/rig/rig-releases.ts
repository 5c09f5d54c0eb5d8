import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { targetFor } from '../../src/model/target/target.js';

/** Those that test/rig/build.sh builds unless told otherwise. */
const ALL = readFileSync(join(import.meta.dirname, 'releases'), 'utf8')
  .trim()
  .split('\n');

/** Releases that the rig is tried on. */
export const RELEASES = process.env['XPKG_RIG_RELEASES']?.split(',') ?? ALL;

const unknown = RELEASES.filter((release) => targetFor(release) === undefined);
if (unknown.length > 0) throw new Error(`XPKG_RIG_RELEASES: no release: ${unknown.join(', ')}`);
