import { readPackageOnDisk } from '../src/sources/dir/package-on-disk.js';

// What anything must do that is given packages: read them, each once.
for (const file of process.argv.slice(2)) await readPackageOnDisk(file, file);
