/** What a tree draws before a name. */
const BRANCHES = /^[\s│├└─]*/u;
/** A hanging indent beyond this share of the width leaves too little room for text. */
const MAX_INDENT_SHARE = 0.6;

/**
 * Breaks a line that is wider than a terminal at blanks, and indents the rest: below the last
 * column of a table, behind the branches of a tree. A word that is too long stays whole.
 */
export function foldLine(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const indent = hangingIndent(line, width);
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const least = lines.length === 0 ? (BRANCHES.exec(line)?.[0].length ?? 0) : indent.length;
    const before = rest.lastIndexOf(' ', width);
    const at = before > least ? before : rest.indexOf(' ', Math.max(width, least));
    if (at < 0) break;
    lines.push(rest.slice(0, at).trimEnd());
    rest = `${indent}${rest.slice(at).trimStart()}`;
  }
  return [...lines, rest];
}

function hangingIndent(line: string, width: number): string {
  const branches = BRANCHES.exec(line)?.[0] ?? '';
  const drawn = branches.replaceAll(/[^\s│]/gu, (mark) => (mark === '├' ? '│' : ' '));
  const gap = line.lastIndexOf('  ');
  const column = gap + 2;
  const hangs = gap > branches.length && column <= width * MAX_INDENT_SHARE;
  return hangs ? drawn.padEnd(column) : `${drawn}    `;
}
