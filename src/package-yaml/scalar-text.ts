import { getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';

/**
 * The text of a scalar as Go reads it.
 *
 * U+2028 and U+2029 end a line in Go and not in js-yaml. Go writes them into literal and
 * single-quoted scalars, with the indentation of a new line after them, which is taken off here.
 */
export function scalarText(source: string, scalar: ScalarEvent): string {
  const text = getScalarValue(source, scalar);
  if (!/[\u2028\u2029]/.test(text)) return text;
  if (scalar.style === SCALAR_STYLE.SINGLE_QUOTED) {
    return text.replaceAll(/([\u2028\u2029]) +/g, '$1');
  }
  if (scalar.style !== SCALAR_STYLE.LITERAL_BLOCK) return text;
  return text.replaceAll(new RegExp(`([\\u2028\\u2029]) {${scalar.indent}}`, 'g'), '$1');
}
