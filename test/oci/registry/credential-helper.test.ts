import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCredentialHelper } from '../../../src/oci/registry/docker-credentials.js';

const HELPER = join(import.meta.dirname, '../../../build/src/oci/registry/docker-credentials.js');
/** Generous, because starting a process can be slow. */
const PATIENT_MS = 600_000;
const GOOD = `process.stdout.write('{"Username":"ann","Secret":"pw"}');`;
const HANGS = 'setInterval(() => {}, 60_000);';

let folder: string;
/** A helper in JavaScript and its child; each writes its process id to a file. */
const family = (name: string) => `
  const own = process.argv[2] === 'get' ? 'parent' : 'child';
  require('fs').writeFileSync(${JSON.stringify(folder)} + '/${name}-' + own, String(process.pid));
  if (own === 'parent') require('child_process').spawn(process.execPath, [__filename, 'x']);
  ${HANGS}`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'helpers-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function install(name: string, script: string): void {
  const file = join(folder, `docker-credential-${name}`);
  writeFileSync(file, `#!${process.execPath}\n${script}\n`);
  chmodSync(file, 0o755);
}

function ask(
  name: string,
  script: string,
  more: { timeoutMs?: number; signal?: AbortSignal } = {},
) {
  install(name, script);
  return runCredentialHelper(name, 'a.io', {
    env: { PATH: folder },
    timeoutMs: PATIENT_MS,
    ...more,
  });
}

/** Resolves when both processes run. */
async function started(name: string): Promise<readonly number[]> {
  const watcher = watch(folder);
  const pids = () =>
    ['parent', 'child'].map((who) => {
      try {
        return Number(readFileSync(join(folder, `${name}-${who}`), 'utf8'));
      } catch {
        return 0;
      }
    });
  while (pids().includes(0)) await once(watcher, 'change');
  watcher.close();
  return pids();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !/^\d+ \(.*\) Z/.test(readStat(pid));
}

/** Matches a zombie, whose parent may never reap it. */
function readStat(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}

async function allEnded(pids: readonly number[]): Promise<void> {
  while (pids.some(isAlive)) await setTimeout(5);
}

test('stderr of a helper is ignored', async () => {
  const noisy = `for (let i = 0; i < 50; i++) process.stderr.write('s3cret'.repeat(20_000)); ${GOOD}`;
  expect(await ask('noisy', noisy)).toMatchObject({ kind: 'basic', username: 'ann' });
});

test.each([
  { why: 'garbage', script: `process.stdout.write('s3cret');`, said: /failed \(exit 0\)/ },
  { why: 'half of an answer', script: `process.stdout.write('{"Username":"s3cret"');` },
  { why: 'an answer without a secret', script: `process.stdout.write('{"Username":"s3cret"}');` },
  { why: 'an answer, and fails', script: `${GOOD} process.exitCode = 3;`, said: /exit 3/ },
  { why: 'an answer, and is killed', script: `${GOOD} process.kill(process.pid, 'SIGKILL');` },
  { why: 'nothing, and fails', script: `process.stderr.write('s3cret'); process.exitCode = 1;` },
  {
    why: 'megabytes',
    script: `const more = () => process.stdout.write('s3cret'.repeat(10_000), more); more();`,
    said: /printed more than 1048576 bytes/,
  },
])('a helper that prints $why is rejected without showing its output', async ({ script, said }) => {
  const failure: unknown = await ask('wrong', script).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'UNAUTHORIZED' });
  expect(String(failure)).toMatch(said ?? /failed \(exit \d\)/);
  expect(inspect(failure, { depth: 9, showHidden: true })).not.toMatch(/s3cret|"pw"/);
});

test('a helper that reads nothing and one that prints nothing are harmless', async () => {
  expect(await ask('deaf', `process.stdin.destroy(); ${GOOD}`)).toMatchObject({ username: 'ann' });
  await expect(ask('silent', '')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

test('a helper that never ends is killed after the timeout', async () => {
  const asked = ask('hanging', HANGS, { timeoutMs: 50 });
  await expect(asked).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
    message: expect.stringContaining('did not answer within 50 ms') as string,
  });
});

test('a child of the helper is killed with it', async () => {
  const controller = new AbortController();
  const asked = ask('parent', family('parent'), { signal: controller.signal });
  const pids = await started('parent');
  controller.abort();
  await expect(asked).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  await allEnded(pids);
});

test('a child that keeps the output open does not delay the end of the helper', async () => {
  const script = `
    if (process.argv[2] === 'get') {
      require('child_process').spawn(process.execPath, [__filename, 'x'], { stdio: 'inherit' });
      ${GOOD}
      process.exit();
    }
    ${HANGS}`;
  await expect(ask('leaving', script, { timeoutMs: 500 })).rejects.toThrow(/did not answer/);
});

test.each(['SIGTERM', 'process.exit'])(
  'a helper is killed with this process, by %s',
  async (how) => {
    const name = how.replace('.', '-');
    install(name, family(name));
    const program = `
    import { runCredentialHelper } from ${JSON.stringify(HELPER)};
    const options = { env: { PATH: ${JSON.stringify(folder)} }, timeoutMs: ${PATIENT_MS} };
    void runCredentialHelper(${JSON.stringify(name)}, 'a.io', options);
    process.stdin.on('data', () => process.exit(5));`;
    const us = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    const pids = await started(name);
    if (how === 'SIGTERM') us.kill('SIGTERM');
    else us.stdin.write('x');
    await once(us, 'exit');
    await allEnded(pids);
  },
);
