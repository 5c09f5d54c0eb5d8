import type { CST } from 'yaml';

export type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;

/** A range of offsets; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const LAYOUT = ['space', 'newline', 'comment', 'comma'];

/** Returns the tokens that are neither layout nor comments. */
function contentTokens(tokens: readonly CST.SourceToken[] | undefined): readonly CST.SourceToken[] {
  return tokens?.filter(({ type }) => !LAYOUT.includes(type)) ?? [];
}

/** Returns the span of a value without the comments around it. */
export function tokenSpan(token: CST.Token): Span {
  if (token.type === 'block-map' || token.type === 'block-seq') {
    const items = itemsOf(token);
    return { start: itemSpan(items[0]!).start, end: itemSpan(items.at(-1)!).end };
  }
  if (token.type === 'block-scalar') {
    const header = spanOfAll(token.props)!;
    return { start: header.start, end: header.end + token.source.length };
  }
  if (token.type === 'flow-collection') {
    const end = token.end.find(({ type }) => type === 'flow-map-end' || type === 'flow-seq-end');
    return { start: token.offset, end: plainSpan(end!).end };
  }
  return plainSpan(token as CST.SourceToken);
}

function plainSpan({ offset, source }: Pick<CST.SourceToken, 'offset' | 'source'>): Span {
  return { start: offset, end: offset + source.length };
}

/** Returns the entries or items of a collection. Parts with only comments are left out. */
export function itemsOf(token: Collection): readonly CST.CollectionItem[] {
  const items: readonly CST.CollectionItem[] = token.items;
  return items.filter((item) => partsOf(item).length > 0);
}

/** Returns the span of an entry or item, from its key or dash. */
export function itemSpan(item: CST.CollectionItem): Span {
  const parts = partsOf(item).map(tokenSpan);
  return { start: parts[0]!.start, end: parts.at(-1)!.end };
}

function partsOf({ start, key, sep, value }: CST.CollectionItem): readonly CST.Token[] {
  return [
    ...contentTokens(start),
    ...(key ? [key] : []),
    ...contentTokens(sep),
    ...(value === undefined ? [] : [value]),
  ];
}

/** The place for the value of an entry or item. */
export interface Slot {
  /** End of the `:` or dash; undefined if the value needs neither. */
  readonly after: number | undefined;
  /** Span of the present value with its anchor and tag; undefined if there is no value. */
  readonly span: Span | undefined;
}

/** Returns the slot after the `:` of an entry or the dash of an item. */
export function slotOf({ start, key, sep, value }: CST.CollectionItem): Slot {
  const tokens = key === undefined && sep === undefined ? start : (sep ?? []);
  const marks = ['map-value-ind', 'seq-item-ind'];
  const mark = tokens.findLastIndex(({ type }) => marks.includes(type));
  return {
    after: mark < 0 ? undefined : plainSpan(tokens[mark]!).end,
    span: spanOfAll([
      ...contentTokens(tokens.slice(mark + 1)),
      ...(value === undefined ? [] : [value]),
    ]),
  };
}

export function rootSlot({ start, value }: CST.Document): Slot {
  const properties = contentTokens(start).filter(({ type }) => type === 'anchor' || type === 'tag');
  return {
    after: undefined,
    span: spanOfAll([...properties, ...(value === undefined ? [] : [value])]),
  };
}

function spanOfAll(tokens: readonly CST.Token[]): Span | undefined {
  if (tokens.length === 0) return undefined;
  return { start: tokenSpan(tokens[0]!).start, end: tokenSpan(tokens.at(-1)!).end };
}

/** A text with access to its lines. */
export class Lines {
  readonly text: string;
  /** The line break of the text. */
  readonly break: string;

  constructor(text: string) {
    this.text = text;
    this.break = text.includes('\r\n') ? '\r\n' : '\n';
  }

  /** Returns the start of the line of an offset. */
  startOf(offset: number): number {
    return this.text.lastIndexOf('\n', offset - 1) + 1;
  }

  /** Returns the end of the line of an offset, without its line break. */
  endOf(offset: number): number {
    const feed = this.text.indexOf('\n', offset);
    if (feed < 0) return this.text.length;
    return this.text[feed - 1] === '\r' && feed > offset ? feed - 1 : feed;
  }

  /** Returns the start of the next line, or the offset itself if it is the start of a line. */
  nextAfter(offset: number): number {
    if (this.text[offset - 1] === '\n') return offset;
    const feed = this.text.indexOf('\n', offset);
    return feed < 0 ? this.text.length : feed + 1;
  }

  columnOf(offset: number): number {
    return offset - this.startOf(offset);
  }

  /** Returns whether only white space precedes an offset on its line. */
  isFirst(offset: number): boolean {
    return this.text.slice(this.startOf(offset), offset).trim() === '';
  }

  /** Returns the start of the line, or of the comment directly above it at the same column. */
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

  /** Returns whether a span includes the line break at its end, like that of a block scalar. */
  endsLine({ end }: Span): boolean {
    return this.text[end - 1] === '\n';
  }

  /** Joins lines with the given indentation. */
  indented(lines: readonly string[], column: number): string {
    return lines.map((line) => ' '.repeat(column) + line).join(this.break);
  }
}
