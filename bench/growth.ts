import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { targetFor } from '../src/crossplane/releases/target.js';
import { Driver } from '../src/resolver/driver/driver.js';
import { toProblem } from '../src/resolver/resolve/to-problem.js';
import { solve } from '../src/resolver/solver/solve.js';
import { memorySource } from '../src/sources/memory-source.js';
import { convert, type Instance } from '../test/support/depsuite.js';
import { FAMILIES } from './families.js';
import { markdown } from './markdown.js';
import { askPeer, presentPeers } from './peers.js';

const RUNS = 3;

/** The note on instances with ownership. */
const UNTOLD =
  'molinillo is not told of ownership; to others it is packages that exclude each other';
/** The note on all instances. */
const APART =
  'z3, cadical and minisat are given all metadata at once and look for any answer, not the preferred one; libsolv is given all of it as well.';

/** Measures how the effort of each family grows with its size, with the peers on this machine. */
export async function growth(): Promise<string> {
  const { present, missing } = presentPeers();
  const folder = mkdtempSync(join(tmpdir(), 'xpkg-bench-'));
  const file = join(folder, 'instance.json');
  const rows: (string | number)[][] = [];
  for (const { make, sizes } of FAMILIES) {
    for (const size of sizes) {
      const instance = make(size);
      writeFileSync(file, JSON.stringify({ format: 'depsuite/1', expected: {}, ...instance }));
      const ours = await measure(instance);
      const peers = present.map((peer) => askPeer(peer, file));
      const { status, decisions, conflicts, fetched, ms } = ours;
      const own = [instance.id, status, decisions, conflicts, fetched, ms.toFixed(1)];
      rows.push([...own, ...peers, instance.owns === undefined ? '' : UNTOLD]);
    }
  }
  rmSync(folder, { recursive: true });
  const head = ['instance', 'answer', 'decisions', 'conflicts', 'fetched', 'ms'];
  const without =
    missing.length === 0 ? '' : `\nPeers not on this machine: ${missing.join(', ')}.\n`;
  const names = present.map(({ name }) => `${name}, ms`);
  return `${markdown([[...head, ...names, 'not the same'], ...rows])}\n${APART}\n${without}`;
}

async function measure(instance: Instance) {
  const { universe, request } = convert(instance);
  const target = targetFor('v2.3.4')!;
  const problem = toProblem(request, [target], { allowCycles: true, compat: true });
  let best = Infinity;
  for (let run = 1; ; run++) {
    const driver = new Driver(memorySource(universe), { compat: true, goOn: () => true });
    const started = performance.now();
    const { status, effort } = await driver.drive(solve(problem), target);
    best = Math.min(best, performance.now() - started);
    if (run === RUNS) return { status, ...effort, fetched: driver.counts.fetched, ms: best };
  }
}
