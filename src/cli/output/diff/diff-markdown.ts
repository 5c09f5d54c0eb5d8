import type { PackageChange } from '../../../compare/package-changes.js';
import { DIFF_SEVERITIES, type DiffSeverity } from '../../../compare/severity.js';
import type { Diff, ObjectChange } from '../../../usecases/diff/diff.js';
import { codeSpan } from '../../../text/markup/code-span.js';
import { counted } from '../counted.js';
import { shortVersion } from '../packages.js';
import { movedText, objectCounts, wantsText } from './diff-text.js';
import {
  foldedFindings,
  placesText,
  severityCounts,
  whereFolded,
  type FoldedFinding,
} from './folded-findings.js';

/** Lines of one list: forges cut comments at 65,536 characters. */
const MAX_LINES = 50;

const TITLES: Readonly<Record<DiffSeverity, string>> = {
  stored: 'breaks stored objects',
  writers: 'breaks writers',
  readers: 'breaks readers',
  harmless: 'harmless',
};

/** What two sets differ in, as a comment of a pull request: details are folded away. */
export function diffMarkdown(
  diff: Diff,
  shown: { readonly old: string; readonly new: string },
): string {
  const { packages, objects, findings } = diff;
  const heading = `### ${codeSpan(shown.old)} → ${codeSpan(shown.new)}`;
  const rows = packageRows(packages);
  if (rows.length + objects.length + findings.length === 0) {
    return `${heading}\n\nNothing differs.\n`;
  }
  return `${[
    heading,
    `**${severityCounts(diff)}**`,
    ...(rows.length === 0 ? [] : [table(['', 'package', 'version', ''], rows)]),
    ...(objects.length === 0
      ? []
      : [details(`objects: ${objectCounts(objects)}`, objects.map(objectItem))]),
    ...DIFF_SEVERITIES.flatMap((severity) => findingDetails(diff, severity)),
    ...diff.notes.map((note) => codeSpan(note)),
  ].join('\n\n')}\n`;
}

const row = (what: string, change: PackageChange, version: string) => [
  what,
  ...[change.repository, version, wantsText(change)].map((text) =>
    text === '' ? '' : codeSpan(text, { inTable: true }),
  ),
];

function packageRows({ added, removed, moved }: Diff['packages']): string[][] {
  return [
    ...removed.map((change) => row('removed', change, shortVersion(change.from!))),
    ...moved.map((change) => row('moved', change, movedText(change))),
    ...added.map((change) => row('added', change, shortVersion(change.to!))),
  ];
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(heading), line(heading.map(() => '---')), ...cut(rows.map(line))].join('\n');
}

function objectItem(object: ObjectChange): string {
  const named = `${object.kind} ${codeSpan(object.name)}`;
  if (object.change === 'schema') return `- changed: ${named}`;
  const [from, to] = [object.before, object.after].map((locked) =>
    locked === undefined ? '' : codeSpan(locked.repository),
  );
  if (object.change === 'owner') return `- changed owner: ${named} from ${from} to ${to}`;
  return `- ${object.change}: ${named} of ${from || to}`;
}

function findingDetails({ findings }: Diff, severity: DiffSeverity): string[] {
  const folded = foldedFindings(findings.filter((finding) => finding.severity === severity));
  if (folded.length === 0) return [];
  const count = folded.reduce((sum, each) => sum + each.count, 0);
  return [details(`${TITLES[severity]}: ${counted(count, 'finding')}`, folded.map(findingItem))];
}

function findingItem(folded: FoldedFinding): string {
  const { path, text, rule } = folded.first;
  const places = placesText(folded.first);
  return [
    `- ${path === '' ? '' : `${codeSpan(path)}: `}${codeSpan(text)} (${rule})`,
    `  <br>${codeSpan(whereFolded(folded))}${places === '' ? '' : `, ${codeSpan(places)}`}`,
  ].join('\n');
}

/** `summary` is in the tool's own words. */
function details(summary: string, items: readonly string[]): string {
  return `<details><summary>${summary}</summary>\n\n${cut(items).join('\n')}\n\n</details>`;
}

function cut(lines: readonly string[]): string[] {
  if (lines.length <= MAX_LINES) return [...lines];
  return [...lines.slice(0, MAX_LINES), `\n… and ${lines.length - MAX_LINES} more.`];
}
