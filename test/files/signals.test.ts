import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const SIGNALS = join(import.meta.dirname, '../../build/src/files/signals.js');

/** Runs a program that gets SIGTERM from itself; what it printed and what ended it. */
async function run(body: string) {
  const program = `
    import { cleaningUpOnSignal, holdingSignals } from ${JSON.stringify(SIGNALS)};
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
    why: 'an action that holds signals runs to its end',
    body: `await holdingSignals(async () => { say('begun'); stop(); await setTimeout(50); say('ended'); });
      say('too late');`,
    said: 'begun ended',
  },
  {
    why: 'what is registered is cleaned up first',
    body: `await cleaningUpOnSignal(() => say('cleaned'), async () => { stop(); await setTimeout(60_000); });`,
    said: 'cleaned',
  },
  {
    why: 'cleaning up waits for an action that holds signals',
    body: `await cleaningUpOnSignal(() => say('cleaned'), () =>
      holdingSignals(async () => { stop(); await setTimeout(50); say('ended'); }));`,
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
