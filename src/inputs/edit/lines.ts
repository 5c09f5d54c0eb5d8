import type { Span } from './spans.js';

/** A text with its line breaks, as the ways to edit it need to know them. */
export class Lines {
  readonly text: string;
  /** How a line ends. */
  readonly break: string;

  constructor(text: string) {
    this.text = text;
    this.break = text.includes('\r\n') ? '\r\n' : '\n';
  }

  /** Where the line of an offset begins. */
  startOf(offset: number): number {
    return this.text.lastIndexOf('\n', offset - 1) + 1;
  }

  /** Where the line of an offset ends, its break not included. */
  endOf(offset: number): number {
    const feed = this.text.indexOf('\n', offset);
    if (feed < 0) return this.text.length;
    return this.text[feed - 1] === '\r' && feed > offset ? feed - 1 : feed;
  }

  /** Where the line after that of an offset begins; the offset itself where a line begins. */
  nextAfter(offset: number): number {
    if (this.text[offset - 1] === '\n') return offset;
    const feed = this.text.indexOf('\n', offset);
    return feed < 0 ? this.text.length : feed + 1;
  }

  columnOf(offset: number): number {
    return offset - this.startOf(offset);
  }

  /** Whether only blanks stand before an offset on its line. */
  isFirst(offset: number): boolean {
    return this.text.slice(this.startOf(offset), offset).trim() === '';
  }

  /** Where the comment begins that stands directly above a line, in its column; else the line. */
  withCommentAbove(offset: number): number {
    const column = this.columnOf(offset);
    let start = this.startOf(offset);
    while (start > 0) {
      const above = this.startOf(start - 1);
      const line = this.text.slice(above, start);
      if (line.search(/\S/) !== column || line[column] !== '#') break;
      start = above;
    }
    return start;
  }

  /** Whether a span ends with a line, as block scalars do. */
  endsLine({ end }: Span): boolean {
    return this.text[end - 1] === '\n';
  }

  /** Lines as one text, each behind so many blanks. */
  indented(lines: readonly string[], column: number): string {
    return lines.map((line) => ' '.repeat(column) + line).join(this.break);
  }
}
