import { getAsset, getRawAsset } from 'node:sea';
import { COMPILED, PROGRAM } from './places.js';
import { Scripts } from './scripts.js';

// What an executable runs. Of what V8 made of scripts it takes what fits, and makes the rest anew.
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
