/** Lines of one list: forges cut comments at 65,536 characters. */
const MAX_ITEMS = 100;

/** A list that is folded away; `title` and `items` are Markdown. Without items, nothing. */
export function details(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const rest = items.length - MAX_ITEMS;
  const lines = items.slice(0, MAX_ITEMS).map((item) => `- ${item}`);
  if (rest > 0) lines.push(`- and ${rest} more`);
  return [`<details><summary>${title}</summary>\n\n${lines.join('\n')}\n\n</details>`];
}

/** A table; cells are Markdown. Without rows, nothing. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  return [[heading, heading.map(() => '---'), ...rows].map(row).join('\n')];
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
