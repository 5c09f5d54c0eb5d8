import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { endChildGroup, withChildGroup } from '../../files/process/child-group.js';
import type { TimeBudget } from '../../model/time/time-budget.js';
import { SourceError } from '../../model/source-error.js';
import type { Credentials } from './credentials.js';
import { basicOrIdentity } from './docker-config.js';
import { fieldsOf, parseJson, stringOf } from '../../text/json.js';

interface HelperOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Ends the helper before that. */
  readonly signal?: AbortSignal | undefined;
}

/** Asks a helper, by name, for the credentials of a server. */
export type AskHelper = (name: string, server: string) => Promise<Credentials | undefined>;

const HELPER_TIMEOUT_MS = 30_000;

/**
 * Runs helpers that are installed on this machine, each once for a server; later calls get the
 * same answer, a failure too.
 */
export function installedHelpers(env: HelperOptions['env'], budget?: TimeBudget): AskHelper {
  const asked = new Map<string, ReturnType<AskHelper>>();
  const ask: AskHelper = (name, server) => {
    const options = { env, timeoutMs: HELPER_TIMEOUT_MS, signal: budget?.signal };
    const answer = askHelper(name, server, options);
    return budget?.wait(`the credential helper \`${programOf(name)}\``, answer) ?? answer;
  };
  return (name, server) => {
    const key = JSON.stringify([name, server]);
    const answer = asked.get(key) ?? ask(name, server);
    asked.set(key, answer);
    return answer;
  };
}

const HELPER_NAME = /^[A-Za-z0-9._-]+$/;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const NOT_FOUND = 'credentials not found in native keychain';

/**
 * Asks `docker-credential-NAME` for the credentials of a server; undefined: it has none.
 *
 * Run without a shell. What it prints is a secret, so no message repeats any of it.
 */
export async function askHelper(
  name: string,
  server: string,
  options: HelperOptions,
): Promise<Credentials | undefined> {
  const program = programOf(name);
  const fail = (what: string, hint: string) =>
    new SourceError('UNAUTHORIZED', server, what, { hint });
  if (!HELPER_NAME.test(name)) {
    throw fail(
      'the Docker config names a credential helper whose name is not allowed',
      'a helper name has letters, digits, `.`, `_` and `-` only',
    );
  }
  const ran = await run(program, server, options);
  if (ran.end === 'missing') {
    throw fail(
      `the Docker config names the credential helper \`${program}\`, which is not installed`,
      `put \`${program}\` on the PATH, or take it out of the Docker config`,
    );
  }
  if (ran.end === 'timeout') {
    throw fail(
      `\`${program}\` did not answer within ${options.timeoutMs} ms`,
      'it may be waiting for you: run it by hand once',
    );
  }
  if (ran.end === 'endless') {
    throw fail(
      `\`${program}\` printed more than ${MAX_OUTPUT_BYTES} bytes, which no credentials have`,
      `run \`echo ${server} | ${program} get\` to see what it prints`,
    );
  }
  if (ran.end === 'unusable') {
    throw fail(
      `the Docker config names the credential helper \`${program}\`, which cannot be run`,
      `make \`${program}\` executable, or take it out of the Docker config`,
    );
  }
  if (ran.end !== 0 && ran.output.includes(NOT_FOUND)) return undefined;
  const answer = fieldsOf(parseJson(ran.output)?.value);
  const [user, secret] = [stringOf(answer?.get('Username')), stringOf(answer?.get('Secret'))];
  if (ran.end !== 0 || user === undefined || secret === undefined) {
    throw fail(
      `\`${program}\` failed (exit ${ran.end}); what it printed is not shown, for it may be secret`,
      `run \`echo ${server} | ${program} get\` to see why`,
    );
  }
  return basicOrIdentity(user, secret);
}

function programOf(name: string): string {
  return `docker-credential-${name}`;
}

interface Ran {
  /** Exit code, or why there is none. */
  readonly end: number | 'missing' | 'unusable' | 'timeout' | 'endless';
  readonly output: string;
}

/** Runs a helper in a process group of its own, which ends with it where it does not end well. */
async function run(program: string, input: string, options: HelperOptions): Promise<Ran> {
  const child = spawn(program, ['get'], {
    env: { ...options.env },
    stdio: ['pipe', 'pipe', 'ignore'],
    shell: false,
    windowsHide: true,
    detached: true,
  });
  // A helper that exits without reading breaks the pipe; its exit code says enough.
  child.stdin.on('error', () => undefined).end(input);
  return withChildGroup(child, outcomeOf(child, options));
}

function outcomeOf(
  child: ChildProcessByStdio<Writable, Readable, null>,
  { timeoutMs, signal }: HelperOptions,
): Promise<Ran> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (ran: Ran) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', late);
      resolve(ran);
    };
    const kill = (why: 'timeout' | 'endless') => {
      end({ end: why, output: '' });
      child.stdout.destroy();
      endChildGroup(child);
    };
    const late = () => kill('timeout');
    const timer = setTimeout(late, timeoutMs);
    signal?.addEventListener('abort', late);
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes > MAX_OUTPUT_BYTES) kill('endless');
    });
    child.on('error', (error: NodeJS.ErrnoException) =>
      end({ end: error.code === 'ENOENT' ? 'missing' : 'unusable', output: '' }),
    );
    child.on('close', (code) =>
      end({ end: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }),
    );
  });
}
