import type { CST } from 'yaml';
import { isList, isMapping, type JsonValue } from '../../base/json.js';
import { doubleQuoted, writeYaml } from '../../base/yaml/write-yaml.js';

export type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;

/** A range of offsets; `end` is exclusive. */
interface Span {
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
interface Slot {
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
    span: spanOfAll(contentTokens(tokens.slice(mark + 1)), value),
  };
}

export function rootSlot({ start, value }: CST.Document): Slot {
  const properties = contentTokens(start).filter(({ type }) => type === 'anchor' || type === 'tag');
  return { after: undefined, span: spanOfAll(properties, value) };
}

function spanOfAll(tokens: readonly CST.Token[], value?: CST.Token): Span | undefined {
  const [first, last] = [tokens[0] ?? value, value ?? tokens.at(-1)];
  return first && last && { start: tokenSpan(first).start, end: tokenSpan(last).end };
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
    const lineFeed = this.text.indexOf('\n', offset);
    if (lineFeed < 0) return this.text.length;
    return this.text[lineFeed - 1] === '\r' && lineFeed > offset ? lineFeed - 1 : lineFeed;
  }

  /** Returns the start of the next line, or the offset itself if it is the start of a line. */
  nextAfter(offset: number): number {
    if (this.text[offset - 1] === '\n') return offset;
    const lineFeed = this.text.indexOf('\n', offset);
    return lineFeed < 0 ? this.text.length : lineFeed + 1;
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

  /** Formats a value as lines with the given indentation. */
  indented(value: JsonValue, column: number): string {
    const textLines = writeYaml(value).trimEnd().split('\n');
    return textLines.map((row) => ' '.repeat(column) + row).join(this.break);
  }
}

/** A replacement of the text between two offsets. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies splices, which must not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  return [...splices]
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((now, { start, end, text }) => now.slice(0, start) + text + now.slice(end), text);
}

/** Indentation of a nested block. */
const INDENT = 2;

export function addEntry(
  lines: Lines,
  map: CST.BlockMap,
  key: string,
  value: JsonValue,
): readonly Splice[] {
  const items = itemsOf(map);
  const column = lines.columnOf(itemSpan(items[0]!).start);
  const text = lines.indented({ [key]: value }, column);
  return [insertBelow(lines, itemSpan(items.at(-1)!), text)];
}

/** Inserts an item into a list, before the item at `index`. */
export function addItem(
  lines: Lines,
  list: CST.BlockSequence,
  index: number,
  value: JsonValue,
): readonly Splice[] {
  const items = itemsOf(list);
  const first = itemSpan(items[0]!).start;
  const column = lines.columnOf(first);
  const text = lines.indented([value], column);
  if (index > 0) return [insertBelow(lines, itemSpan(items[index - 1]!), text)];
  const at = lines.isFirst(first) ? lines.withCommentAbove(first) : first;
  return at === first && column > 0
    ? [insert(at, `${text.trimStart()}${lines.break}${' '.repeat(column)}`)]
    : [insert(at, `${text}${lines.break}`)];
}

/** Removes an entry or item with the comment directly above it. It must not be the only one. */
export function removeItem(lines: Lines, item: CST.CollectionItem): readonly Splice[] {
  const { start, end } = itemSpan(item);
  const next = lines.nextAfter(end);
  if (lines.isFirst(start)) return [remove(lines.withCommentAbove(start), next)];
  // The entry follows a dash: move the next entry up to it.
  const rest = lines.text.slice(next).search(/\S/);
  return [remove(start, rest < 0 ? next : next + rest)];
}

/** Replaces the value of an entry or item in a block. `column` is the column of the key or dash. */
export function replaceInBlock(
  lines: Lines,
  { slot, token, column, inMap }: BlockSlot,
  value: JsonValue,
): readonly Splice[] {
  const { span, after } = slot;
  if (isInline(value)) {
    const text = inlineText(value, token);
    if (span === undefined) return [insert(after ?? 0, ` ${text}`)];
    const isBlock = token?.type === 'block-map' || token?.type === 'block-seq';
    if (isBlock && after !== undefined && lines.isFirst(span.start)) {
      const from = lines.withCommentAbove(span.start);
      return [insert(after, ` ${text}`), remove(from, lines.nextAfter(span.end))];
    }
    return [replace(span, lines.endsLine(span) ? `${text}${lines.break}` : text)];
  }
  if (span === undefined) {
    const text = lines.indented(value, column + INDENT);
    return inMap
      ? [insert(lines.endOf(after ?? 0), lines.break + text)]
      : [insert(after ?? 0, ` ${text.trimStart()}`)];
  }
  const lineEnding = lines.endsLine(span) ? lines.break : '';
  if (lines.isFirst(span.start)) {
    const nestedIndent = inMap && isMapping(value) ? column + INDENT : 0;
    const text = lines.indented(value, Math.max(lines.columnOf(span.start), nestedIndent));
    return [replace({ ...span, start: lines.startOf(span.start) }, text + lineEnding)];
  }
  if (!inMap) {
    const text = lines.indented(value, lines.columnOf(span.start)).trimStart();
    return [replace(span, text + lineEnding)];
  }
  const text = lines.break + lines.indented(value, column + INDENT);
  if (lineEnding !== '') return [replace({ start: after!, end: span.end }, text + lineEnding)];
  return [remove(after!, span.end), insert(lines.endOf(span.end), text)];
}

interface BlockSlot {
  readonly slot: Slot;
  /** The present value; undefined if there is none. */
  readonly token: CST.Token | undefined;
  readonly column: number;
  readonly inMap: boolean;
}

/** Inserts lines below the last line of a span. */
function insertBelow(lines: Lines, span: Span, text: string): Splice {
  return lines.endsLine(span)
    ? insert(span.end, text + lines.break)
    : insert(lines.endOf(span.end), lines.break + text);
}

/** Returns whether a value is written on the line of its key. */
function isInline(value: JsonValue): boolean {
  if (isList(value)) return value.length === 0;
  return !isMapping(value) || Object.keys(value).length === 0;
}

function insert(at: number, text: string): Splice {
  return { start: at, end: at, text };
}

function remove(start: number, end: number): Splice {
  return { start, end, text: '' };
}

function replace({ start, end }: Span, text: string): Splice {
  return { start, end, text };
}

/** Inserts the output of `flowText` or `flowEntry` before the item at `index`. */
export function addInFlow(
  lines: Lines,
  collection: CST.FlowCollection,
  index: number,
  text: string,
): readonly Splice[] {
  const items = itemsOf(collection);
  const next = items[index];
  const { start, end } = itemSpan(next ?? items.at(-1)!);
  const gap = lines.isFirst(start)
    ? lines.break + lines.text.slice(lines.startOf(start), start)
    : ' ';
  return next === undefined ? [insert(end, `,${gap}${text}`)] : [insert(start, `${text},${gap}`)];
}

/** Removes an item and one comma next to it. Comments stay. It must not be the only item. */
export function removeFromFlow(collection: CST.FlowCollection, index: number): readonly Splice[] {
  const items = itemsOf(collection);
  const { start, end } = itemSpan(items[index]!);
  const [from, to] =
    index > 0 ? [itemSpan(items[index - 1]!).end, end] : [start, itemSpan(items[1]!).start];
  const between = items[Math.max(index, 1)]!.start;
  if (!between.some(({ type }) => type === 'comment')) return [remove(from, to)];
  const comma = between.find(({ type }) => type === 'comma')!.offset;
  return [remove(start, end), remove(comma, comma + 1)];
}

/** Replaces a value in brackets. `end` is the end of its key. */
export function replaceInFlow(
  lines: Lines,
  { slot, token, end }: { slot: Slot; token: CST.Token | undefined; end: number },
  value: JsonValue,
  json: boolean,
): readonly Splice[] {
  const { span, after } = slot;
  const start = span?.start ?? after ?? end;
  const text = flowText(lines, value, { json, token, at: start });
  if (span !== undefined) return [replace(span, text)];
  return [insert(start, after === undefined ? `: ${text}` : ` ${text}`)];
}

/** Offset and style of a value in brackets. */
interface FlowPlace {
  /** Whether to write JSON: strings are quoted, and long values span several lines. */
  readonly json: boolean;
  readonly at: number;
  /** The value that is replaced, whose quotes are kept. */
  readonly token?: CST.Token | undefined;
}

/** Formats a value for brackets. */
export function flowText(lines: Lines, value: JsonValue, { json, at, token }: FlowPlace): string {
  if (!json) return flowYaml(value, token);
  const start = lines.startOf(at);
  const indent = /^[ \t]*/.exec(lines.text.slice(start, at))![0];
  const unit = /\n([ \t]+)/.exec(lines.text)?.[1];
  return JSON.stringify(value, undefined, unit).replaceAll('\n', lines.break + indent);
}

export function flowEntry(lines: Lines, key: string, value: JsonValue, place: FlowPlace): string {
  const name = place.json ? doubleQuoted(key) : inlineText(key, undefined);
  return `${name}: ${flowText(lines, value, place)}`;
}

function flowYaml(value: JsonValue, token?: CST.Token): string {
  if (isList(value)) return `[${value.map((item) => flowYaml(item)).join(', ')}]`;
  if (!isMapping(value)) return inlineText(value, token);
  const entries = Object.entries(value).map(
    ([key, member]) => `${inlineText(key, undefined)}: ${flowYaml(member)}`,
  );
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

/** Formats a scalar, `[]` or `{}` on one line, with the quotes of the value that it replaces. */
export function inlineText(value: JsonValue, old: CST.Token | undefined): string {
  if (typeof value !== 'string') return writeYaml(value).trimEnd();
  if (old?.type === 'double-quoted-scalar') return doubleQuoted(value);
  if (old?.type === 'single-quoted-scalar' && !/\p{C}|[\u2028\u2029]/u.test(value)) {
    return `'${value.replaceAll("'", "''")}'`;
  }
  return writeYaml(value).trimEnd();
}
