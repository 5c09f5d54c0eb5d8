import { readFileSync } from 'node:fs';
import { Driver } from '../src/driver/driver.js';
import { SourceMemory } from '../src/driver/source-memory.js';
import { targetFor } from '../src/model/target/target.js';
import { solve } from '../src/solver/solve.js';
import { memorySource } from '../src/sources/memory-source.js';
import { toProblem } from '../src/usecases/resolve/to-problem.js';
import { convert, type Instance } from '../test/support/depsuite.js';
import { quantile } from './markdown.js';

/**
 * `node solve-one.js FILE RUNS`: solves an instance in this process, again and again, and prints
 * the milliseconds of processor time of the first solve and of a later one. All that was read is remembered
 * from the first on, as the peers have it in memory from the start.
 */
const [file, runs] = process.argv.slice(2);
const instance = JSON.parse(readFileSync(file!, 'utf8')) as Instance; // of this bench
const { universe, request } = convert(instance);
const target = targetFor('v2.3.4')!;
const memory = SourceMemory.of(memorySource(universe));
const times: number[] = [];
let answer = '';
for (let run = 0; run <= Number(runs); run++) {
  const started = process.cpuUsage();
  const problem = toProblem(request, [target], { allowCycles: true, compat: true });
  const driver = new Driver(memory, { compat: true, goOn: () => true });
  const { status, effort } = await driver.drive(solve(problem), target);
  const { user, system } = process.cpuUsage(started);
  times.push((user + system) / 1000);
  answer = `${status}, ${effort.conflicts} conflicts`;
}
const [cold, ...warm] = times;
process.stdout.write(`${JSON.stringify({ answer, cold, warm: quantile(warm, 0.5) })}\n`);
