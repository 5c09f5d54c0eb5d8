import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dirname, '../support/tools.sh');
const bin = output('bash', [SCRIPT, 'bin'], {}, '').trim();

/** Runs a tool that `test/support/tools.sh` installs; throws if it is missing or fails. */
export function tool(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string {
  return output(name, args, env, `${bin}:`);
}

/** Returns the path of a program that `test/support/tools.sh` builds. */
export function toolPath(name: string): string {
  return join(bin, name);
}

function output(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  before: string,
): string {
  const PATH = `${before}${process.env['PATH']}`;
  const ran = spawnSync(program, args, {
    env: { ...process.env, ...env, PATH },
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (ran.error !== undefined) {
    throw new Error(`\`${program}\` cannot be run: is it installed? (test/support/tools.sh)`, {
      cause: ran.error,
    });
  }
  if (ran.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${ran.stderr}${ran.stdout}`);
  return ran.stdout;
}
