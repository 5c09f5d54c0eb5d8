import type { HostileReader } from '../test/hostile/reader.js';
import { FILE_READERS } from '../test/hostile/readers/file-readers.js';
import { IMAGE_READERS } from '../test/hostile/readers/image-readers.js';
import { REGISTRY_READERS } from '../test/hostile/readers/registry-readers.js';
import { TEXT_READERS } from '../test/hostile/readers/text-readers.js';
import { markdown } from './markdown.js';

const READERS: readonly HostileReader[] = [
  ...TEXT_READERS,
  ...REGISTRY_READERS,
  ...IMAGE_READERS,
  ...FILE_READERS,
];
/** Texts that are repeated to make a longer text. */
const PARTS = [
  ' ',
  '0',
  'a',
  '-',
  '.',
  ',',
  ':',
  '"',
  '\\',
  '\n',
  '\t',
  '[',
  '/',
  '@',
  '#',
  '|',
  '{"a":',
  'a: b\n',
  '- ',
  '---\n',
  '&a ',
  '*a, ',
  '\u2028',
  '%41',
  '1-',
  '<x>;',
];
const PLACES = 4;
const SMALL = 16_000;
const FACTOR = 4;
/** Shorter times may be noise, and have no growth. */
const NOISE_MS = 10;

/**
 * Measures how the time of each reader grows with the length of a text: of all texts, the slowest,
 * and how much faster a quarter of it is. Linear growth is 4 ×, quadratic growth 16 ×.
 */
export async function reading(): Promise<string> {
  const rows: (string | number)[][] = [];
  for (const reader of READERS) {
    const seed = Buffer.from(reader.seeds[0]!);
    let slowest = { ms: 0, part: '', place: 0 };
    for (const part of PARTS) {
      for (let place = 0; place <= PLACES; place++) {
        const ms = await milliseconds(reader, pumped(seed, place, part, SMALL * FACTOR));
        if (ms > slowest.ms) slowest = { ms, part, place };
      }
    }
    const { part, place } = slowest;
    const short = await milliseconds(reader, pumped(seed, place, part, SMALL));
    const long = await milliseconds(reader, pumped(seed, place, part, SMALL * FACTOR));
    const growth = long < NOISE_MS ? '-' : `${(long / short).toFixed(1)} ×`;
    const repeated = `\`${JSON.stringify(part)}\``;
    rows.push([reader.name, repeated, short.toFixed(1), long.toFixed(1), growth]);
  }
  const head = [
    'reader',
    'repeated',
    `${SMALL} bytes, ms`,
    `${SMALL * FACTOR} bytes, ms`,
    'growth',
  ];
  return `${markdown([head, ...rows])}\n`;
}

/** CPU time, so that other work on the machine does not count. */
async function milliseconds(reader: HostileReader, input: Buffer): Promise<number> {
  const before = process.cpuUsage();
  try {
    await reader.read(input);
  } catch {
    // The text was rejected, which must be fast, too.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function pumped(seed: Buffer, place: number, part: string, length: number): Buffer {
  const at = Math.floor((seed.length * place) / PLACES);
  const middle = Buffer.from(part.repeat(Math.ceil(length / part.length)));
  return Buffer.concat([seed.subarray(0, at), middle, seed.subarray(at)]);
}
