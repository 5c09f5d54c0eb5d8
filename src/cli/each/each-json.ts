import { EXIT } from '../exit-code.js';
import type { PartShard } from './parts/asked.js';
import type { PrintedResult } from './set-result.js';

/** Of which part of how many sets a line is; absent: all were run at once. */
export interface ShardedLine extends PartShard {
  readonly sets: number;
}

/** A line of JSON: what the command prints for the set alone, and whose it is. */
export function eachJsonLine(
  { set, exitCode, headline, out, notes }: PrintedResult,
  shard: ShardedLine | undefined,
): string {
  const { schemaVersion: _, ...document } = (
    out === '' ? withoutDocument(exitCode, headline, notes) : JSON.parse(out)
  ) as Record<string, unknown>;
  const line = { schemaVersion: 1, set, exitCode, headline, shard, ...document };
  return `${JSON.stringify(line)}\n`;
}

function withoutDocument(
  exitCode: PrintedResult['exitCode'],
  headline: string,
  notes: readonly string[],
): object {
  if (exitCode === EXIT.done) return { status: 'passed-over' };
  return { status: 'error', exitCode, error: { message: headline || notes.join('\n') } };
}
