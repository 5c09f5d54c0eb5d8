import { bySeverity } from '../../../compare/severity.js';
import type { Diff } from '../../../usecases/diff/diff.js';
import type { DiffFinding } from '../../../usecases/diff/diff-finding.js';
import { counted } from '../counted.js';

/** Findings that say the same of several objects or versions. */
export interface FoldedFinding {
  readonly first: DiffFinding;
  /** How many there are in all. */
  readonly count: number;
  /** Objects that they are about. */
  readonly objects: number;
}

/** Folds what says the same of the same field; worst first, then what is said most often. */
export function foldedFindings(findings: readonly DiffFinding[]): readonly FoldedFinding[] {
  const groups = new Map<string, DiffFinding[]>();
  for (const finding of findings) {
    const { severity, rule, path, text } = finding;
    const key = JSON.stringify([severity, rule, path, text]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return [...groups.values()]
    .map((group) => ({
      first: group[0]!,
      count: group.length,
      objects: new Set(group.map(({ object }) => `${object.kind} ${object.name}`)).size,
    }))
    .sort((a, b) => bySeverity(a.first.severity, b.first.severity) || b.count - a.count);
}

/** Harmless findings by rule, the most frequent first: `fields added` are many, and told as a number. */
export function countedRules(
  findings: readonly DiffFinding[],
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** What a reviewer should see though it breaks nothing. */
export function isWorthTelling({ rule }: DiffFinding): boolean {
  return rule.startsWith('permission-');
}

/** `2 break stored objects, 1 breaks writers, 40 harmless`. */
export function severityCounts({ findings, omitted }: Diff): string {
  const of = (severity: DiffFinding['severity']) =>
    findings.filter((finding) => finding.severity === severity).length +
    (omitted.find((more) => more.severity === severity)?.count ?? 0);
  const breaking = (['stored', 'writers', 'readers'] as const).map((severity) => {
    const count = of(severity);
    const verb = count === 1 ? 'breaks' : 'break';
    return `${count} ${verb} ${severity === 'stored' ? 'stored objects' : severity}`;
  });
  return [...breaking, `${of('harmless')} harmless`].join(', ');
}

/** `buckets.s3.example.org v1beta1 and 3 more objects`. */
export function whereFolded({ first, objects }: FoldedFinding): string {
  const { object, claim, version } = first;
  const claimed = claim === undefined ? '' : ` (and its claim ${claim})`;
  const more = objects === 1 ? '' : ` and ${counted(objects - 1, 'more object')}`;
  return `${object.kind} ${object.name}${claimed}${version === '' ? '' : ` ${version}`}${more}`;
}

const place = (of: DiffFinding['before']) =>
  of === undefined ? 'gone' : `${of.version}${of.line === undefined ? '' : ` line ${of.line}`}`;

/** `v1.20.0 line 120 → v1.23.0 line 130`. */
export function placesText({ before, after }: DiffFinding): string {
  return before === undefined && after === undefined ? '' : `${place(before)} → ${place(after)}`;
}
