import type { CoreEntry } from '../../../explain/core-entries.js';
import type { GivenInputs } from '../../../inputs/edit/input-edit.js';
import { hintJson } from '../../hints/hint-json.js';
import { hintsOf } from '../../hints/hint.js';
import type { Answer } from '../../../usecases/resolve/answer.js';
import type { Movement } from '../../../usecases/resolve/movement.js';
import { jsonDocument } from '../json-document.js';

/** The answer as one JSON document; its shape is part of the contract. */
export function answerJson(answer: Answer, bytes: number, inputs?: GivenInputs): string {
  const stats = { ...answer.stats, bytes };
  return jsonDocument({ ...answerBody(answer, inputs), stats });
}

/** All of it but what it took. */
export function answerBody(answer: Answer, inputs?: GivenInputs): object {
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

/** What moved, and why. */
export function changesJson(changes: readonly Movement[]): object[] {
  return changes.map(({ repository, from, to, reason }) => ({
    source: repository,
    from,
    to,
    reason,
  }));
}

/** The core of an explanation. The contract's name for what an entry requires is `demand`. */
export function coreJson(core: readonly CoreEntry[]): object[] {
  return core.map(({ requirement, ...entry }) => ({
    ...entry,
    ...(requirement !== undefined && { demand: requirement }),
  }));
}
