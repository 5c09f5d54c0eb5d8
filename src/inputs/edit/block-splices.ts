import type { CST } from 'yaml';
import { isList, isMapping, type JsonValue } from '../../text/json.js';
import { writeYaml } from '../../text/yaml/write-yaml.js';
import type { Lines } from './lines.js';
import { inlineText } from './inline-text.js';
import { itemSpan, itemsOf, type Slot, type Span } from './spans.js';
import type { Splice } from './splice.js';

/** Blanks by which a block stands deeper than what holds it. */
const STEP = 2;

/** A new last entry of a mapping. */
export function addEntry(
  lines: Lines,
  map: CST.BlockMap,
  key: string,
  value: JsonValue,
): readonly Splice[] {
  const items = itemsOf(map);
  const column = lines.columnOf(itemSpan(items[0]!).start);
  return [
    below(lines, itemSpan(items.at(-1)!), lines.indented(yamlLines({ [key]: value }), column)),
  ];
}

/** A new item of a list, before the one that stands at `index` now. */
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
  if (index > 0) return [below(lines, itemSpan(items[index - 1]!), text)];
  const at = lines.isFirst(first) ? lines.withCommentAbove(first) : first;
  return at === first && column > 0
    ? [insert(at, `${text.trimStart()}${lines.break}${' '.repeat(column)}`)]
    : [insert(at, `${text}${lines.break}`)];
}

/** Without one of several entries or items, and without the comment directly above it. */
export function removeItem(lines: Lines, item: CST.CollectionItem): readonly Splice[] {
  const { start, end } = itemSpan(item);
  const next = lines.nextAfter(end);
  if (lines.isFirst(start)) return [remove(lines.withCommentAbove(start), next)];
  // After a dash: what comes next moves up.
  const rest = lines.text.slice(next).search(/\S/);
  return [remove(start, rest < 0 ? next : next + rest)];
}

/** Another value in a slot of a block; `column` is that of the key or the dash. */
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
    return [over(span, lines.endsLine(span) ? `${text}${lines.break}` : text)];
  }
  const rows = yamlLines(value);
  if (span === undefined) return emptySlot(lines, { after: after ?? 0, column, inMap }, rows);
  const ending = lines.endsLine(span) ? lines.break : '';
  if (lines.isFirst(span.start)) {
    const deeper = inMap && isMapping(value) ? column + STEP : 0;
    const text = lines.indented(rows, Math.max(lines.columnOf(span.start), deeper));
    return [over({ ...span, start: lines.startOf(span.start) }, text + ending)];
  }
  if (!inMap) {
    const text = lines.indented(rows, lines.columnOf(span.start)).trimStart();
    return [over(span, text + ending)];
  }
  const text = lines.break + lines.indented(rows, column + STEP);
  if (ending !== '') return [over({ start: after!, end: span.end }, text + ending)];
  return [remove(after!, span.end), insert(lines.endOf(span.end), text)];
}

/** A slot of a block mapping or list, or the root of a document. */
export interface BlockSlot {
  readonly slot: Slot;
  /** What is in it; undefined: nothing is written. */
  readonly token: CST.Token | undefined;
  readonly column: number;
  readonly inMap: boolean;
}

function emptySlot(
  lines: Lines,
  { after, column, inMap }: { after: number; column: number; inMap: boolean },
  rows: readonly string[],
): readonly Splice[] {
  const text = lines.indented(rows, column + STEP);
  return inMap
    ? [insert(lines.endOf(after), lines.break + text)]
    : [insert(after, ` ${text.trimStart()}`)];
}

/** Lines of its own, below the line that a span ends on. */
function below(lines: Lines, span: Span, text: string): Splice {
  return lines.endsLine(span)
    ? insert(span.end, text + lines.break)
    : insert(lines.endOf(span.end), lines.break + text);
}

function yamlLines(value: JsonValue): readonly string[] {
  return writeYaml(value).trimEnd().split('\n');
}

/** Whether a value is written on the line of its key. */
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

function over({ start, end }: Span, text: string): Splice {
  return { start, end, text };
}
