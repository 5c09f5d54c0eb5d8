import { InputError } from '../../model/input-error.js';
import { MAX_OBJECT_CHARS, type BadPiece, type Cutter, type DumpPiece } from './dump-piece.js';
import { JsonCutter } from './json-cutter.js';
import { YamlCutter } from './yaml-cutter.js';

/**
 * Cuts a dump into its objects, those of Lists one by one, so that a dump of a hundred megabytes is
 * never held or parsed as a whole: YAML by indentation, which is what gives it structure, JSON by brackets.
 */
export class DumpCutter {
  readonly #file: string;
  #cutter: Cutter | undefined;
  /** What came before it could be told what this is. */
  #blank = '';

  constructor(file: string) {
    this.#file = file;
  }

  *push(chunk: string): Generator<DumpPiece> {
    const text = this.#blank + chunk;
    this.#blank = '';
    if (this.#cutter === undefined) {
      const [first] = /[^\s\uFEFF]/.exec(text) ?? [];
      if (first === undefined) this.#blank = text;
      else this.#cutter = first === '{' ? new JsonCutter() : new YamlCutter();
    }
    if (this.#cutter !== undefined) yield* this.#good(this.#cutter.push(text));
  }

  *end(): Generator<DumpPiece> {
    if (this.#cutter !== undefined) yield* this.#good(this.#cutter.end());
  }

  *#good(pieces: Iterable<DumpPiece | BadPiece>): Generator<DumpPiece> {
    for (const piece of pieces) {
      if (!('bad' in piece)) yield piece;
      else throw refusal(piece, this.#file);
    }
  }
}

function refusal({ bad, line }: BadPiece, file: string): InputError {
  const origin = { file, line };
  if (bad === 'too large') {
    const what = `is an object of more than ${MAX_OBJECT_CHARS} characters, which no API server takes`;
    return new InputError(what, { origin });
  }
  const hint = 'dump it again; what is missing here would look as if it were not installed';
  return new InputError('the dump is cut short', { origin, hint });
}
