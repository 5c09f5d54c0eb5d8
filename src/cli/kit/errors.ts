import type { CommandLine } from './command-line.js';
import type { ErrorDocument } from './json-schema.js';
import { EXIT, type ExitCode, jsonDocument } from './command.js';
import {
  formatOrigin,
  InputError,
  messageOf,
  type Origin,
  SourceError,
} from '../../base/errors.js';
import { OutOfTime } from '../../base/time.js';
import { UsageError } from '../arguments/argument-errors.js';
import type { Report, ReportFinding } from '../findings/report.js';
import type { Io } from '../terminal/io.js';

/** An error as printed to stderr and in JSON. */
interface ErrorReport {
  readonly exitCode:
    typeof EXIT.bug | typeof EXIT.badInput | typeof EXIT.sourceFailed | typeof EXIT.gaveUp;
  /** One line for each problem in a user's file; errors of a registry have one line. */
  readonly lines: readonly string[];
  readonly hint: string | undefined;
  readonly origin?: Pick<Origin, 'file' | 'line'> | undefined;
}

/** Prints the error that ended a command, and returns the exit code. */
export function reportError(
  error: unknown,
  { debug, json }: Pick<CommandLine, 'debug' | 'json'>,
  io: Io,
): ExitCode {
  const { exitCode, lines, hint, origin } = reportOf(error, debug);
  io.headline(lines[0]!);
  if (json) {
    const failure = { message: lines.join('\n'), ...origin, hint };
    const document: ErrorDocument = { status: 'error', exitCode, error: failure };
    io.out(jsonDocument(document));
  }
  for (const [i, each] of lines.entries()) io.note(i === 0 ? `error: ${each}` : each);
  if (hint !== undefined) io.note(`hint: ${hint}`);
  if (debug && error instanceof Error)
    (error.stack ?? '').split('\n').forEach((each) => io.note(each));
  return exitCode;
}

/** Returns the report of a command that ended with an error. */
export function errorReport(error: unknown, command: string): Report {
  const { finding } = failureOf(error);
  const [text = ''] = finding.text.split('\n');
  const step = { name: command, status: 'failed', text, findings: [finding] } as const;
  return { command, headline: text, steps: [step] };
}

interface Failure {
  readonly exitCode: ExitCode;
  readonly finding: ReportFinding;
}

/** Returns the message for a mistake of the user or a failure of a source; undefined for a bug. */
export function expectedFailure(error: unknown): Failure | undefined {
  const failure = failureOf(error);
  return failure.exitCode === EXIT.bug ? undefined : failure;
}

function failureOf(error: unknown): Failure {
  const { exitCode, lines, hint, origin } = reportOf(error, false);
  const [first = '', ...more] = lines;
  const place = origin === undefined ? '' : `${formatOrigin(origin)}: `;
  const text = [first.startsWith(place) ? first.slice(place.length) : first, ...more].join('\n');
  const damaged = error instanceof SourceError && error.code === 'BAD_DIGEST';
  const rule = damaged ? 'bad-digest' : ERROR_RULES[exitCode];
  return { exitCode, finding: { rule, severity: 'error', fails: true, origin, text, fix: hint } };
}

const ERROR_RULES: Readonly<Record<ErrorReport['exitCode'], string>> = {
  [EXIT.bug]: 'bug',
  [EXIT.badInput]: 'bad-input',
  [EXIT.sourceFailed]: 'source-failed',
  [EXIT.gaveUp]: 'gave-up',
};

function reportOf(error: unknown, debug: boolean): ErrorReport {
  if (error instanceof UsageError) {
    return { exitCode: EXIT.badInput, lines: [error.message], hint: error.hint };
  }
  if (error instanceof InputError) {
    const { message, hint, origin } = error;
    const place = origin && { file: origin.file, line: origin.line };
    return { exitCode: EXIT.badInput, lines: message.split('\n'), hint, origin: place };
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
    lines: [`a bug in xpkg-resolve: ${messageOf(error)}`],
    hint: debug ? undefined : 'run again with --debug and report what it shows',
  };
}

/** Returns the message for an expired `--timeout`, with what the run was waiting for. */
export function outOfTimeText(reason: string): { readonly line: string; readonly hint: string } {
  return {
    line: `gave up: ${reason}`,
    hint: 'nothing was written; raise --timeout, or see with --trace what is slow',
  };
}
