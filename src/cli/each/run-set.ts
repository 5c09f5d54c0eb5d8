import { resolve } from 'node:path';
import { settleBeforeReading } from '../../files/journal/settle.js';
import { byCodePoint } from '../../text/code-point-order.js';
import type { AnyCommand } from '../command.js';
import type { CommandLine } from '../command-line.js';
import type { ExitCode } from '../exit-code.js';
import type { Io } from '../io/io.js';
import { errorReport, reportError } from '../report-error.js';
import { startingNow, type SomeArgs } from './set-args.js';
import type { PrintedResult } from './set-result.js';
import type { SharedSources } from './shared-sources.js';

/** One run of a command for one of many sets. */
interface SetRun {
  readonly command: AnyCommand;
  readonly args: SomeArgs;
  readonly set: string;
  readonly shared: SharedSources;
  readonly line: Pick<CommandLine, 'debug' | 'json'>;
}

/** Runs a command for one set; what it prints is kept, and an error it throws is its result. */
export async function runSet(
  { command, args, set, shared, line }: SetRun,
  io: Io,
): Promise<PrintedResult> {
  const out: string[] = [];
  const notes: string[] = [];
  const late = new Set<string>();
  let headline: string | undefined;
  let report: PrintedResult['report'];
  const own: Io = {
    ...io,
    out: (text) => void out.push(text),
    note: (text) => void notes.push(text),
    afterwards: (text) => void late.add(text),
    status: () => {},
    interactive: false,
    ask: undefined,
    headline: (text) => (headline = text),
    report: io.report && ((make) => (report = make)),
    shared,
  };
  let exitCode: ExitCode;
  try {
    // What a killed run left around the set, this one finishes or undoes.
    await settleBeforeReading(resolve(io.cwd, set));
    exitCode = await command.run(startingNow(args) as never, own);
  } catch (error) {
    // An answer that it could not write is none.
    out.length = 0;
    exitCode = reportError(error, line, own);
    report = async (name) => errorReport(error, name);
  }
  notes.push(...[...late].sort(byCodePoint));
  return {
    set,
    exitCode,
    headline: headline ?? firstError(notes),
    out: out.join(''),
    notes,
    report,
  };
}

function firstError(notes: readonly string[]): string {
  return notes.find((note) => note.startsWith('error: '))?.slice('error: '.length) ?? '';
}
