/** Formats rows as text with aligned columns: words to the left, numbers to the right. */
export function table(rows: readonly (readonly (string | number)[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => String(row[i]).length)));
  const line = (row: readonly (string | number)[]) =>
    row
      .map((cell, i) =>
        typeof cell === 'number' ? String(cell).padStart(widths[i]!) : cell.padEnd(widths[i]!),
      )
      .join('  ')
      .trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}
