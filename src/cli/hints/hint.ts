import type { Suggestion } from '../../explain/refusal.js';
import { inputEdit, type GivenInputs, type InputEdit } from '../../inputs/edit/input-edit.js';

/** A suggestion, and what it changes in what was given. */
export interface Hint {
  readonly text: string;
  /** undefined: what was given is not known, or has no place for it. */
  readonly edit: InputEdit | undefined;
}

/** Hints in the order of their numbers; where it is known what was given, those that can be taken. */
export function hintsOf(
  suggestions: readonly Suggestion[],
  inputs: GivenInputs | undefined,
): readonly Hint[] {
  const hints = suggestions.map(({ text, edits }) => ({
    text,
    edit: inputs && inputEdit(edits, inputs),
  }));
  return inputs === undefined ? hints : hints.filter(({ edit }) => edit !== undefined);
}
