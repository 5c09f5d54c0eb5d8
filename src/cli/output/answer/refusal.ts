import type { CoreEntry } from '../../../explain/core-entries.js';
import type { GivenInputs } from '../../../inputs/edit/input-edit.js';
import { hintLines, type HintTextOptions } from '../../hints/hint-lines.js';
import { hintsOf } from '../../hints/hint.js';
import type { Unsolvable } from '../../../usecases/resolve/answer.js';
import { wrap } from '../../../text/wrap.js';

/** Lines of a refusal beyond which further hints are left to `--explain`. */
const MAX_LINES = 15;
/** Of requirements on one package; the rest is only counted. */
const MAX_REQUIREMENTS_SHOWN = 6;

/**
 * A refusal as text, short: who wants what, where that meets, and the hints that fit in below.
 */
export function refusalText(
  { summary, suggestions }: Unsolvable,
  inputs?: GivenInputs,
  options: HintTextOptions = {},
): string[] {
  const { width } = options;
  const lines = wrap(`error: ${summary.headline}`, '', '  ', width);
  if (summary.lines.length > 0) lines.push('');
  for (const line of summary.lines) {
    const indent = ' '.repeat(line.length - line.trimStart().length);
    lines.push(...wrap(line.trimStart(), `  ${indent}`, `    ${indent}`, width));
  }
  lines.push('');
  const hints = hintsOf(suggestions, inputs);
  for (let count = hints.length; count > 1; count--) {
    const told = hintLines(hints, inputs, count, options);
    if (lines.length + told.length <= MAX_LINES) return [...lines, ...told];
  }
  return [...lines, ...hintLines(hints, inputs, 1, options)];
}

/** The whole of a refusal: the argument step by step, the requirements on contested packages, all hints. */
export function explainedRefusalText(
  refusal: Unsolvable,
  inputs?: GivenInputs,
  options: HintTextOptions = {},
): string[] {
  const { width } = options;
  const { summary, explanation, core, suggestions } = refusal;
  const lines = [...wrap(`error: ${summary.headline}`, '', '  ', width), ''];
  for (const line of explanation.split('\n')) {
    lines.push(...(line === '' ? [''] : wrap(line, '  ', '    ', width)));
  }
  for (const [on, requirements] of contested(core)) {
    lines.push('', `who asks for ${on}:`);
    for (const entry of requirements.slice(0, MAX_REQUIREMENTS_SHOWN)) {
      lines.push(
        ...wrap(
          `\`${entry.requirement!.constraint}\` ${entry.path.join(' → ')}`,
          '  ',
          '    ',
          width,
        ),
      );
    }
    if (requirements.length > MAX_REQUIREMENTS_SHOWN)
      lines.push(`  and ${requirements.length - MAX_REQUIREMENTS_SHOWN} more`);
  }
  const hints = hintsOf(suggestions, inputs);
  return [...lines, '', ...hintLines(hints, inputs, hints.length, options)];
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
