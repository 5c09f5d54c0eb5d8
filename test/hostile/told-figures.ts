/** What docs/trust.md says was tried, and how often: the rows of its table of figures. */
export function figuresIn(page: string): ReadonlyMap<string, number> {
  const [, section = ''] = page.split('\n## Figures\n');
  const [own = ''] = section.split('\n## ');
  const rows = [...own.matchAll(/^\| (.+?) \| ([\d,]+) \|/gm)];
  return new Map(rows.map(([, what, count]) => [what!, Number(count!.replaceAll(',', ''))]));
}
