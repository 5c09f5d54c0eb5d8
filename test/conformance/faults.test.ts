import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../src/commands.js';
import { realClock } from '../../src/base/time.js';
import { fakeIo } from '../support/fake-io.js';
import { recordFigure } from '../support/figures.js';
import {
  CAMPAIGNS,
  FaultWorld,
  FURTHER_CAMPAIGNS,
  newTally,
  type RunCommand,
} from '../support/registry/fault-campaign.js';
import { FAULTS, STALLING_FAULTS } from '../support/registry/fault-list.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
/**
 * Only every STRIDE-th pair of a fault and a request is tested, so that each fault affects some
 * requests and each request some faults. With 1 all pairs are tested, which takes minutes.
 */
const STRIDE = Number(process.env['XPKG_FAULT_STRIDE'] ?? 6);
/** The stride for variants of a campaign. */
const WIDE_STRIDE = STRIDE === 1 ? 1 : STRIDE * 4;
const tally = newTally();

/** Runs a command in this process, with a clock that does not wait between attempts. */
const inProcess: RunCommand = async (argv, { cwd, env }) => {
  const io = fakeIo({ cwd, env });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
};

const asProcess: RunCommand = async (argv, { cwd, env }) => {
  const child = spawn(process.execPath, [MAIN, ...argv], { cwd, env, stdio: 'pipe' });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  await once(child, 'close');
  const [stdout, stderr] = await said;
  return { code: child.exitCode ?? -1, stdout, stderr };
};

const waiting = { ...realClock };
beforeAll(() => {
  realClock.sleep = async () => undefined;
});
afterAll(() => {
  Object.assign(realClock, waiting);
  const ends = [...tally.ends]
    .sort(([a], [b]) => a - b)
    .map(([code, count]) => `${count} × exit ${code}`);
  process.stdout.write(
    `registry faults: ${tally.tried} runs (${ends.join(', ')}), ${tally.violations.length} violations\n`,
  );
});

/** Runs campaigns in parallel, each in its own world; fails with all violations. */
async function holds(
  run: RunCommand,
  faults: typeof FAULTS,
  {
    times = Infinity,
    stride = STRIDE,
    flags = [] as readonly string[],
    campaigns = CAMPAIGNS,
  } = {},
): Promise<void> {
  const own = newTally();
  await Promise.all(
    campaigns.map(async (campaign) => {
      const world = await FaultWorld.start(run);
      await world.run(campaign, faults, { times, stride, flags, tally: own });
      await world.stop();
    }),
  );
  tally.tried += own.tried;
  for (const [code, count] of own.ends) tally.ends.set(code, (tally.ends.get(code) ?? 0) + count);
  tally.violations.push(...own.violations);
  recordFigure('faults of a registry, met by commands', {
    tried: own.tried,
    violations: own.violations.length,
  });
  expect(own.violations).toEqual([]);
  expect(own.tried).toBeGreaterThan(0);
}

describe('for any fault at any request, outputs are correct, or unchanged with exit code 5 or 7', () => {
  test('every fault, for every repetition of the request', () => holds(inProcess, FAULTS));

  test('every fault, once', () => holds(inProcess, FAULTS, { times: 1, stride: WIDE_STRIDE }));

  test('every fault, with other initial states', () =>
    holds(inProcess, FAULTS, { stride: WIDE_STRIDE, campaigns: FURTHER_CAMPAIGNS }));

  test('delays, until the time limit', () =>
    holds(inProcess, STALLING_FAULTS, { flags: ['--timeout', '0.4'] }));

  test('a sample of them, in separate processes', () => {
    const sample = ['a web page, not found', 'another digest', 'a redirect into the network'];
    const faults = Object.fromEntries(sample.map((name) => [name, FAULTS[name]!]));
    const campaigns = CAMPAIGNS.filter(({ name }) => ['update', 'verify'].includes(name));
    return holds(asProcess, faults, { campaigns });
  });
});
