import type { PackageChange, Want } from './changes.js';
import type { Diff, ObjectChange } from './diff.js';
import {
  bySeverity,
  DIFF_SEVERITIES,
  type DiffFinding,
  type DiffPlace,
  type DiffSeverity,
  isAsSevereAs,
} from './findings.js';
import { getOrCreate } from '../../base/collections.js';
import { codeSpan } from '../../base/escape.js';
import { wrap } from '../../base/messages.js';
import { type LockPlaces, singleStep, table } from '../../cli/findings/report-parts.js';
import type { Report, ReportFinding, ReportSeverity } from '../../cli/findings/report.js';
import * as json from '../../cli/kit/json-schema.js';
import { columns, amount, shortVersion } from '../../cli/terminal/package-text.js';
import { API_DROPPED } from '../../crossplane/packages/advice.js';
import { OWNED_KINDS } from '../../crossplane/packages/owned-objects.js';
import { PACKAGE_KINDS } from '../../crossplane/packages/package.js';
import type { LockedPackage } from '../../project/lockfile/lockfile.js';

/** Maximum length of each list, so that the output fits a screen. */
const SHOWN_PACKAGES = 10;
const SHOWN_OBJECTS = 6;
const SHOWN_FINDINGS = 8;

/** Returns the differences between two package sets as text, worst first: one screen, or everything with `all`. */
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
  const rows = packageRows(packages).map(([change, ...cells]) => [SIGNS[change], ...cells]);
  if (rows.length === 0) return [];
  const { added, removed, moved } = packages;
  const counts = `${added.length} added, ${removed.length} removed, ${moved.length} moved`;
  return [`packages: ${counts}`, ...truncatedText(columns(rows), most)];
}

const SIGNS = { removed: '-', moved: '~', added: '+' };

/** Returns a row for each changed package: change, repository, versions and requirers. */
function packageRows(packages: Diff['packages']) {
  return (['removed', 'moved', 'added'] as const).flatMap((change) =>
    packages[change].map(
      (each) => [change, each.repository, versionsText(each), wantsText(each)] as const,
    ),
  );
}

/** `v1.20.0 → v1.23.0`; for a moved tag, its digests; for an added or removed package, its version. */
function versionsText({ from, to, movedTag }: PackageChange): string {
  if (movedTag !== undefined) {
    return `${to!} (${shortVersion(movedTag.from)} → ${shortVersion(movedTag.to)})`;
  }
  return [from, to].flatMap((version) => (version ? shortVersion(version) : [])).join(' → ');
}

/** Returns the requirers of a package, the first by name. */
function wantsText({ wantedBy, after }: PackageChange): string {
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
  const lines = objects.flatMap((object) => {
    const named = `${object.kind} ${object.name}`;
    if (object.change === 'removed') return `  - ${named} of ${object.before!.repository}`;
    if (object.change !== 'owner') return [];
    return `  > ${named} from ${object.before!.repository} to ${object.after!.repository}`;
  });
  return [`objects: ${objectCounts(objects)}`, ...truncatedText(lines, most)];
}

/** `12 added, 3 removed, 1 changed owner, 40 changed`. */
function objectCounts(objects: readonly ObjectChange[]): string {
  const count = (change: ObjectChange['change']) =>
    objects.filter((each) => each.change === change).length;
  return `${count('added')} added, ${count('removed')} removed, ${count('owner')} changed owner, ${count('schema')} changed`;
}

function findingSection(diff: Diff, most: number, all: boolean): string[] {
  const { findings } = diff;
  if (findings.length === 0) return [];
  const isListed = (finding: DiffFinding) => all || isRelevant(finding);
  const items = foldedFindings(findings.filter(isListed)).map(findingLines);
  const harmless = countedRules(findings.filter((finding) => !isListed(finding)));
  return [
    `findings: ${severityCounts(diff)}`,
    ...truncatedText(items, most),
    ...(harmless === '' ? [] : wrap(`harmless: ${harmless}`, '  ', '    ')),
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

/** Returns the first items, each of one or more lines, and the number of the others. */
function truncatedText(items: readonly (string | string[])[], most: number): string[] {
  const lines = items.slice(0, most).flat();
  if (items.length <= most) return lines;
  return [...lines, `  … and ${items.length - most} more; \`--all\` shows them`];
}

/** Findings with the same message for several objects or versions. */
interface FoldedFinding {
  readonly first: DiffFinding;
  /** Total number. */
  readonly count: number;
  /** Objects that the findings are about. */
  readonly objects: number;
}

/** Groups findings with the same message and field, worst first, then the most frequent. */
function foldedFindings(findings: readonly DiffFinding[]): readonly FoldedFinding[] {
  const groups = new Map<string, DiffFinding[]>();
  for (const finding of findings) {
    const { severity, rule, path, text } = finding;
    const key = JSON.stringify([severity, rule, path, text]);
    getOrCreate(groups, key, () => []).push(finding);
  }
  return [...groups.values()]
    .map((group) => ({
      first: group[0]!,
      count: group.length,
      objects: new Set(group.map(({ object }) => `${object.kind} ${object.name}`)).size,
    }))
    .sort((a, b) => bySeverity(a.first.severity, b.first.severity) || b.count - a.count);
}

/** Counts findings by rule, the most frequent first: `3 field-added, 1 docs-changed`. */
function countedRules(findings: readonly DiffFinding[]): string {
  const counts = new Map<string, number>();
  for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([rule, count]) => `${count} ${rule}`).join(', ');
}

/** Whether a reviewer should see a finding: it breaks something, or changes permissions. */
function isRelevant({ rule, severity }: DiffFinding): boolean {
  return severity !== 'harmless' || rule.startsWith('permission-');
}

/** `2 break stored objects, 1 breaks writers, 40 harmless`. */
function severityCounts({ findings, omitted }: Diff): string {
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
function whereFolded({ first, objects }: FoldedFinding): string {
  const { object, claim, version } = first;
  const claimed = claim === undefined ? '' : ` (and its claim ${claim})`;
  const more = objects === 1 ? '' : ` and ${amount(objects - 1, 'more object')}`;
  return `${object.kind} ${object.name}${claimed}${version === '' ? '' : ` ${version}`}${more}`;
}

const placeText = (of: DiffFinding['before']) =>
  of === undefined ? 'gone' : `${of.version}${of.line === undefined ? '' : ` line ${of.line}`}`;

/** `v1.20.0 line 120 → v1.23.0 line 130`. */
function placesText({ before, after }: DiffFinding): string {
  return before === undefined && after === undefined
    ? ''
    : `${placeText(before)} → ${placeText(after)}`;
}

/** Maximum number of lines in a list: code hosts cut comments at 65,536 characters. */
const MAX_LINES = 50;

const TITLES: Readonly<Record<DiffSeverity, string>> = {
  stored: 'breaks stored objects',
  writers: 'breaks writers',
  readers: 'breaks readers',
  harmless: 'harmless',
};

/** Returns the differences between two package sets as Markdown for a pull request, with collapsed details. */
export function diffMarkdown(diff: Diff, shown: DiffValue['shown']): string {
  const { packages, objects, findings } = diff;
  const heading = `### ${codeSpan(shown.old)} → ${codeSpan(shown.new)}`;
  const rows = packageRows(packages).map(([change, ...cells]) => [
    change,
    ...cells.map((cell) => (cell === '' ? '' : codeSpan(cell, { inTable: true }))),
  ]);
  const isEmpty = rows.length + objects.length + findings.length === 0;
  return `${[
    heading,
    isEmpty ? 'Nothing differs.' : `**${severityCounts(diff)}**`,
    ...table(['', 'package', 'version', ''], rows.slice(0, MAX_LINES)),
    ...(rows.length > MAX_LINES ? [`… and ${rows.length - MAX_LINES} more.`] : []),
    ...(objects.length === 0
      ? []
      : [details(`objects: ${objectCounts(objects)}`, objects.map(objectItem))]),
    ...DIFF_SEVERITIES.flatMap((severity) => findingDetails(diff, severity)),
    ...diff.warnings.map(({ text }) => `> **Warning:** ${codeSpan(text)}`),
    ...diff.notes.map((note) => codeSpan(note)),
  ].join('\n\n')}\n`;
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
  return [details(`${TITLES[severity]}: ${amount(count, 'finding')}`, folded.map(findingItem))];
}

function findingItem(folded: FoldedFinding): string {
  const { path, text, rule } = folded.first;
  const places = placesText(folded.first);
  return [
    `- ${path === '' ? '' : `${codeSpan(path)}: `}${codeSpan(text)} (${rule})`,
    `  <br>${codeSpan(whereFolded(folded))}${places === '' ? '' : `, ${codeSpan(places)}`}`,
  ].join('\n');
}

/** Returns a collapsed list. `summary` is not escaped. */
function details(summary: string, items: readonly string[]): string {
  const more = items.length - MAX_LINES;
  const list = [...items.slice(0, MAX_LINES), ...(more > 0 ? [`\n… and ${more} more.`] : [])];
  return `<details><summary>${summary}</summary>\n\n${list.join('\n')}\n\n</details>`;
}

const SEVERITIES: Readonly<Record<DiffSeverity, ReportSeverity>> = {
  stored: 'error',
  writers: 'warning',
  readers: 'info',
  harmless: 'info',
};

/**
 * Returns the findings of a change, placed at the package in the new lockfile; harmless ones are
 * omitted. `limit`: the mildest severity that fails the run; undefined: none does.
 */
export function diffReport(
  { result: diff, shown }: DiffValue,
  places: LockPlaces,
  limit: DiffSeverity | undefined,
): Report {
  const findings = foldedFindings(diff.findings.filter(isRelevant)).map((folded) => {
    const { severity, path, text, rule, before, after } = folded.first;
    return {
      rule,
      severity: SEVERITIES[severity],
      fails: limit !== undefined && isAsSevereAs(severity, limit),
      origin: places.of((after ?? before)?.repository),
      text: `${whereFolded(folded)}: ${path === '' ? '' : `\`${path}\` `}${text}`,
    };
  });
  const dropped = diff.warnings.map(({ repository, text }): ReportFinding => {
    const origin = places.of(repository);
    return { rule: API_DROPPED, severity: 'warning', fails: false, origin, text };
  });
  const { added, removed, moved } = diff.packages;
  return singleStep({
    command: 'diff',
    headline: severityCounts(diff),
    findings: [...findings, ...dropped],
    details: diffMarkdown(diff, shown).trimEnd(),
    isDetailed: true,
    outputs: {
      added: String(added.length),
      removed: String(removed.length),
      moved: String(moved.length),
    },
  });
}

export interface DiffValue {
  readonly result: Diff;
  /** The two sides, as the user named them. */
  readonly shown: { readonly old: string; readonly new: string };
}

const severity = json.oneOf(
  DIFF_SEVERITIES,
  'What it does at worst: `stored` objects lose data or are refused, `writers` are refused or mean something else, `readers` meet something new, or it is harmless.',
);

const wantedBy = json.list(
  json.record({
    'user?': json.constant(true, 'The user asks for it.'),
    'source?': json.text('Package that requires it.'),
    'version?': json.text('Version of that package.'),
    'constraint?': json.text('What that package asks for.'),
  }),
  'Who wants it; of a package that is gone, who wanted it.',
);

const digest = json.text('Digest of the image.');
const packageEnd = json.record({
  source: json.source,
  version: json.version,
  'digest?': digest,
  wantedBy,
});
const place = json.record(
  {
    source: json.source,
    version: json.version,
    'line?': json.count('Line of its package.yaml, from 1.'),
  },
  'Where it stands.',
);

const schema = json.outputSchema('diff -o json', {
  old: json.text('What is compared, as it was named.'),
  new: json.text('What it is compared with.'),
  packages: json.record(
    {
      added: json.list(packageEnd, 'Packages that are new.'),
      removed: json.list(packageEnd, 'Packages that are gone.'),
      moved: json.list(
        json.record({
          source: json.source,
          from: json.text('Version that it was at.'),
          to: json.text('Version that it is at.'),
          'fromDigest?': digest,
          'toDigest?': digest,
          wantedBy,
        }),
        'Packages at another version, or at other bytes of it.',
      ),
    },
    'Packages that differ, by source.',
  ),
  objects: json.list(
    json.record({
      kind: json.oneOf(OWNED_KINDS, 'Kind of object; a claim is the CRD that an XRD adds.'),
      name: json.text('Its name.'),
      change: json.oneOf(['added', 'removed', 'owner', 'schema'], 'What changed of it.'),
      'from?': json.text('Package that owned it, where its owner changed.'),
      'to?': json.text('Package that owns it, where its owner changed.'),
    }),
    'Objects that differ, by kind and name.',
  ),
  findings: json.list(
    json.record({
      kind: json.oneOf(
        [...OWNED_KINDS, ...PACKAGE_KINDS],
        'Kind of the object, or of the package.',
      ),
      object: json.text('Name of the object, or source of the package.'),
      'claim?': json.text('Claim that it is true of, too.'),
      version: json.text(
        'Version of the API, `v1 -> v2` of two that differ; empty: all of the object.',
      ),
      path: json.text(
        'Field that it is about, such as `spec.forProvider.size`; empty: the object.',
      ),
      rule: json.text('Name of the rule.'),
      severity,
      text: json.text('What changed, and what that does.'),
      'from?': place,
      'to?': place,
    }),
    'What changes do, worst first.',
  ),
  omitted: json.list(
    json.record({ severity, count: json.count('How many.') }),
    'Findings that are too many to be listed.',
  ),
  warnings: json.texts('Metadata of packages that the newer release ignores.'),
  notes: json.notes,
});

/** All differences between two package sets, the worst findings first. */
export const diffOutput = json.jsonOutput(
  schema,
  ({ result: { packages, ...result }, shown }: DiffValue): json.Static<typeof schema> => ({
    ...shown,
    packages: {
      added: packages.added.map((change) => endDocument(change, change.after!)),
      removed: packages.removed.map((change) => endDocument(change, change.before!)),
      moved: packages.moved.map((change) => ({
        source: change.repository,
        from: change.from!,
        to: change.to!,
        fromDigest: change.before?.digest,
        toDigest: change.after?.digest,
        wantedBy: change.wantedBy.map(wantDocument),
      })),
    },
    objects: result.objects.map((object) => {
      const { kind, name, change } = object;
      if (object.change === 'schema') return { kind, name, change };
      return { kind, name, change, from: object.before?.repository, to: object.after?.repository };
    }),
    findings: result.findings.map(({ object, before, after, ...finding }) => ({
      kind: object.kind,
      object: object.name,
      claim: finding.claim,
      version: finding.version,
      path: finding.path,
      rule: finding.rule,
      severity: finding.severity,
      text: finding.text,
      from: before && placeDocument(before),
      to: after && placeDocument(after),
    })),
    omitted: result.omitted,
    warnings: result.warnings.map(({ text }) => text),
    notes: result.notes,
  }),
);

function endDocument(
  { repository, wantedBy: wants }: PackageChange,
  { version: at, digest: of }: LockedPackage,
): json.Static<typeof packageEnd> {
  return { source: repository, version: at, digest: of, wantedBy: wants.map(wantDocument) };
}

function wantDocument(want: Want): json.Static<typeof wantedBy>[number] {
  if (want.by === 'user') return { user: true };
  return { source: want.repository, version: want.version, constraint: want.constraint };
}

function placeDocument({ repository, version: at, line }: DiffPlace): json.Static<typeof place> {
  return { source: repository, version: at, line };
}
