import { readFileSync } from 'node:fs';
import { optimiseLater } from '../src/cli/io/optimise-later.js';
import { Driver } from '../src/driver/driver.js';
import { SourceMemory } from '../src/driver/source-memory.js';
import { targetFor } from '../src/model/target/target.js';
import { solve } from '../src/solver/solve.js';
import { memorySource } from '../src/sources/memory-source.js';
import { toProblem } from '../src/usecases/resolve/to-problem.js';
import { convert, type Instance } from '../test/support/depsuite.js';
import { quantile } from './markdown.js';

/**
 * `node --expose-gc solve-one.js FILE [command]`: solves an instance in this process, again and again, and prints
 * the milliseconds of processor time of the first solve (cold), of the fifteen after it (early) and of
 * fifteen once three seconds have gone into solving (warm): by then the code is compiled, as that of the
 * peers is from the start. All that was read is remembered from the first on, as the peers have it
 * in memory. What reading the instance leaves behind is collected before. With `command`, V8 is set as the
 * command sets it, which is soon at its end; a program that uses the library leaves V8 as it is.
 */
const SAMPLES = 15;
const WARM_UP = 3000;
/** A sample is of as many solves as take so long: a clock is no use for less. */
const SHORTEST_SAMPLE = 10;

const [file, as] = process.argv.slice(2);
if (as === 'command') optimiseLater();
const instance = JSON.parse(readFileSync(file!, 'utf8')) as Instance; // of this bench
const { universe, request } = convert(instance);
const target = targetFor('v2.3.4')!;
const memory = SourceMemory.of(memorySource(universe));
globalThis.gc!();
let answer = '';
let spent = 0;

const cold = await measured(1);
const early = await median(1);
while (spent < WARM_UP) await measured(1);
const warm = await median(Math.ceil(SHORTEST_SAMPLE / (await measured(1))));
process.stdout.write(`${JSON.stringify({ answer, cold, early, warm })}\n`);

async function median(solves: number): Promise<number> {
  const samples: number[] = [];
  while (samples.length < SAMPLES) samples.push(await measured(solves));
  return quantile(samples, 0.5);
}

/** Milliseconds of processor time for each of so many solves. */
async function measured(solves: number): Promise<number> {
  const started = process.cpuUsage();
  for (let i = 0; i < solves; i++) {
    const problem = toProblem(request, [target], { allowCycles: true, compat: true });
    const driver = new Driver(memory, { compat: true, goOn: () => true });
    const { status, effort } = await driver.drive(solve(problem), target);
    answer = `${status}, ${effort.conflicts} conflicts`;
  }
  const { user, system } = process.cpuUsage(started);
  const ms = (user + system) / 1000;
  spent += ms;
  return ms / solves;
}
