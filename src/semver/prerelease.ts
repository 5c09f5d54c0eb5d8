const MAX_UINT64 = '18446744073709551615';
const DIGITS = /^[0-9]+$/;

/**
 * Order of two non-empty prereleases: field by field, numbers below words, the shorter list first.
 *
 * `sameNumber` decides between numbers that differ in spelling only (`01`, `1`): Go calls the first
 * the lesser whichever way round they stand, which sorts nothing; 0 goes on to the next field.
 */
export function comparePrereleases(
  a: readonly string[],
  b: readonly string[],
  sameNumber: -1 | 0,
): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    if (a[i] === b[i]) continue;
    const order = compareFields(a[i]!, b[i]!) || sameNumber;
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

function compareFields(a: string, b: string): number {
  const numericA = isNumber(a);
  if (numericA !== isNumber(b)) return numericA ? -1 : 1;
  return numericA ? compareDigits(a, b) : a < b ? -1 : 1;
}

/** Equal for prereleases of equal precedence, and only for them. */
export function prereleaseKey(fields: readonly string[]): string {
  return fields
    .map((field) => (isNumber(field) ? withoutLeadingZeros(field) || '0' : field))
    .join('.');
}

/** Digits that fit in a uint64: Go takes anything longer for a word. */
function isNumber(field: string): boolean {
  if (!DIGITS.test(field)) return false;
  return field.length < MAX_UINT64.length || compareDigits(field, MAX_UINT64) <= 0;
}

/** Order of two strings of digits by value. */
export function compareDigits(a: string, b: string): number {
  const x = withoutLeadingZeros(a);
  const y = withoutLeadingZeros(b);
  if (x.length !== y.length) return x.length < y.length ? -1 : 1;
  return x === y ? 0 : x < y ? -1 : 1;
}

function withoutLeadingZeros(digits: string): string {
  let zeros = 0;
  while (digits.charCodeAt(zeros) === 48) zeros++;
  return zeros === 0 ? digits : digits.slice(zeros);
}
