import { spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { chmod, cp, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../src/cli/kit/command.js';
import { on, status } from './support/registry/faults.js';
import { packageImage } from './support/registry/image.js';
import { Registry, type Fault } from './support/registry/registry.js';

const MAIN = join(import.meta.dirname, '../dist/main.js');
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'main-'));
});
afterEach(() => rm(folder, { recursive: true }));

const yaml = (name: string, dependsOn: readonly object[]) =>
  JSON.stringify({
    apiVersion: 'meta.pkg.crossplane.io/v1',
    kind: 'Provider',
    metadata: { name },
    spec: { dependsOn },
  });

/** Provider a, whose every version wants an old b; the newest b is never sent. */
async function waiting(fault?: Fault): Promise<Registry> {
  const asked = new EventEmitter();
  const isAsked = once(asked, 'newest b');
  const never: Fault = () => asked.emit('newest b');
  // Answered only then, or the run could fail before it asks ahead.
  const onceAsked: Fault = (...exchange) => {
    void isAsked.then(() => fault!(...exchange));
    return true;
  };
  const onA = fault === undefined ? [] : [on('/provider-x-a/manifests/', onceAsked)];
  const registry = await new Registry({
    faults: [...onA, on('/provider-x-b/manifests/v3.0.0', never)],
  }).start();
  const [a, b] = ['a', 'b'].map((name) => `x/provider-x-${name}`);
  const needs = [{ provider: `${registry.host}/${b}`, version: '<v2.0.0' }];
  const image = await packageImage(yaml('a', needs));
  const other = await packageImage(yaml('b', []));
  registry.push(a!, 'v1.0.0', image).push(a!, 'v1.1.0', image);
  return registry.push(b!, 'v1.0.0', other).push(b!, 'v3.0.0', other);
}

async function run({ host }: Registry) {
  const refs = ['a', 'b'].map((name) => `${host}/x/provider-x-${name}@>=v1.0.0`);
  const flags = ['--crossplane', 'v2.3.4', '--no-write', '-o', 'json', '--cache', 'cache'];
  const child = spawn(process.execPath, [MAIN, 'resolve', ...refs, ...flags], { cwd: folder });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { stdout, code: code as number };
}

test.each([
  { why: 'the answer is there', fault: undefined, code: EXIT.done },
  {
    why: 'the run has failed',
    fault: status(403),
    code: EXIT.sourceFailed,
  },
])(
  'once $why, requests made ahead in vain do not keep the process alive',
  async ({ fault, code }) => {
    const registry = await waiting(fault);
    try {
      const ended = await run(registry);
      expect(ended.code).toBe(code);
      const { status: outcome } = JSON.parse(ended.stdout) as { readonly status: string };
      expect(outcome !== 'error').toBe(code === EXIT.done);
      // Asked once and never answered: it was not waited for long enough to be asked again.
      const vain = registry.asked.filter((line) => line.includes('/provider-x-b/manifests/v3.0.0'));
      expect(vain).toHaveLength(1);
    } finally {
      await registry.stop();
    }
  },
);

/** Runs the command after some JavaScript; `stdout` is where its output goes. */
async function runAfter(
  preload: string,
  argv: readonly string[],
  stdout: 'pipe' | number = 'pipe',
) {
  const flag = `--import=data:text/javascript,${encodeURIComponent(preload)}`;
  const child = spawn(process.execPath, [flag, MAIN, ...argv], {
    cwd: folder,
    stdio: ['ignore', stdout, 'pipe'],
  });
  const [stderr, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  return { stderr, code: code as number };
}

/** Lets the run wait for a file forever, after `and`. */
const waitingForever = (and: string) => `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  fs.promises.stat = () => { ${and}; return new Promise(() => {}); };
  syncBuiltinESMExports();
`;

test.each([
  { why: 'nothing is left that could end it', and: '', says: 'something that will never come' },
  { why: 'a callback throws', and: "setTimeout(() => { throw new Error('boom'); })", says: 'boom' },
  { why: 'a promise is forgotten', and: "void Promise.reject(new Error('boom'))", says: 'boom' },
])('a run in which $why ends with exit 1 and a message', async ({ and, says }) => {
  const argv = ['resolve', 'xpkg.io/a/p@v1.0.0', '--from', 'layout:none', '--no-write'];
  const { stderr, code } = await runAfter(waitingForever(and), argv);
  expect(code).toBe(EXIT.bug);
  expect(stderr).toMatch(new RegExp(`^error: a bug in xpkg-resolve: .*${says}$`, 'm'));
  expect(stderr).toContain('hint: run again with --debug');
});

test('output that cannot be written is no success', async () => {
  const full = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { writeSync } = fs;
    fs.writeSync = (fd, ...rest) => {
      if (fd === 1) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      return writeSync(fd, ...rest);
    };
    syncBuiltinESMExports();
  `;
  const file = await open(join(folder, 'out'), 'w');
  try {
    const { stderr, code } = await runAfter(full, ['--help'], file.fd);
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toContain('error: the output cannot be written: no space left');
  } finally {
    await file.close();
  }
});

/** Root may write everywhere; without this capability, permissions hold for it as well. */
const asUser = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];
const canDropRights =
  asUser.length === 0 || spawnSync(asUser[0]!, [...asUser.slice(1), 'true']).status === 0;

test.runIf(process.platform !== 'win32' && canDropRights)(
  'a read-only folder fails with a sentence, before an answer is printed',
  async () => {
    const packages = `dir:${join(import.meta.dirname, '../fixtures/packages')}`;
    await cp(join(import.meta.dirname, '../fixtures/demo'), folder, { recursive: true });
    await chmod(folder, 0o555);
    const argv = [process.execPath, MAIN, 'resolve', '-f', '.', '--from', packages];
    const [program, ...args] = [...asUser, ...argv];
    const child = spawn(program!, args, { cwd: folder });
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    await chmod(folder, 0o755);
    expect({ code: code as number, stdout }).toEqual({ code: EXIT.badInput, stdout: '' });
    expect(stderr).toContain(`you may not write to the folder \`${folder}\` (EACCES)`);
    expect(stderr).toContain('hint: nothing was changed; change the permissions of the folder');
    expect(stderr).not.toContain('symlink');
  },
);

test('nothing is said of flags that are set for the engine, whichever it is', async () => {
  const child = spawn(process.execPath, [MAIN, '--version']);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(stderr).toBe('');
});
