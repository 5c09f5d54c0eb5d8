/** Returns the rows of the table of figures in docs/trust.md: what was tried, and how often. */
export function documentedFigures(page: string): ReadonlyMap<string, number> {
  const [, section = ''] = page.split('\n## Figures\n');
  const [own = ''] = section.split('\n## ');
  const rows = [...own.matchAll(/^\| (.+?) \| ([\d,]+) \|/gm)];
  return new Map(rows.map(([, what, count]) => [what!, Number(count!.replaceAll(',', ''))]));
}
