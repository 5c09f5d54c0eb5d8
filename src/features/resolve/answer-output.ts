import {
  type AnswerDocument,
  type ChangeDocument,
  type CoreDocument,
  RESOLVE_OUTPUT_SCHEMA,
  type SuggestionDocument,
} from './answer-schema-output.js';
import { type Hint, hintsOf } from './hints.js';
import { mismatchesJson } from '../../cli/files/mismatches.js';
import { EXIT } from '../../cli/kit/command.js';
import { jsonOutput } from '../../cli/kit/json-schema.js';
import type { GivenInputs } from '../../project/edit/input-edit.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import type { CoreEntry } from '../../resolver/explain/refusal.js';
import type { Answer } from '../../resolver/resolve/answer.js';
import type { Movement } from '../../resolver/resolve/movements.js';

/** An answer, or what keeps it from being written. */
export interface PrintedAnswer {
  readonly answer: Answer;
  /** Bytes read from the network. */
  readonly bytes: number;
  /** Inputs that suggestions can change; undefined if suggestions are only printed. */
  readonly inputs?: GivenInputs | undefined;
  /** Locked packages or rendered manifests that do not match; undefined: none. */
  readonly mismatches?: readonly Mismatch[] | undefined;
}

/** Returns the document of an answer, or of the mismatches because of which it was not written. */
export function answerDocument({
  answer,
  bytes,
  inputs,
  mismatches,
}: PrintedAnswer): AnswerDocument {
  if (mismatches !== undefined) {
    const exitCode = EXIT.lockMismatch;
    return { status: 'mismatch', exitCode, mismatches: mismatchesJson(mismatches) };
  }
  return { ...answerBody(answer, inputs), stats: { ...answer.stats, bytes } };
}

export const answerOutput = jsonOutput(RESOLVE_OUTPUT_SCHEMA, answerDocument);

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
