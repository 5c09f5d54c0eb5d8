import { isList, isMapping, type JsonValue } from '../../../src/base/json.js';

/** Draws a number below `count`. */
type Draw = (count: number) => number;

/** Formats a value in a random style: blocks, brackets, quotes, comments and blank lines. */
export function spelledDocument(value: JsonValue, draw: Draw): string {
  const inline = !isMapping(value) && !isList(value);
  const text = inline ? scalar(value, draw) : block(value, 0, draw).replace(/^\n/, '');
  return `${comments(0, draw)}${text}\n${comments(0, draw)}`;
}

function comments(column: number, draw: Draw): string {
  const rows = ['', '', '', '\n', `${' '.repeat(column)}# a: comment - [\n`, '\n  # loose\n\n'];
  return rows[draw(rows.length)]!;
}

function tail(draw: Draw): string {
  return ['', '', ' # why', '   #- x: 1'][draw(4)]!;
}

/** Formats a value after a `:` or at the start: `\n` and lines, or text without a leading space. */
function block(value: JsonValue, column: number, draw: Draw): string {
  const empty = isList(value) ? value.length === 0 : Object.keys(value ?? {}).length === 0;
  if ((!isList(value) && !isMapping(value)) || empty || draw(5) === 0) {
    return flow(value, draw, true) + tail(draw);
  }
  if (isList(value)) return value.map((item) => listItem(item, column, draw)).join('');
  return Object.entries(value)
    .map(([key, member]) => {
      const deeper = column + (isList(member) && draw(2) === 0 ? 0 : 2 + draw(2));
      const text = memberText(member, deeper, draw);
      return `\n${comments(column, draw)}${' '.repeat(column)}${scalar(key, draw)}:${text}`;
    })
    .join('');
}

function memberText(member: JsonValue, column: number, draw: Draw): string {
  if (member === null && draw(2) === 0) return '';
  if (typeof member === 'string' && /^[a-z]+$/.test(member) && draw(4) === 0) {
    const indent = ' '.repeat(column + 1);
    return ` ${['|-', '>-'][draw(2)]}\n${indent}${member}`;
  }
  const text = block(member, column, draw);
  return text.startsWith('\n') ? tail(draw) + text : ` ${text}`;
}

function listItem(item: JsonValue, column: number, draw: Draw): string {
  const lead = `\n${comments(column, draw)}${' '.repeat(column)}-`;
  if (item === null && draw(2) === 0) return lead;
  const text = block(item, column + 2, draw);
  if (!text.startsWith('\n')) return `${lead} ${text}`;
  // The compact form is possible if nothing is between the dash and the value.
  const compact = /^\n {2,}[^\s#]/.test(text) && draw(3) > 0;
  return lead + (compact ? ` ${text.trimStart()}` : tail(draw) + text);
}

function flow(value: JsonValue, draw: Draw, mayBreak: boolean): string {
  const gap = mayBreak && draw(6) === 0 ? '\n          ' : ['', ' '][draw(2)]!;
  const comma = `,${gap === '' ? ' ' : gap}`;
  if (isList(value))
    return `[${gap}${value.map((each) => flow(each, draw, false)).join(comma)}${gap}]`;
  if (!isMapping(value)) return scalar(value, draw);
  const entries = Object.entries(value).map(
    ([key, member]) => `${scalar(key, draw)}: ${flow(member, draw, false)}`,
  );
  return `{${gap}${entries.join(comma)}${gap}}`;
}

function scalar(value: JsonValue, draw: Draw): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (/^[a-z]+$/.test(value) && !/^(?:true|false|null)$/.test(value)) {
    return [value, `'${value}'`, `"${value}"`][draw(3)]!;
  }
  return draw(2) === 0 && /^[ -~]*$/.test(value)
    ? `'${value.replaceAll("'", "''")}'`
    : JSON.stringify(value).replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, (c) => {
        return `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
      });
}
