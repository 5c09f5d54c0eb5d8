/** Formats rows as a Markdown table; the first is the header, numbers are right-aligned. */
export function markdown(rows: readonly (readonly (string | number)[])[]): string {
  const [head, ...body] = rows;
  const rule = head!.map((_, i) => (isNumeric(body[0]?.[i]) ? '---:' : '---'));
  return [head!, rule, ...body].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

function isNumeric(cell: string | number | undefined): boolean {
  return typeof cell === 'number' || /^[\d.]+( ×)?$/.test(cell ?? '');
}

/** Returns the quantile of some values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
