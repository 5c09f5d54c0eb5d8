import { EXIT } from '../exit-code.js';
import type { Io } from '../io/io.js';
import { eachJsonLine, type ShardedLine } from './each-json.js';
import { eachTable } from './each-table.js';
import type { PrintedResult } from './set-result.js';

interface EachReportOptions {
  readonly json: boolean;
  /** Data of sets that fare well is shown; false: the table says enough of them. */
  readonly showsData: boolean;
  /** undefined: all sets are run here. */
  readonly shard: ShardedLine | undefined;
}

/**
 * Prints results in the order of sets, whichever ends first. As text, what sets that failed have
 * to say comes after all others, where it is not lost, and the table last.
 */
export class EachReport {
  readonly #io: Io;
  readonly #options: EachReportOptions;
  readonly #results: PrintedResult[] = [];
  #printed = 0;

  constructor(io: Io, options: EachReportOptions) {
    this.#io = io;
    this.#options = options;
  }

  /** Takes the result of the set at that place, and prints what is next. */
  add(place: number, result: PrintedResult): void {
    this.#results[place] = result;
    for (; this.#results[this.#printed] !== undefined; this.#printed++) {
      const next = this.#results[this.#printed]!;
      if (this.#options.json) this.#io.out(eachJsonLine(next, this.#options.shard));
      if (next.exitCode === EXIT.done) this.#print(next);
    }
  }

  /** Prints what is left, and the table; all results have been given. */
  end(): void {
    const failed = this.#results.filter(({ exitCode }) => exitCode !== EXIT.done);
    for (const result of failed) this.#print(result);
    const table = eachTable(this.#results);
    if (this.#options.json) this.#io.note(`note: ${table.at(-1)}`);
    else for (const line of table) this.#io.out(`${line}\n`);
  }

  #print(result: PrintedResult): void {
    const { set, exitCode, out, notes } = result;
    if (notes.length > 0) this.#io.note(`${graveness(result)}: in ${set}:`);
    for (const note of notes) this.#io.note(note);
    const { json, showsData } = this.#options;
    if (json || out === '' || !(showsData || exitCode !== EXIT.done)) return;
    this.#io.out(`${set}:\n${out}\n`);
  }
}

/** The word by which `--quiet` and colours tell what a line is. */
function graveness({ exitCode, notes }: PrintedResult): string {
  if (exitCode !== EXIT.done) return 'error';
  return notes.some((note) => note.startsWith('warning:')) ? 'warning' : 'note';
}
