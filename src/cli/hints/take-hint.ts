import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { editedTexts } from '../../inputs/edit/edited-texts.js';
import type { GivenInputs, InputEdit } from '../../inputs/edit/input-edit.js';
import { InputError } from '../../model/input-error.js';
import type { Unsolvable } from '../../usecases/resolve/answer.js';
import type { Io } from '../io/io.js';
import { hintsOf } from './hint.js';
import { linesToWrite } from './hint-lines.js';

/** A hint that was taken. */
export interface TakenHint {
  readonly edit: InputEdit;
  /** The texts of files, and of standard input, that it changes. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Takes the hint of that number, from 1, and tells what changes; files are written later. */
export function takeHint(
  number: number,
  { suggestions }: Unsolvable,
  inputs: GivenInputs,
  io: Io,
): TakenHint {
  const hints = hintsOf(suggestions, inputs);
  const hint = hints[number - 1];
  if (hint?.edit === undefined) {
    const found = hints.length === 0 ? 'none was found' : `there are ${hints.length}`;
    throw new InputError(`there is no hint ${number}: ${found}`, {
      hint: 'the command without `--apply-hint` shows them',
    });
  }
  const { edit } = hint;
  for (const { file } of edit.files) refuseToReplace(file, inputs, io);
  const texts = editedTexts(edit.files, inputs.texts);
  io.note(`hint ${number}: ${hint.text}`);
  for (const line of linesToWrite(hint, inputs)) io.note(`  ${line}`);
  if (texts.has('-')) io.note('note: standard input cannot be written: change what gives it');
  return { edit, texts };
}

/** A file that a hint makes anew must not be there. */
function refuseToReplace(file: string, { texts }: GivenInputs, { cwd }: Io): void {
  if (texts.has(file) || !existsSync(resolve(cwd, file))) return;
  throw new InputError(`\`${file}\` is there already, and is not replaced`, {
    hint: `name it with \`-f ${file}\`, or write the lines into another PackageSet`,
  });
}
