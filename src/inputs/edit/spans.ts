import type { CST } from 'yaml';

/** Where something is written: from an offset up to another. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const LAYOUT = ['space', 'newline', 'comment', 'comma'];

/** Tokens that say something: neither layout nor comments. */
function saying(tokens: readonly CST.SourceToken[] | undefined): readonly CST.SourceToken[] {
  return tokens?.filter(({ type }) => !LAYOUT.includes(type)) ?? [];
}

/** Where a value is written, comments around it aside. */
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

/** Entries and items of a collection, without what holds comments alone. */
export function itemsOf(
  token: CST.BlockMap | CST.BlockSequence | CST.FlowCollection,
): readonly CST.CollectionItem[] {
  const items: readonly CST.CollectionItem[] = token.items;
  return items.filter((item) => partsOf(item).length > 0);
}

/** Where an entry or an item is written, from its key or its dash on. */
export function itemSpan(item: CST.CollectionItem): Span {
  const parts = partsOf(item).map(tokenSpan);
  return { start: parts[0]!.start, end: parts.at(-1)!.end };
}

function partsOf({ start, key, sep, value }: CST.CollectionItem): readonly CST.Token[] {
  return [
    ...saying(start),
    ...(key ? [key] : []),
    ...saying(sep),
    ...(value === undefined ? [] : [value]),
  ];
}

/** Where the value of an entry or an item goes, and what stands there now. */
export interface Slot {
  /** After the `:` or the dash; undefined: nothing has to stand before the value. */
  readonly after: number | undefined;
  /** Of the value, anchor and tag included; undefined: nothing is written. */
  readonly span: Span | undefined;
}

/** The slot of an entry (`:`) or of an item of a list (`-`, which lists in brackets lack). */
export function slotOf({ start, key, sep, value }: CST.CollectionItem): Slot {
  const tokens = key === undefined && sep === undefined ? start : (sep ?? []);
  const marks = ['map-value-ind', 'seq-item-ind'];
  const mark = tokens.findLastIndex(({ type }) => marks.includes(type));
  return {
    after: mark < 0 ? undefined : plainSpan(tokens[mark]!).end,
    span: spanOfAll([...saying(tokens.slice(mark + 1)), ...(value === undefined ? [] : [value])]),
  };
}

/** The slot of the root of a document. */
export function rootSlot({ start, value }: CST.Document): Slot {
  const properties = saying(start).filter(({ type }) => type === 'anchor' || type === 'tag');
  return {
    after: undefined,
    span: spanOfAll([...properties, ...(value === undefined ? [] : [value])]),
  };
}

function spanOfAll(tokens: readonly CST.Token[]): Span | undefined {
  if (tokens.length === 0) return undefined;
  return { start: tokenSpan(tokens[0]!).start, end: tokenSpan(tokens.at(-1)!).end };
}
