import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { InputError } from '../../base/errors.js';
import { editedTexts } from '../../project/edit/apply-patch.js';
import { type GivenInputs, inputEdit, type InputEdit } from '../../project/edit/input-edit.js';
import type { Suggestion } from '../../resolver/explain/refusal.js';
import type { ChangeEffect } from '../../resolver/suggest/change-effect.js';

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

/** Whether every file can be edited in place, and a new file would replace none. */
function canApply({ files }: InputEdit, inputs: GivenInputs): boolean {
  if (files.some(({ file }) => wouldReplace(file, inputs))) return false;
  try {
    editedTexts(files, inputs.texts);
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

function wouldReplace(file: string, { texts, cwd }: GivenInputs): boolean {
  return !texts.has(file) && cwd !== undefined && existsSync(resolve(cwd, file));
}
