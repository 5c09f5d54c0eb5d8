/** Ends the reading of a document: what is wrong, where, and what to do. */
export class Unreadable extends Error {
  /** Into the text of the document. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}
