import * as fc from 'fast-check';

const operator = fc.constantFrom('', '=', '!=', '>', '<', '>=', '=>', '<=', '=<', '~', '~>', '^');
const pattern = fc
  .tuple(
    fc.constantFrom('', 'v'),
    fc.array(fc.constantFrom('0', '1', '2', '3', 'x', '*', '01'), { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '', '-0', '-rc.1', '+b'),
  )
  .map(([v, segments, suffix]) => v + segments.join('.') + suffix);

/** One valid comparator: `>= v1.x`. */
export const comparatorText = fc
  .tuple(operator, fc.constantFrom('', ' '), pattern)
  .map((parts) => parts.join(''));

/** Valid comparators joined by commas and bars. */
export const constraintText = fc
  .array(fc.tuple(comparatorText, fc.constantFrom(', ', ' || ')), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.map(([text, join], i) => (i === 0 ? text : join + text)).join(''));

const noise = fc.constantFrom(
  '.',
  '|',
  '||',
  ' ',
  ', ',
  ' - ',
  '\t',
  '>',
  'é',
  '-',
  '9'.repeat(20),
);

/** Valid and invalid constraints. */
export const anyConstraintText = fc
  .array(fc.oneof({ weight: 4, arbitrary: comparatorText }, noise), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(' '));

export const releaseText = fc
  .tuple(fc.nat(4), fc.nat(4), fc.nat(4))
  .map((segments) => segments.join('.'));

export const versionText = fc
  .tuple(releaseText, fc.constantFrom('', '', '-0', '-alpha', '-rc.1', '-rc.2', '+b'))
  .map((parts) => parts.join(''));
