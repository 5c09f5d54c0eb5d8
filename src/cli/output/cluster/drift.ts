import { formatOrigin } from '../../../model/input-error.js';
import type { Difference } from '../../../usecases/cluster/differences/difference.js';
import type { Drift } from '../../../usecases/cluster/drift.js';
import { counted } from '../counted.js';
import { jsonDocument } from '../json-document.js';
import { findingsJson, findingLines } from '../set-lint.js';

/** Whether the cluster is otherwise than locked, or something is wrong with it: information is not. */
export function hasDrifted({ differences, findings }: Drift): boolean {
  return differences.length > 0 || findings.some(({ severity }) => severity !== 'info');
}

/** Differences, then what is wrong with the cluster by itself, each with what to do. */
export function driftLines(drift: Drift, crossplane: string): string[] {
  const { differences, findings } = drift;
  return [
    ...differences.flatMap(({ origin, kind, text, fix }) => [
      `${origin === undefined ? '' : `${formatOrigin(origin)}: `}differs: ${text} [${kind}]`,
      `  fix: ${fix}`,
    ]),
    ...findingLines(findings),
    hasDrifted(drift)
      ? `the cluster has drifted from the lockfile for Crossplane ${crossplane}: ${counted(differences.length, 'difference')}, ${counted(findings.length, 'finding')}`
      : `the cluster is as locked for Crossplane ${crossplane}`,
  ];
}

export function driftJson(drift: Drift, crossplane: string): string {
  return jsonDocument({
    status: hasDrifted(drift) ? 'drifted' : 'same',
    crossplane,
    differences: drift.differences.map(differenceJson),
    findings: findingsJson(drift.findings),
    notes: drift.notes,
  });
}

function differenceJson({ kind, repository, origin, text, locked, found, fix }: Difference) {
  const place = { file: origin?.file, line: origin?.line };
  return { kind, source: repository, ...place, text, locked, found, fix };
}
