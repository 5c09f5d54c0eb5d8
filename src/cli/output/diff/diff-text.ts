import type { PackageChange, Want } from '../../../compare/package-changes.js';
import { wrap } from '../../../text/wrap.js';
import type { Diff, ObjectChange } from '../../../usecases/diff/diff.js';
import type { DiffFinding } from '../../../usecases/diff/diff-finding.js';
import { columns, shortVersion } from '../packages.js';
import {
  countedRules,
  foldedFindings,
  isWorthTelling,
  placesText,
  severityCounts,
  whereFolded,
  type FoldedFinding,
} from './folded-findings.js';

/** How much of each list is shown, so that all of it fits a screen. */
const SHOWN_PACKAGES = 10;
const SHOWN_OBJECTS = 6;
const SHOWN_FINDINGS = 8;

/** What two sets differ in: a screenful, worst first; `all`: everything. */
export function diffLines(diff: Diff, { all }: { readonly all: boolean }): string[] {
  const most = (count: number) => (all ? Infinity : count);
  const lines = [
    ...packageSection(diff, most(SHOWN_PACKAGES)),
    ...objectSection(diff, most(SHOWN_OBJECTS)),
    ...findingSection(diff, most(SHOWN_FINDINGS), all),
  ];
  return lines.length === 0 ? ['nothing differs'] : lines;
}

function packageSection({ packages }: Diff, most: number): string[] {
  const { added, removed, moved } = packages;
  const rows = [
    ...removed.map((each) => ['-', each.repository, shortVersion(each.from!), wantsText(each)]),
    ...moved.map((each) => ['~', each.repository, movedText(each), wantsText(each)]),
    ...added.map((each) => ['+', each.repository, shortVersion(each.to!), wantsText(each)]),
  ];
  if (rows.length === 0) return [];
  const counts = `${added.length} added, ${removed.length} removed, ${moved.length} moved`;
  return [`packages: ${counts}`, ...cut(columns(rows), most)];
}

/** `v1.20.0 → v1.23.0`; of a tag that was moved, what it names. */
export function movedText({ from, to, movedTag }: PackageChange): string {
  if (movedTag === undefined) return `${shortVersion(from!)} → ${shortVersion(to!)}`;
  return `${to!} (${shortVersion(movedTag.from)} → ${shortVersion(movedTag.to)})`;
}

/** Who wants a package, the first by name. */
export function wantsText({ wantedBy, after }: PackageChange): string {
  const [first, ...more] = wantedBy;
  if (first === undefined) return '';
  const verb = after === undefined ? 'was wanted by' : 'wanted by';
  return `${verb} ${wantText(first)}${more.length === 0 ? '' : ` and ${more.length} more`}`;
}

function wantText(want: Want): string {
  if (want.by === 'user') return 'you';
  return `${want.repository} ${shortVersion(want.version)} (${want.constraint || 'any'})`;
}

function objectSection({ objects }: Diff, most: number): string[] {
  if (objects.length === 0) return [];
  const told = objects.filter(({ change }) => change === 'removed' || change === 'owner');
  return [`objects: ${objectCounts(objects)}`, ...cut(told.map(objectLine), most)];
}

/** `12 added, 3 removed, 1 changed owner, 40 changed`. */
export function objectCounts(objects: readonly ObjectChange[]): string {
  const count = (change: ObjectChange['change']) =>
    objects.filter((each) => each.change === change).length;
  return `${count('added')} added, ${count('removed')} removed, ${count('owner')} changed owner, ${count('schema')} changed`;
}

function objectLine(change: ObjectChange): string {
  const { kind, name } = change;
  if (change.change === 'owner') {
    return `  > ${kind} ${name} from ${change.before!.repository} to ${change.after!.repository}`;
  }
  return change.change === 'removed'
    ? `  - ${kind} ${name} of ${change.before!.repository}`
    : `  ${kind} ${name}`;
}

function findingSection(diff: Diff, most: number, all: boolean): string[] {
  const { findings } = diff;
  if (findings.length === 0) return [];
  const isTold = (finding: DiffFinding) =>
    all || finding.severity !== 'harmless' || isWorthTelling(finding);
  const told = findings.filter(isTold);
  const folded = foldedFindings(told);
  const lines = folded.slice(0, most).flatMap(findingLines);
  const left = folded.length - Math.min(most, folded.length);
  const harmless = countedRules(findings.filter((finding) => !isTold(finding)));
  return [
    `findings: ${severityCounts(diff)}`,
    ...lines,
    ...(left > 0 ? [`  … and ${left} more; \`--all\` shows them`] : []),
    ...(harmless.length > 0
      ? wrap(`harmless: ${harmless.map(([rule, n]) => `${n} ${rule}`).join(', ')}`, '  ', '    ')
      : []),
  ];
}

function findingLines(folded: FoldedFinding): string[] {
  const { severity, path, text, rule } = folded.first;
  const at = path === '' ? '' : `\`${path}\` `;
  const places = placesText(folded.first);
  return [
    ...wrap(`${at}${text} [${rule}]`, `  ${severity.padEnd(8)} `, ' '.repeat(11)),
    ...wrap(`${whereFolded(folded)}${places && `: ${places}`}`, ' '.repeat(11), ' '.repeat(13)),
  ];
}

function cut(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most), `  … and ${lines.length - most} more; \`--all\` shows them`];
}
