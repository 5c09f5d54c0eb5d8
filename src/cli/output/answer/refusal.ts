import type { CoreEntry } from '../../../explain/core-entries.js';
import type { Unsolvable } from '../../../usecases/resolve/answer.js';
import { wrap } from '../../../text/wrap.js';

/** Of requirements on one package; the rest is only counted. */
const MAX_REQUIREMENTS_SHOWN = 6;

/** A refusal as text: the explanation, the requirements on contested packages, the suggestions. */
export function refusalText({ target, explanation, core, suggestions }: Unsolvable): string[] {
  const lines = [
    `error: no set of versions satisfies everything on Crossplane ${target.version}`,
    '',
  ];
  for (const line of explanation.split('\n')) {
    lines.push(...(line === '' ? [''] : wrap(line, '  ', '    ')));
  }
  for (const [on, requirements] of contested(core)) {
    lines.push('', `who asks for ${on}:`);
    for (const entry of requirements.slice(0, MAX_REQUIREMENTS_SHOWN)) {
      lines.push(
        ...wrap(`\`${entry.requirement!.constraint}\` ${entry.path.join(' → ')}`, '  ', '    '),
      );
    }
    if (requirements.length > MAX_REQUIREMENTS_SHOWN)
      lines.push(`  and ${requirements.length - MAX_REQUIREMENTS_SHOWN} more`);
  }
  lines.push('', ...hint(suggestions.length));
  for (const { text } of suggestions) lines.push(...wrap(text, '  - ', '    '));
  return lines;
}

/** Packages that several packages or roots require, with the entries of the core that say so. */
function contested(core: readonly CoreEntry[]): [string, CoreEntry[]][] {
  const requirements = new Map<string, CoreEntry[]>();
  for (const entry of core) {
    if (entry.requirement === undefined) continue;
    requirements.set(entry.requirement.on, [
      ...(requirements.get(entry.requirement.on) ?? []),
      entry,
    ]);
  }
  return [...requirements].filter(
    ([, entries]) => new Set(entries.map(({ requirement }) => requirement!.by)).size > 1,
  );
}

function hint(suggestions: number): string[] {
  return suggestions === 0
    ? ['hint: no single change to what you ask for was found that helps']
    : ['hint: each of these alone makes it solvable'];
}
