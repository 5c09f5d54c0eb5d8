import type { CoreEntry } from '../../../explain/core-entries.js';
import type { Answer } from '../../../usecases/resolve/answer.js';
import { jsonDocument } from '../json-document.js';

/** The answer as one JSON document; its shape is part of the contract. */
export function answerJson(answer: Answer, bytes: number): string {
  const stats = { ...answer.stats, bytes };
  return jsonDocument({ ...body(answer), stats });
}

function body(answer: Answer): object {
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
        changes: answer.changes.map(({ repository, from, to, reason }) => ({
          source: repository,
          ...(from !== undefined && { from }),
          ...(to !== undefined && { to }),
          ...(reason !== undefined && { reason }),
        })),
        notes,
      };
    case 'unsolvable':
      return {
        status: answer.status,
        crossplane: answer.target.version,
        explanation: answer.explanation,
        core: coreJson(answer.core),
        suggestions: answer.suggestions,
        notes,
      };
    case 'gave-up':
      return { status: answer.status, notes };
  }
}

/** The core of an explanation. The contract's name for what an entry requires is `demand`. */
export function coreJson(core: readonly CoreEntry[]): object[] {
  return core.map(({ requirement, ...entry }) => ({
    ...entry,
    ...(requirement !== undefined && { demand: requirement }),
  }));
}
