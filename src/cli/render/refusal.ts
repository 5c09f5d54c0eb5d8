import type { Unsolvable } from '../../resolve/resolve.js';
import { wrap } from './wrap.js';

/** Why there is no answer: what follows from what, who asks, and what would help. */
export function refusalText({ target, explanation, core, suggestions }: Unsolvable): string[] {
  const lines = [
    `error: no set of versions satisfies everything on Crossplane ${target.version}`,
    '',
  ];
  for (const line of explanation.split('\n')) {
    lines.push(...(line === '' ? [''] : wrap(line, '  ', '    ')));
  }
  lines.push('');
  lines.push('who asks for what:');
  for (const { text, path } of core) {
    lines.push(...wrap(text, '  - ', '    '));
    if (path.length > 1) lines.push(...wrap(`by way of ${path.join(' → ')}`, '      '));
  }
  lines.push('');
  if (suggestions.length === 0)
    lines.push('hint: no single change to what you ask for was found that helps');
  else lines.push('hint: each of these alone makes it solvable');
  for (const { text } of suggestions) lines.push(...wrap(text, '  - ', '    '));
  return lines;
}
