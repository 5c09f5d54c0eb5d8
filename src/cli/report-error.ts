import { formatOrigin, InputError } from '../model/input-error.js';
import { SourceError } from '../model/source-error.js';
import { OutOfTime } from '../model/time/out-of-time.js';
import type { Report, ReportFinding } from '../report/report.js';
import type { CommandLine } from './command-line.js';
import { EXIT, type ExitCode } from './exit-code.js';
import type { Io } from './io/io.js';
import { outOfTimeText } from './output/answer/out-of-time.js';
import { jsonDocument } from './output/json-document.js';
import { UsageError } from './usage-error.js';

/** An error as it is told, on stderr and in JSON. */
interface ErrorReport {
  readonly exitCode:
    typeof EXIT.bug | typeof EXIT.badInput | typeof EXIT.sourceFailed | typeof EXIT.gaveUp;
  /** Of a user's file several problems may be told, a line each; a registry's text gets one line. */
  readonly lines: readonly string[];
  readonly hint: string | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
}

/** Tells an error that ended a command, and says how the process should end. */
export function reportError(
  error: unknown,
  { debug, json }: Pick<CommandLine, 'debug' | 'json'>,
  io: Io,
): ExitCode {
  const { exitCode, lines, hint, file, line } = reportOf(error, debug);
  io.headline(lines[0]!);
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

/** The report of a command that an error ended. */
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

/** What a user or the world got wrong; undefined: it is a bug. */
export function expectedFailure(error: unknown): Failure | undefined {
  const failure = failureOf(error);
  return failure.exitCode === EXIT.bug ? undefined : failure;
}

function failureOf(error: unknown): Failure {
  const { exitCode, lines, hint, file, line } = reportOf(error, false);
  const origin = file === undefined ? undefined : { file, line };
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
