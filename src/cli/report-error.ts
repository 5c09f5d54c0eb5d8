import { InputError } from '../model/input-error.js';
import { SourceError } from '../model/source-error.js';
import { OutOfTime } from '../model/time/out-of-time.js';
import type { CommandLine } from './command-line.js';
import { EXIT, type ExitCode } from './exit-code.js';
import type { Io } from './io/io.js';
import { outOfTimeText } from './output/answer/out-of-time.js';
import { jsonDocument } from './output/json-document.js';
import { UsageError } from './usage-error.js';

/** An error as it is told, on stderr and in JSON. */
interface ErrorReport {
  readonly exitCode: ExitCode;
  /** Of a user's file several problems may be told, a line each; a registry's text gets one line. */
  readonly lines: readonly string[];
  readonly hint: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** Tells an error that ended a command, and says how the process should end. */
export function reportError(error: unknown, { debug, json }: CommandLine, io: Io): ExitCode {
  const { exitCode, lines, hint, file, line } = reportOf(error, debug);
  const message = lines.join('\n');
  if (json) {
    io.out(jsonDocument({ status: 'error', exitCode, error: { message, file, line, hint } }));
  }
  for (const [i, each] of lines.entries()) io.note(i === 0 ? `error: ${each}` : each);
  if (hint !== undefined) io.note(`hint: ${hint}`);
  if (debug && error instanceof Error)
    (error.stack ?? '').split('\n').forEach((each) => io.note(each));
  return exitCode;
}

function reportOf(error: unknown, debug: boolean): ErrorReport {
  if (error instanceof UsageError) {
    return { exitCode: EXIT.badInput, lines: [error.message], hint: error.hint };
  }
  if (error instanceof InputError) {
    const { message, hint, origin } = error;
    const place = origin === undefined ? {} : { file: origin.file, line: origin.line };
    return { exitCode: EXIT.badInput, lines: message.split('\n'), hint, ...place };
  }
  if (error instanceof SourceError) {
    return { exitCode: EXIT.sourceFailed, lines: [error.message], hint: error.hint };
  }
  if (error instanceof OutOfTime) {
    const { line, hint } = outOfTimeText(error.message);
    return { exitCode: EXIT.gaveUp, lines: [line], hint };
  }
  return {
    exitCode: EXIT.bug,
    lines: [`a bug in xpkg-resolve: ${error instanceof Error ? error.message : String(error)}`],
    hint: debug ? undefined : 'run again with --debug and report what it shows',
  };
}
