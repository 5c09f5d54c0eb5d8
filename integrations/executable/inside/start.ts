import { getAsset, getRawAsset } from 'node:sea';
import { COMPILED, PROGRAM } from './places.js';
import { Scripts } from './scripts.js';

// The entry point of an executable. It uses valid code caches, and compiles the other scripts.
new Scripts(
  {
    text: (path) => getAsset(`${PROGRAM}${path}`, 'utf8'),
    compiled: (path) => bytes(`${COMPILED}${path}`),
  },
  require,
).load('main.cjs');

function bytes(key: string): Buffer | undefined {
  try {
    return Buffer.from(getRawAsset(key) as ArrayBuffer);
  } catch {
    return undefined;
  }
}
