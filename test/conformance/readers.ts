import { spawnSync } from 'node:child_process';
import { toolPath } from './tools.js';

/** Returns the results of Crossplane's Go libraries for each input (readers/*.go). */
export function askReaders<T>(
  what: 'layer' | 'yaml' | 'image' | 'json',
  inputs: readonly Uint8Array[],
): T[] {
  const framed = inputs.flatMap((input) => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(input.length);
    return [size, input];
  });
  const ran = spawnSync(toolPath('readers'), [what], {
    input: Buffer.concat(framed),
    maxBuffer: 2 ** 30,
  });
  if (ran.status !== 0) {
    throw new Error(`readers ended with ${ran.status}: ${ran.stderr?.toString() ?? ran.error}`);
  }
  const lines = ran.stdout.toString().trimEnd().split('\n');
  if (lines.length !== inputs.length) throw new Error('readers left inputs unanswered');
  return lines.map((line) => JSON.parse(line) as T);
}
