/** An object of a dump, still as text. */
export interface DumpPiece {
  readonly text: string;
  /** Of its beginning, from 1. */
  readonly line: number;
  /** As far as a glance tells; undefined: it has to be parsed. */
  readonly kind: string | undefined;
}

/** What cannot be cut further, and why. */
export interface BadPiece {
  readonly bad: 'cut short' | 'too large';
  readonly line: number;
}

/** Takes a text in chunks, and gives each object when it has ended. */
export interface Cutter {
  push(chunk: string): Iterable<DumpPiece | BadPiece>;
  /** What is left, the text being over. */
  end(): Iterable<DumpPiece | BadPiece>;
}

/** Of one object: an API server takes a fifth of it. */
export const MAX_OBJECT_CHARS = 8 * 1024 * 1024;
