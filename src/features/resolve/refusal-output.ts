import { groupBy } from '../../base/collections.js';
import { InputError } from '../../base/errors.js';
import { shellCommand } from '../../base/escape.js';
import { wrap } from '../../base/messages.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { editedTexts } from '../../project/edit/apply-patch.js';
import {
  type FileEdit,
  type GivenInputs,
  type InputEdit,
  inputEdit,
} from '../../project/edit/input-edit.js';
import type { CoreEntry, Suggestion } from '../../resolver/explain/refusal.js';
import type { Unsolvable } from '../../resolver/resolve/answer.js';
import { effectText, type ChangeEffect } from '../../resolver/suggest/change-effect.js';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** A suggestion, and its changes to the inputs. */
export interface Hint {
  readonly text: string;
  /** Effect on the locked packages; undefined for advice without changes. */
  readonly effect: ChangeEffect | undefined;
  /** undefined if the inputs are unknown or cannot express it. */
  readonly edit: InputEdit | undefined;
}

/** Hints in the order of their numbers; only those that can be applied, if the inputs are known. */
export function hintsOf(
  suggestions: readonly Suggestion[],
  inputs: GivenInputs | undefined,
): readonly Hint[] {
  const hints = suggestions.map(({ text, effect, edits }) => ({
    text,
    effect,
    edit: inputs && inputEdit(edits, inputs),
  }));
  if (inputs === undefined) return hints;
  return hints.filter(({ edit }) => edit !== undefined && canApply(edit, inputs));
}

/** Whether all files can be edited in place and no new file would overwrite an existing one. */
function canApply({ files }: InputEdit, inputs: GivenInputs): boolean {
  const { texts, cwd } = inputs;
  const wouldReplace = (file: string) =>
    !texts.has(file) && cwd !== undefined && existsSync(resolve(cwd, file));
  if (files.some(({ file }) => wouldReplace(file))) return false;
  try {
    editedTexts(files, texts);
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

/** Number of lines after which further hints are only shown with `--explain`. */
const MAX_LINES = 20;
/** Maximum number of requirements listed for a package; further ones are counted. */
const MAX_REQUIREMENTS_SHOWN = 6;

/** Returns a refusal in short: the conflicting requirements, and the hints that fit below them. */
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
    const shown = hintLines(hints, inputs, count, options);
    if (lines.length + shown.length <= MAX_LINES) return [...lines, ...shown];
  }
  return [...lines, ...hintLines(hints, inputs, 1, options)];
}

/** Returns a complete refusal: the proof step by step, requirements on contested packages, all hints. */
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
  for (const [on, requirements] of contestedPackages(core)) {
    lines.push('', `who asks for ${on}:`);
    for (const entry of requirements.slice(0, MAX_REQUIREMENTS_SHOWN)) {
      const line = `\`${entry.requirement!.constraint}\` ${entry.path.join(' → ')}`;
      lines.push(...wrap(line, '  ', '    ', width));
    }
    if (requirements.length > MAX_REQUIREMENTS_SHOWN)
      lines.push(`  and ${requirements.length - MAX_REQUIREMENTS_SHOWN} more`);
  }
  const hints = hintsOf(suggestions, inputs);
  return [...lines, '', ...hintLines(hints, inputs, hints.length, options)];
}

/** Packages that several packages or roots require, with the entries of the core that require them. */
function contestedPackages(core: readonly CoreEntry[]): [string, CoreEntry[]][] {
  const requirements = core.filter(({ requirement }) => requirement !== undefined);
  return [...groupBy(requirements, ({ requirement }) => requirement!.on)].filter(
    ([, entries]) => new Set(entries.map(({ requirement }) => requirement!.by)).size > 1,
  );
}

interface HintTextOptions {
  /** Width of a terminal that is narrower than the usual lines. */
  readonly width?: number | undefined;
  /** Flags that select only this project; undefined if the run has only one. */
  readonly alone?: string | undefined;
  /** The command for `--apply-hint`, if it differs from the command that prints the hints. */
  readonly command?: string | undefined;
}

/** Returns the first hints, each with the lines to write, and the number of the others. */
function hintLines(
  hints: readonly Hint[],
  inputs: GivenInputs | undefined,
  count: number,
  { width, alone, command }: HintTextOptions = {},
): string[] {
  const [first] = hints;
  if (first === undefined) return ['hint: no change to what you ask for was found that helps'];
  const more = hints.length > count ? [`${hints.length - count} more with --explain`] : [];
  const linesOf = (hint: Hint, indent: string) =>
    linesToWrite(hint, inputs).map((line) => indent + line);
  const flag = applyCommand(count === 1 ? '1' : 'N', { alone, command });
  const taking = first.edit === undefined ? [] : [`${flag} makes the change`];
  if (count === 1) {
    const rest = [...taking, ...more].join('; ');
    return [
      ...wrap(`hint: ${textWithEffect(first)}`, '', '  ', width),
      ...linesOf(first, '    '),
      ...(rest === '' ? [] : [`  ${rest}`]),
    ];
  }
  return [
    ['hint: each of these alone makes it solvable', ...taking].join('; '),
    ...hints
      .slice(0, count)
      .flatMap((hint, i) => [
        ...wrap(textWithEffect(hint), `  ${i + 1}. `, '     ', width),
        ...linesOf(hint, '       '),
      ]),
    ...more.map((text) => `  ${text}`),
  ];
}

/** The change, and its effect on the locked packages. */
function textWithEffect({ text, effect }: Hint): string {
  return effect === undefined ? text : `${text}; effect: ${effectText(effect)}`;
}

/** Returns the command that applies a hint; with `--each`, for this project alone. */
function applyCommand(which: string, { alone, command }: HintTextOptions): string {
  if (command !== undefined) return `\`${command} --apply-hint ${which}\``;
  return alone === undefined
    ? `\`--apply-hint ${which}\``
    : `\`${alone} --apply-hint ${which}\` in place of \`--each\``;
}

/** Returns the changes of a hint: `xpkg.yaml:12: version: ^v2.0.0`, and words of the command line. */
function linesToWrite({ edit }: Hint, inputs: GivenInputs | undefined): readonly string[] {
  if (edit === undefined || inputs === undefined) return [];
  const { files, refs, args = [] } = edit;
  const newRefs = refs?.filter((ref) => !inputs.refs.includes(ref)) ?? [];
  const words = [...args, ...newRefs];
  return [
    ...fileLines(files, inputs.texts),
    ...(words.length === 0 ? [] : [`command line: ${shellCommand(words)}`]),
  ];
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
      return operation.op === 'remove' ? [] : diffLines(edit.file, before, edited.get(edit.file)!);
    }),
  );
}

/** Returns the lines that only one of two texts has, from the first difference. */
function diffLines(file: string, before: string, after: string): readonly string[] {
  const [old, edited] = [before.split('\n'), after.split('\n')];
  const first = edited.findIndex((line, i) => line !== old[i]);
  const most = Math.min(old.length, edited.length) - first;
  let same = 0;
  while (same < most && old.at(-1 - same) === edited.at(-1 - same)) same++;
  const lines = edited.slice(first, edited.length - same).map((line) => line.trimEnd());
  const place = `${file === '-' ? 'stdin' : file}:${first + 1}:`;
  return lines.length === 1 ? [`${place} ${lines[0]!.trimStart()}`] : [place, ...lines];
}

/** Applies the hint with that number (from 1) and prints its changes. Returns the new texts. */
export function takeHint(
  number: number,
  { suggestions }: Unsolvable,
  inputs: GivenInputs,
  io: RunIo,
): { readonly edit: InputEdit; readonly texts: ReadonlyMap<string, string> } {
  const hints = hintsOf(suggestions, inputs);
  const hint = hints[number - 1];
  if (hint?.edit === undefined) {
    const found = hints.length === 0 ? 'none was found' : `there are ${hints.length}`;
    throw new InputError(`there is no hint ${number}: ${found}`, {
      hint: 'the command without `--apply-hint` shows them',
    });
  }
  const { edit } = hint;
  const texts = editedTexts(edit.files, inputs.texts);
  io.note(`hint ${number}: ${textWithEffect(hint)}`);
  for (const line of linesToWrite(hint, inputs)) io.note(`  ${line}`);
  if (texts.has('-')) io.note('note: standard input cannot be written: change what gives it');
  return { edit, texts };
}
