/** A number as short as pixels need it. */
export function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}
