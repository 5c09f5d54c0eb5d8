import type {
  AnswerDocument,
  ChangeDocument,
  CoreDocument,
  SuggestionDocument,
} from './answer-schema-output.js';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { InputError } from '../../base/errors.js';
import { jsonDocument } from '../../cli/kit/command.js';
import { editedTexts } from '../../project/edit/apply-patch.js';
import { type GivenInputs, inputEdit, type InputEdit } from '../../project/edit/input-edit.js';
import type { CoreEntry, Suggestion } from '../../resolver/explain/refusal.js';
import type { Answer } from '../../resolver/resolve/answer.js';
import type { Movement } from '../../resolver/resolve/movements.js';
import type { ChangeEffect } from '../../resolver/suggest/change-effect.js';

/** Returns the answer as a JSON document, whose shape is stable. */
export function answerJson(answer: Answer, bytes: number, inputs?: GivenInputs): string {
  const stats = { ...answer.stats, bytes };
  return jsonDocument({ ...answerBody(answer, inputs), stats });
}

/** All fields except the statistics. */
export function answerBody(answer: Answer, inputs?: GivenInputs): AnswerDocument {
  const notes = [...answer.warnings, ...answer.notes];
  switch (answer.status) {
    case 'solved':
      return {
        status: answer.status,
        crossplane: answer.target.version,
        packages: answer.lockfile.packages.map((locked) => ({
          source: locked.repository,
          version: locked.version,
          ...(locked.digest !== undefined && { digest: locked.digest }),
          kind: locked.kind,
          name: locked.name,
          direct: locked.direct,
        })),
        changes: changesJson(answer.changes),
        notes,
      };
    case 'unsolvable':
      return {
        status: answer.status,
        crossplane: answer.target.version,
        summary: { headline: answer.summary.headline, lines: answer.summary.fullLines },
        explanation: answer.explanation,
        core: coreJson(answer.core),
        suggestions: hintsOf(answer.suggestions, inputs).map(hintJson),
        notes,
      };
    case 'gave-up':
      return {
        status: answer.status,
        ...(answer.reason !== undefined && { reason: answer.reason }),
        notes,
      };
  }
}

/** Changed packages and the reasons. */
export function changesJson(changes: readonly Movement[]): ChangeDocument[] {
  return changes.map(({ repository, from, to, reason }) => ({
    source: repository,
    from,
    to,
    reason,
  }));
}

/** The core of an explanation. The contract's name for what an entry requires is `demand`. */
export function coreJson(core: readonly CoreEntry[]): CoreDocument[] {
  return core.map(({ requirement, ...entry }) => ({
    ...entry,
    ...(requirement !== undefined && { demand: requirement }),
  }));
}

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

/**
 * A hint for programs. The first change to a file stands in the hint itself; `also` has those of
 * other documents.
 */
function hintJson({ text, effect, edit }: Hint): SuggestionDocument {
  const stated = { text, ...(effect && { effect }) };
  if (edit === undefined) return stated;
  const { files, refs, args } = edit;
  const [first, ...also] = files;
  return {
    ...stated,
    ...(first && { file: first.file, document: first.document, patch: first.patch }),
    ...(also.length > 0 && { also }),
    ...(refs && { refs }),
    ...(args && { args }),
  };
}
