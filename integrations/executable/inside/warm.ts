import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { COMPILED, PROGRAM } from './places.js';
import { Scripts } from './scripts.js';

// `node warm.cjs FOLDER FLAGS ARGS..`: runs the command from a folder with the embedded files, and
// writes the code caches of the scripts there, so that functions that ran need not be compiled
// again. `node warm.cjs flags` prints the hash of V8's flags in this process in hexadecimal.

/** The offset of the flag hash in a code cache: V8 only accepts a cache with the same hash. */
const FLAGS_AT = 12;
const FLAGS_END = 16;

const [, , folder = '', flags = '', ...args] = process.argv;
if (folder === 'flags') {
  process.stdout.write(ownFlags().toString('hex'));
} else {
  process.argv.splice(2, Infinity, ...args);
  warm();
}

function warm(): void {
  const scripts = new Scripts(
    {
      text: (path) => read(`${PROGRAM}${path}`).toString(),
      compiled: (path) => {
        const name = `${COMPILED}${path}`;
        return existsSync(join(folder, name)) ? withFlags(read(name), ownFlags()) : undefined;
      },
    },
    (name) =>
      name === 'node:sea' ? { getAsset: (asset: string) => read(asset).toString() } : require(name),
  );
  process.on('exit', () => {
    for (const [path, script] of scripts.loaded) {
      const file = join(folder, `${COMPILED}${path}`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, withFlags(script.createCachedData(), Buffer.from(flags, 'hex')));
    }
  });
  scripts.load('main.cjs');
}

function read(name: string): Buffer {
  return readFileSync(join(folder, name));
}

function ownFlags(): Buffer {
  return new Script('0').createCachedData().subarray(FLAGS_AT, FLAGS_END);
}

function withFlags(kept: Buffer, of: Buffer): Buffer {
  of.copy(kept, FLAGS_AT);
  return kept;
}
