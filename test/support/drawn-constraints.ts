import type { Draw } from '../../src/base/collections.js';

const OPERATORS = [
  '',
  '=',
  '!=',
  '>',
  '<',
  '>=',
  '=>',
  '<=',
  '=<',
  '~',
  '~>',
  '^',
  '==',
  '>>',
  '!',
];
const SEGMENTS = [
  '0',
  '1',
  '2',
  '3',
  '10',
  '14',
  '20',
  'x',
  'X',
  '*',
  '01',
  '00',
  '9'.repeat(19),
  '9'.repeat(20),
  '|',
  '',
];
const PRERELEASES = [
  '0',
  'rc.1',
  'rc.2',
  'rc.01',
  'alpha',
  'up.1',
  '1',
  '1.2.3',
  '-',
  'a-b',
  '9'.repeat(20),
  'x',
];
const JOINS = [', ', ',', ' || ', '||', ' ', '  ', '\t', ' , ', ',,', ' | ', ' && ', '\n'];

const BLEMISHES = ['', ...'.,|-+ vV<>=~^!*x0é\t\n\u00a0\u0085'.split('')];

/** Draws a constraint that is usually valid in at least one dialect. */
export function drawnConstraint(draw: Draw): string {
  let text = comparator(draw);
  for (let more = pick([0, 0, 0, 1, 1, 2, 3], draw); more > 0; more--) {
    const join = draw(12) === 0 ? ' - ' : pick(draw(3) === 0 ? JOINS : JOINS.slice(0, 5), draw);
    text += join + comparator(draw);
  }
  return draw(12) === 0 ? blemished(text, draw) : text;
}

/** Draws a constraint of about 512 characters, or of about 32 groups. */
export function largeConstraint(draw: Draw): string {
  const isLong = draw(2) === 0;
  const target = isLong ? 508 + draw(8) : 31 + draw(3);
  const parts: string[] = [];
  while ((isLong ? parts.join(', ').length : parts.length) < target) parts.push(comparator(draw));
  if (!isLong) return parts.join('||');
  const text = parts.join(', ').slice(0, target);
  return draw(4) === 0 ? text.replace('1', 'é') : text;
}

/** Draws a version near those in drawn constraints. */
export function drawnVersion(draw: Draw): string {
  return draw(15) === 0 ? blemished(version(draw), draw) : version(draw);
}

/** Draws the versions in the comparators of a constraint and versions next to them. */
export function versionsNear(constraint: string, draw: Draw): string[] {
  const named = [...constraint.matchAll(/[0-9]+(?:\.[0-9]+)*(?:-[0-9A-Za-z.-]+)?/g)].map(
    ([text]) => text,
  );
  return named.flatMap((text) => {
    const [numbers = '', prerelease] = text.split('-', 2);
    const segments = [...numbers.split('.').slice(0, 3), '0', '0'].slice(0, 3);
    const at = draw(3);
    const moved = segments.map((s, i) => (i === at ? beside(s, draw) : s)).join('.');
    const suffix = prerelease === undefined ? '' : `-${prerelease}`;
    return [segments.join('.') + suffix, moved, `${moved}-${pick(PRERELEASES, draw)}`];
  });
}

function beside(segment: string, draw: Draw): string {
  const moved = BigInt(segment) + (draw(2) === 0 ? 1n : -1n);
  return String(moved < 0n ? 0n : moved);
}

function comparator(draw: Draw): string {
  const operator = pick(draw(10) === 0 ? OPERATORS : OPERATORS.slice(0, 12), draw);
  return operator + pick(['', '', ' '], draw) + pattern(draw);
}

function pattern(draw: Draw): string {
  const odd = draw(6) === 0;
  const segment = () => pick(odd ? SEGMENTS : SEGMENTS.slice(0, draw(3) === 0 ? 10 : 7), draw);
  const segments = Array.from({ length: pick([1, 2, 3, 3, 3], draw) }, segment);
  return pick(['', 'v'], draw) + segments.join('.') + suffix(draw, 5);
}

function version(draw: Draw): string {
  const odd = draw(12) === 0;
  const segment = () => pick(odd ? SEGMENTS : SEGMENTS.slice(0, 7), draw);
  const segments = Array.from({ length: pick([1, 2, 3, 3, 3, 3, 3], draw) }, segment);
  return pick(['', 'v'], draw) + segments.join('.') + suffix(draw, 3);
}

function suffix(draw: Draw, oneIn: number): string {
  const prerelease = draw(oneIn) === 0 ? `-${pick(PRERELEASES, draw)}` : '';
  return prerelease + (draw(15) === 0 ? pick(['+b', '+up.1', '+', '+é'], draw) : '');
}

/** Adds, removes or replaces one character. */
function blemished(text: string, draw: Draw): string {
  const at = draw(text.length + 1);
  const put = pick(BLEMISHES, draw);
  return text.slice(0, at) + put + text.slice(at + draw(2));
}

function pick<T>(from: readonly T[], draw: Draw): T {
  return from[draw(from.length)]!;
}
