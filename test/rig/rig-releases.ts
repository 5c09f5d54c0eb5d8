import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { targetFor } from '../../src/crossplane/releases/target.js';

/** The default releases of test/rig/build.sh. */
const ALL = readFileSync(join(import.meta.dirname, 'releases'), 'utf8')
  .trim()
  .split('\n');

/** The releases on which the rig runs. */
export const RELEASES = process.env['XPKG_RIG_RELEASES']?.split(',') ?? ALL;

const unknown = RELEASES.filter((release) => targetFor(release) === undefined);
if (unknown.length > 0) throw new Error(`XPKG_RIG_RELEASES: no release: ${unknown.join(', ')}`);
