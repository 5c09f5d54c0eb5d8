import type { FileEdit, GivenInputs } from '../../inputs/edit/input-edit.js';
import { editedTexts } from '../../inputs/edit/edited-texts.js';
import { InputError } from '../../model/input-error.js';
import { shellLine } from '../output/shell-line.js';
import { wrap } from '../../text/wrap.js';
import type { Hint } from './hint.js';

export interface HintTextOptions {
  /** Of a terminal that is narrower than lines are otherwise. */
  readonly width?: number | undefined;
  /** Flags that name this set alone; undefined: the run is about no other. */
  readonly alone?: string | undefined;
}

/** The first so many hints, each with the lines to write, and how many there are beyond. */
export function hintLines(
  hints: readonly Hint[],
  inputs: GivenInputs | undefined,
  count: number,
  { width, alone }: HintTextOptions = {},
): string[] {
  const [first] = hints;
  if (first === undefined) return ['hint: no change to what you ask for was found that helps'];
  const more = hints.length > count ? [`${hints.length - count} more with --explain`] : [];
  const linesOf = (hint: Hint, indent: string) =>
    linesToWrite(hint, inputs).map((line) => indent + line);
  if (count === 1) {
    const taking = first.edit === undefined ? [] : [`${applying('1', alone)} makes the change`];
    const rest = [...taking, ...more].join('; ');
    const told = wrap(`hint: ${first.text}`, '', '  ', width);
    return [...told, ...linesOf(first, '    '), ...(rest === '' ? [] : [`  ${rest}`])];
  }
  const taking = first.edit === undefined ? '' : `; ${applying('N', alone)} makes the change`;
  return [
    `hint: each of these alone makes it solvable${taking}`,
    ...hints
      .slice(0, count)
      .flatMap((hint, i) => [
        ...wrap(hint.text, `  ${i + 1}. `, '     ', width),
        ...linesOf(hint, '       '),
      ]),
    ...more.map((text) => `  ${text}`),
  ];
}

/** What makes the change of a hint: of many sets, a run for this one alone does. */
function applying(which: string, alone: string | undefined): string {
  return alone === undefined
    ? `\`--apply-hint ${which}\``
    : `\`${alone} --apply-hint ${which}\` in place of \`--each\``;
}

/** What a hint changes: `xpkg.yaml:12: version: ^v2.0.0`, and words of the command line. */
export function linesToWrite({ edit }: Hint, inputs: GivenInputs | undefined): readonly string[] {
  if (edit === undefined || inputs === undefined) return [];
  const { files, refs, args = [] } = edit;
  const fresh = refs?.filter((ref) => !inputs.refs.includes(ref)) ?? [];
  const words = [...args, ...fresh];
  return [
    ...unlessImpossible(() => fileLines(files, inputs.texts)),
    ...(words.length === 0 ? [] : [`command line: ${shellLine(words)}`]),
  ];
}

/** A text that cannot be edited in place has no lines to show. */
function unlessImpossible(lines: () => readonly string[]): readonly string[] {
  try {
    return lines();
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}

function fileLines(
  files: readonly FileEdit[],
  texts: ReadonlyMap<string, string>,
): readonly string[] {
  let now = texts;
  return files.flatMap((edit) =>
    edit.patch.flatMap((operation) => {
      const before = now.get(edit.file) ?? '';
      const edited = editedTexts([{ ...edit, patch: [operation] }], now);
      now = new Map([...now, ...edited]);
      return operation.op === 'remove' ? [] : written(edit.file, before, edited.get(edit.file)!);
    }),
  );
}

/** The lines of a text that another has not, after the place of the first. */
function written(file: string, before: string, after: string): readonly string[] {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  const first = fresh.findIndex((line, i) => line !== old[i]);
  const most = Math.min(old.length, fresh.length) - first;
  let same = 0;
  while (same < most && old.at(-1 - same) === fresh.at(-1 - same)) same++;
  const lines = fresh.slice(first, fresh.length - same).map((line) => line.trimEnd());
  const place = `${file === '-' ? 'stdin' : file}:${first + 1}:`;
  return lines.length === 1 ? [`${place} ${lines[0]!.trimStart()}`] : [place, ...lines];
}
