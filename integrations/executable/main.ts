import { buildExecutables, executableOf } from './build.js';
import { PLATFORMS } from './platforms.js';

// `npm run executable [PLATFORM..]`: builds executables in build/executable; by default for all
// platforms.
const asked = process.argv.slice(2);
const platforms = asked.length > 0 ? asked : Object.keys(PLATFORMS);
await buildExecutables(platforms);
for (const name of platforms) process.stdout.write(`${executableOf(name).file}\n`);
