import type { CST } from 'yaml';
import { itemsOf, itemSpan, type Lines, type Slot, type Span } from './yaml-spans.js';
import { isList, isMapping, type JsonValue } from '../../base/json.js';
import { doubleQuoted, writeYaml } from '../../base/yaml/write-yaml.js';

/** A replacement of the text between two offsets. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies splices, which must not overlap. */
export function spliced(text: string, splices: readonly Splice[]): string {
  return [...splices]
    .sort((a, b) => b.start - a.start || b.end - a.end)
    .reduce((now, { start, end, text }) => now.slice(0, start) + text + now.slice(end), text);
}

/** Indentation of a nested block. */
const INDENT = 2;

/** Appends an entry to a mapping. */
export function addEntry(
  lines: Lines,
  map: CST.BlockMap,
  key: string,
  value: JsonValue,
): readonly Splice[] {
  const items = itemsOf(map);
  const column = lines.columnOf(itemSpan(items[0]!).start);
  return [
    insertBelow(
      lines,
      itemSpan(items.at(-1)!),
      lines.indented(yamlLines({ [key]: value }), column),
    ),
  ];
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
  const text = lines.indented(yamlLines([value]), column);
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
    const block = token?.type === 'block-map' || token?.type === 'block-seq';
    if (block && after !== undefined && lines.isFirst(span.start)) {
      const from = lines.withCommentAbove(span.start);
      return [insert(after, ` ${text}`), remove(from, lines.nextAfter(span.end))];
    }
    return [replace(span, lines.endsLine(span) ? `${text}${lines.break}` : text)];
  }
  const rows = yamlLines(value);
  if (span === undefined) {
    const text = lines.indented(rows, column + INDENT);
    return inMap
      ? [insert(lines.endOf(after ?? 0), lines.break + text)]
      : [insert(after ?? 0, ` ${text.trimStart()}`)];
  }
  const ending = lines.endsLine(span) ? lines.break : '';
  if (lines.isFirst(span.start)) {
    const deeper = inMap && isMapping(value) ? column + INDENT : 0;
    const text = lines.indented(rows, Math.max(lines.columnOf(span.start), deeper));
    return [replace({ ...span, start: lines.startOf(span.start) }, text + ending)];
  }
  if (!inMap) {
    const text = lines.indented(rows, lines.columnOf(span.start)).trimStart();
    return [replace(span, text + ending)];
  }
  const text = lines.break + lines.indented(rows, column + INDENT);
  if (ending !== '') return [replace({ start: after!, end: span.end }, text + ending)];
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

function yamlLines(value: JsonValue): readonly string[] {
  return writeYaml(value).trimEnd().split('\n');
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

/**
 * Inserts an item before the item at `index`. `text` is the output of `flowText` or `flowEntry`.
 */
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

/** Formats an entry of a mapping in brackets. */
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
