/** Returns the anchors that GitHub gives the headings of a page. */
export function anchorsOf(markdown: string): string[] {
  const seen = new Map<string, number>();
  return headingsOf(markdown).map((heading) => {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '').replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** Returns the texts of all headings outside code blocks. */
export function headingsOf(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '');
  return Array.from(prose.matchAll(/^#+ (.+)$/gm), ([, heading]) => heading!);
}
