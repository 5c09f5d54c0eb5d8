import type { PartShard } from './shards.js';
import type { MakeReport } from '../findings/report.js';
import { byCodePoint } from '../../base/collections.js';
import { EXIT, type ExitCode } from '../kit/command.js';
import {
  count,
  oneOf,
  outputSchema,
  record,
  shardFields,
  type Static,
  text,
} from '../kit/json-schema.js';
import type { Io } from '../terminal/io.js';
import { columns, amount } from '../terminal/package-text.js';

export interface ProjectResult {
  /** Its file, as found by the pattern. */
  readonly set: string;
  readonly exitCode: ExitCode;
  /** The result in one line. */
  readonly headline: string;
}

/** A result, and what the command printed for the project. */
export interface PrintedResult extends ProjectResult {
  /** To stdout. */
  readonly out: string;
  /** To stderr, line by line. */
  readonly notes: readonly string[];
  /** For `--format`; undefined: the command had nothing to report. */
  readonly report?: MakeReport | undefined;
}

/**
 * The words for exit codes in a table, from the mildest to the worst. Findings come with an answer,
 * and a stale lockfile can be updated. The reasons for an unsolvable set are known, those for
 * giving up are not.
 */
const RESULT_WORDS: ReadonlyMap<ExitCode, string> = new Map([
  [EXIT.done, 'ok'],
  [EXIT.findings, 'findings'],
  [EXIT.lockMismatch, 'mismatch'],
  [EXIT.unsolvable, 'unsolvable'],
  [EXIT.gaveUp, 'gave up'],
  [EXIT.sourceFailed, 'source failed'],
  [EXIT.badInput, 'bad input'],
  [EXIT.bug, 'bug'],
]);

const BY_SEVERITY = [...RESULT_WORDS.keys()];

/** Returns the worst exit code of several runs; 0 if there are none. */
export function worstExitCode(codes: readonly ExitCode[]): ExitCode {
  return BY_SEVERITY.findLast((code) => codes.includes(code)) ?? EXIT.done;
}

interface EachReportOptions {
  readonly json: boolean;
  /** Whether data of successful projects is shown; false if the table is enough. */
  readonly showsData: boolean;
}

/** Prints results in the order of projects. As text, failed projects follow all others, then the table. */
export class EachReport {
  readonly #io: Io;
  readonly #options: EachReportOptions;
  readonly #results: PrintedResult[] = [];
  #printedCount = 0;

  constructor(io: Io, options: EachReportOptions) {
    this.#io = io;
    this.#options = options;
  }

  /** Receives the result of a project, and prints all results that are next in order. All have the same `shard`. */
  add(place: number, result: PrintedResult, shard: ShardedLine | undefined): void {
    this.#results[place] = result;
    for (; this.#results[this.#printedCount] !== undefined; this.#printedCount++) {
      const next = this.#results[this.#printedCount]!;
      if (this.#options.json) this.#io.out(eachJsonLine(next, shard));
      if (next.exitCode === EXIT.done) this.#print(next);
    }
  }

  /** Prints failed projects and the table, once all results are added. */
  end(): void {
    const failed = this.#results.filter(({ exitCode }) => exitCode !== EXIT.done);
    for (const result of failed) this.#print(result);
    const table = eachTable(this.#results);
    if (this.#options.json) this.#io.note(`note: ${table.at(-1)}`);
    else for (const line of table) this.#io.out(`${line}\n`);
  }

  #print({ set, exitCode, out, notes }: PrintedResult): void {
    const hasFailed = exitCode !== EXIT.done;
    // `--quiet` and colors use the first word of a line.
    const success = notes.some((note) => note.startsWith('warning:')) ? 'warning' : 'note';
    if (notes.length > 0) this.#io.note(`${hasFailed ? 'error' : success}: in ${set}:`);
    for (const note of notes) this.#io.note(note);
    const { json, showsData } = this.#options;
    if (!json && out !== '' && (showsData || hasFailed)) this.#io.out(`${set}:\n${out}\n`);
  }
}

/** Returns a row for each project, failures first and the worst at the top, then the number of failures. */
export function eachTable(results: readonly ProjectResult[]): string[] {
  const severityOf = ({ exitCode }: ProjectResult) => BY_SEVERITY.indexOf(exitCode);
  const rows = results.toSorted(
    (a, b) => severityOf(b) - severityOf(a) || byCodePoint(a.set, b.set),
  );
  return [...resultRows(rows), closingLine(results)];
}

/** Returns only the rows, in the order given. */
export function resultRows(results: readonly ProjectResult[]): string[] {
  return columns([
    ['set', 'result', ''],
    ...results.map(({ set, exitCode, headline }) => [set, RESULT_WORDS.get(exitCode)!, headline]),
  ]);
}

/** Number of projects, and of those that failed. */
export function closingLine(results: readonly ProjectResult[]): string {
  const all = amount(results.length, 'set');
  const failed = results.filter(({ exitCode }) => exitCode !== EXIT.done).length;
  return failed === 0 ? `${all}, all well` : `${failed} of ${all} failed`;
}

/** The shard of a line, and the number of projects in all shards. */
export interface ShardedLine extends PartShard {
  readonly sets: number;
}

/** Fields that `--each` adds to the JSON line of a project. */
export const EACH_OUTPUT = outputSchema(
  'COMMAND --each -o json, a line: these fields, and those of COMMAND-output, error-output or mismatch-output',
  {
    set: text('File of the set.'),
    exitCode: oneOf(
      Object.values(EXIT),
      'Exit code that the command has for the set; that of the process is the worst: 1, 2, 5, 7, 3, 4, 6, 0.',
    ),
    headline: text('How it went, in one line.'),
    'shard?': record(
      { ...shardFields, sets: count('How many sets all parts have together.') },
      'With `--shard`: which part of the sets was run.',
    ),
    'status?': text(
      'As of the command; `passed-over`: it has none of the packages that were named.',
    ),
  },
);

/** A line of JSON: the document of one project, and the project. */
function eachJsonLine(
  { set, exitCode, headline, out, notes }: PrintedResult,
  shard: ShardedLine | undefined,
): string {
  const { schemaVersion: _, ...document } = (
    out === '' ? documentWithoutOutput(exitCode, headline, notes) : JSON.parse(out)
  ) as Record<string, unknown>;
  const fields: Static<typeof EACH_OUTPUT> = { set, exitCode, headline, shard };
  return `${JSON.stringify({ schemaVersion: 1, ...fields, ...document })}\n`;
}

function documentWithoutOutput(
  exitCode: ExitCode,
  headline: string,
  notes: readonly string[],
): object {
  if (exitCode === EXIT.done) return { status: 'passed-over' };
  return { status: 'error', exitCode, error: { message: headline || notes.join('\n') } };
}
