import { afterAll, expect, test } from 'vitest';
import { seededDraw } from '../../src/base/collections.js';
import { recordFigure } from '../support/figures.js';
import { CommandWorld } from './command-world.js';
import { generatedInputs } from './generated-inputs.js';
import { mutatedInput } from './mutated-input.js';
import { hostileOutcome, type HostileReader } from './reader.js';
import { CacheWorld, cacheReaders } from './readers/cache-readers.js';
import { commandReaders } from './readers/command-readers.js';
import { FILE_READERS } from './readers/file-readers.js';
import { IMAGE_READERS } from './readers/image-readers.js';
import { sparseIndexReaders } from './readers/sparse-index-readers.js';
import { REGISTRY_READERS } from './readers/registry-readers.js';
import { TEXT_READERS } from './readers/text-readers.js';

/** Number of inputs for a reader with share 1; `npm run hostile` uses more. */
const INPUTS = Number(process.env['XPKG_HOSTILE_INPUTS'] ?? 40);
/** The seed for random inputs. */
const SEED = Number(process.env['XPKG_HOSTILE_SEED'] ?? 1) * 1_000_000;
const MAX_SHOWN = 5;

const world = await CommandWorld.make();
const caches = new CacheWorld();
afterAll(() => {
  world.remove();
  caches.remove();
});

const READERS: readonly HostileReader[] = [
  ...TEXT_READERS,
  ...REGISTRY_READERS,
  ...IMAGE_READERS,
  ...FILE_READERS,
  ...(await sparseIndexReaders()),
  ...cacheReaders(caches),
  ...commandReaders(world),
];

/** Yields mutated seeds, and a fifth as many generated inputs. */
function* inputsFor(reader: HostileReader, seeds: readonly Buffer[]): Generator<Buffer> {
  const count = Math.ceil(INPUTS * (reader.share ?? 1));
  for (let i = 0; i < count; i++) yield mutatedInput(reader.form, seeds, seededDraw(SEED + i));
  yield* generatedInputs(reader.form, Math.ceil(count / 5), SEED);
}

test.each(READERS)('$name: any input is read, or rejected with a message', async (reader) => {
  const seeds = reader.seeds.map((seed) => Buffer.from(seed));
  expect(await hostileOutcome(reader, seeds[0]!)).toEqual({ read: expect.any(String) as string });
  const counts = { read: 0, refused: 0 };
  const violations: string[] = [];
  for (const input of inputsFor(reader, seeds)) {
    const outcome = await hostileOutcome(reader, input);
    if ('read' in outcome) counts.read += 1;
    else if ('refused' in outcome) counts.refused += 1;
    else
      violations.push(`${outcome.violation}\n${JSON.stringify(input.toString().slice(0, 3000))}`);
    if (violations.length === MAX_SHOWN) break;
  }
  const tried = counts.read + counts.refused + violations.length;
  recordFigure(`inputs: ${reader.name}`, { tried, violations: violations.length });
  expect(violations).toEqual([]);
});
