import { expect, test } from 'vitest';
import type { HostileReader } from '../hostile/reader.js';
import { FILE_READERS } from '../hostile/readers/file-readers.js';
import { IMAGE_READERS } from '../hostile/readers/image-readers.js';
import { REGISTRY_READERS } from '../hostile/readers/registry-readers.js';
import { TEXT_READERS } from '../hostile/readers/text-readers.js';
import { recordFigure } from '../support/figures.js';

const READERS: readonly HostileReader[] = [
  ...TEXT_READERS,
  ...REGISTRY_READERS,
  ...IMAGE_READERS,
  ...FILE_READERS,
];
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
/** Four times the text may take this many times as long: more than linear, less than its square. */
const MAX_GROWTH = 10;
/** What takes less is not looked at: it may be noise. */
const NOISE_MS = 250;

/** Of the processor, so that a busy machine does not count. */
async function milliseconds(reader: HostileReader, input: Buffer): Promise<number> {
  const before = process.cpuUsage();
  try {
    await reader.read(input);
  } catch {
    // Refused, which has to be quick, too.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function pumped(seed: Buffer, place: number, part: string, length: number): Buffer {
  const at = Math.floor((seed.length * place) / PLACES);
  const middle = Buffer.from(part.repeat(Math.ceil(length / part.length)));
  return Buffer.concat([seed.subarray(0, at), middle, seed.subarray(at)]);
}

test.each(READERS)('$name: longer text takes longer, but not by its square', async (reader) => {
  const seed = Buffer.from(reader.seeds[0]!);
  const slow: string[] = [];
  let tried = 0;
  for (const part of PARTS) {
    for (let place = 0; place <= PLACES; place++) {
      tried += 1;
      const long = await milliseconds(reader, pumped(seed, place, part, SMALL * FACTOR));
      if (long < NOISE_MS) continue;
      const short = await milliseconds(reader, pumped(seed, place, part, SMALL));
      const again = await milliseconds(reader, pumped(seed, place, part, SMALL * FACTOR));
      const growth = Math.min(long, again) / short;
      if (growth > MAX_GROWTH)
        slow.push(`${JSON.stringify(part)} at ${place}/${PLACES}: ${short} ms, then ${again} ms`);
    }
  }
  recordFigure('texts made longer, to see time grow no faster', { tried, violations: slow.length });
  expect(slow).toEqual([]);
});
