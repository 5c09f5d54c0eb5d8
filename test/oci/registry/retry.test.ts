import { expect, test } from 'vitest';
import {
  asTransient,
  isTransientStatus,
  withRetries,
  RETRY_POLICY,
  TransientError,
} from '../../../src/oci/registry/retry.js';
import { TestClock } from '../../support/registry/client.js';

async function failing(): Promise<never> {
  throw new TransientError('x');
}

test('no attempt starts after the deadline', async () => {
  const clock = new TestClock();
  let tries = 0;
  const slow = async () => {
    tries += 1;
    clock.pass(100_000);
    throw new TransientError('slow');
  };
  await expect(withRetries(slow, clock, RETRY_POLICY)).rejects.toThrow('slow');
  expect(tries).toBe(2);
});

test('waits grow up to a limit, with jitter', async () => {
  const policy = { ...RETRY_POLICY, maxTries: 9, deadlineMs: Infinity };
  const waits = async (chance: number) => {
    const clock = new TestClock();
    const fixed = {
      now: () => clock.now(),
      sleep: (ms: number) => clock.sleep(ms),
      random: () => chance,
    };
    await withRetries(failing, fixed, policy).catch(() => undefined);
    return clock.slept;
  };
  expect(await waits(1)).toEqual([1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]);
  expect(await waits(0)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
});

test.each([
  { code: 'ECONNRESET', passes: true },
  { code: 'UND_ERR_SOCKET', passes: true },
  { code: 'UND_ERR_CONNECT_TIMEOUT', passes: true },
  { code: 'EAI_AGAIN', passes: true },
  { code: 'ENOTFOUND', passes: false },
  { code: 'ECONNREFUSED', passes: false },
  { code: 'CERT_HAS_EXPIRED', passes: false },
  { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', passes: false },
])('$code is retried: $passes', ({ code, passes }) => {
  const error = Object.assign(new Error('x'), { code });
  expect(asTransient(error) instanceof TransientError).toBe(passes);
});

test('only transient failures are retried', () => {
  const statuses = [400, 401, 403, 404, 405, 408, 410, 421, 429, 451, 500, 502, 503, 504];
  expect(statuses.filter(isTransientStatus)).toEqual([408, 429, 500, 502, 503, 504]);
});
