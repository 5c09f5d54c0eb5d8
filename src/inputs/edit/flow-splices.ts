import type { CST } from 'yaml';
import { isList, isMapping, type JsonValue } from '../../text/json.js';
import { doubleQuoted } from '../../text/yaml/write-yaml.js';
import type { Lines } from './lines.js';
import { inlineText } from './inline-text.js';
import { itemSpan, itemsOf, type Slot } from './spans.js';
import type { Splice } from './splice.js';

/** How values are written in brackets. */
export interface FlowStyle {
  /** In JSON all strings are quoted, and long values have lines of their own. */
  readonly json: boolean;
}

/** A new item before the one that stands at `index` now; `text` is the item, as `flowText` writes it. */
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
  return next === undefined
    ? [{ start: end, end, text: `,${gap}${text}` }]
    : [{ start, end: start, text: `${text},${gap}` }];
}

/** Without one of several items, and without one of the commas beside it; comments stay. */
export function removeFromFlow(collection: CST.FlowCollection, index: number): readonly Splice[] {
  const items = itemsOf(collection);
  const { start, end } = itemSpan(items[index]!);
  const [from, to] =
    index > 0 ? [itemSpan(items[index - 1]!).end, end] : [start, itemSpan(items[1]!).start];
  const between = items[Math.max(index, 1)]!.start;
  if (!between.some(({ type }) => type === 'comment')) return [{ start: from, end: to, text: '' }];
  const comma = between.find(({ type }) => type === 'comma')!.offset;
  return [
    { start, end, text: '' },
    { start: comma, end: comma + 1, text: '' },
  ];
}

/** Another value in a slot between brackets; `end` is where its key ends. */
export function replaceInFlow(
  lines: Lines,
  { slot, token, end }: { slot: Slot; token: CST.Token | undefined; end: number },
  value: JsonValue,
  style: FlowStyle,
): readonly Splice[] {
  const { span, after } = slot;
  const start = span?.start ?? after ?? end;
  const text = flowText(lines, value, { ...style, token, at: start });
  if (span !== undefined) return [{ ...span, text }];
  return [{ start, end: start, text: after === undefined ? `: ${text}` : ` ${text}` }];
}

/** A value as it is written in brackets; `at` is where, `token` what it replaces. */
export function flowText(
  lines: Lines,
  value: JsonValue,
  { json, at, token }: FlowStyle & { readonly at: number; readonly token?: CST.Token | undefined },
): string {
  if (!json) return flow(value, token);
  const start = lines.startOf(at);
  const indent = /^[ \t]*/.exec(lines.text.slice(start, at))![0];
  const unit = /\n([ \t]+)/.exec(lines.text)?.[1];
  return JSON.stringify(value, undefined, unit).replaceAll('\n', lines.break + indent);
}

/** An entry of a mapping in brackets. */
export function flowEntry(
  lines: Lines,
  key: string,
  value: JsonValue,
  place: FlowStyle & { readonly at: number },
): string {
  const name = place.json ? doubleQuoted(key) : inlineText(key, undefined);
  return `${name}: ${flowText(lines, value, place)}`;
}

function flow(value: JsonValue, token?: CST.Token): string {
  if (isList(value)) return `[${value.map((item) => flow(item)).join(', ')}]`;
  if (!isMapping(value)) return inlineText(value, token);
  const entries = Object.entries(value).map(
    ([key, member]) => `${inlineText(key, undefined)}: ${flow(member)}`,
  );
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
