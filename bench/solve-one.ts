import { readFileSync } from 'node:fs';
import { optimizeLater } from '../src/cli/terminal/process.js';
import { Driver } from '../src/resolver/driver/driver.js';
import { SourceReader } from '../src/resolver/driver/source-reader.js';
import { targetFor } from '../src/crossplane/releases/target.js';
import { solve } from '../src/resolver/solver/solve.js';
import { memorySource } from '../src/sources/memory-source.js';
import { toProblem } from '../src/resolver/resolve/to-problem.js';
import { convert, type Instance } from '../test/support/depsuite.js';
import { quantile } from './markdown.js';

/**
 * `node --expose-gc solve-one.js FILE [command]`: solves an instance in this process repeatedly,
 * and prints the CPU milliseconds of the first solve (cold), of the fifteen after it (early) and of
 * fifteen after three seconds of solving (warm). By then the code is compiled, like that of the
 * peers. Everything that was read is cached from the first solve on, like in the peers. Garbage of
 * reading the instance is collected before. With `command`, V8 is configured as in the command,
 * which is a short process; a program that uses the library does not configure V8.
 */
const SAMPLES = 15;
const WARM_UP = 3000;
/**
 * A sample contains as many solves as take this long, because a shorter time cannot be measured.
 */
const SHORTEST_SAMPLE = 10;

const [file, as] = process.argv.slice(2);
if (as === 'command') optimizeLater();
const instance = JSON.parse(readFileSync(file!, 'utf8')) as Instance; // of this bench
const { universe, request } = convert(instance);
const target = targetFor('v2.3.4')!;
const memory = SourceReader.of(memorySource(universe));
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

/** Returns the CPU milliseconds per solve. */
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
