import { readPackageOnDisk } from '../src/sources/package-on-disk.js';

// The minimum work for given packages: reads each of them once.
for (const file of process.argv.slice(2)) await readPackageOnDisk(file, file);
