import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const SIGNALS = join(import.meta.dirname, '../../build/src/base/process.js');

/** Runs a program that sends itself SIGTERM. Returns its output and the signal that ended it. */
async function run(body: string) {
  const program = `
    import { cleaningUpOnSignal, delayingSignals } from ${JSON.stringify(SIGNALS)};
    import { writeSync } from 'node:fs';
    import { setTimeout } from 'node:timers/promises';
    const say = (word) => writeSync(1, word + ' ');
    const stop = () => process.kill(process.pid, 'SIGTERM');
    ${body}
    await setTimeout(60_000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  const [said, [, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { said: said.trim(), signal: signal as unknown };
}

test.each([
  {
    why: 'an action that delays signals runs to its end',
    body: `await delayingSignals(async () => { say('begun'); stop(); await setTimeout(50); say('ended'); });
      say('too late');`,
    said: 'begun ended',
  },
  {
    why: 'the clean-up runs first',
    body: `await cleaningUpOnSignal(() => say('cleaned'), async () => { stop(); await setTimeout(60_000); });`,
    said: 'cleaned',
  },
  {
    why: 'the clean-up waits for an action that delays signals',
    body: `await cleaningUpOnSignal(() => say('cleaned'), () =>
      delayingSignals(async () => { stop(); await setTimeout(50); say('ended'); }));`,
    said: 'ended cleaned',
  },
  {
    why: 'nothing is cleaned up once the action is over',
    body: `await cleaningUpOnSignal(() => say('cleaned'), async () => say('ended')); stop();`,
    said: 'ended',
  },
])('$why, and the signal ends the process', async ({ body, said }) => {
  expect(await run(body)).toEqual({ said, signal: 'SIGTERM' });
});
