import type { CoreEntry } from '../../../explain/core-entries.js';
import type { Unsolvable } from '../../../usecases/resolve/answer.js';
import { wrap } from '../../../text/wrap.js';

/** How many demands on one package are listed before the rest is only counted. */
const MOST = 6;

/** Why there is no answer: what follows from what, who asks for the same thing, what would help. */
export function refusalText({ target, explanation, core, suggestions }: Unsolvable): string[] {
  const lines = [
    `error: no set of versions satisfies everything on Crossplane ${target.version}`,
    '',
  ];
  for (const line of explanation.split('\n')) {
    lines.push(...(line === '' ? [''] : wrap(line, '  ', '    ')));
  }
  for (const [on, demands] of contested(core)) {
    lines.push('', `who asks for ${on}:`);
    for (const demand of demands.slice(0, MOST)) {
      lines.push(
        ...wrap(`\`${demand.requirement!.constraint}\` ${demand.path.join(' → ')}`, '  ', '    '),
      );
    }
    if (demands.length > MOST) lines.push(`  and ${demands.length - MOST} more`);
  }
  lines.push('', ...hint(suggestions.length));
  for (const { text } of suggestions) lines.push(...wrap(text, '  - ', '    '));
  return lines;
}

/** Packages that more than one asks for: that is where requirements meet. */
function contested(core: readonly CoreEntry[]): [string, CoreEntry[]][] {
  const demands = new Map<string, CoreEntry[]>();
  for (const entry of core) {
    if (entry.requirement === undefined) continue;
    demands.set(entry.requirement.on, [...(demands.get(entry.requirement.on) ?? []), entry]);
  }
  return [...demands].filter(
    ([, entries]) => new Set(entries.map(({ requirement }) => requirement!.by)).size > 1,
  );
}

function hint(suggestions: number): string[] {
  return suggestions === 0
    ? ['hint: no single change to what you ask for was found that helps']
    : ['hint: each of these alone makes it solvable'];
}
