import type { OutdatedReport, AppliedSuggestion, Outdated } from './outdated.js';
import { codeSpan, shellCommand } from '../../base/escape.js';
import { wrap } from '../../base/messages.js';
import { type LockPlaces, singleStep, table } from '../../cli/findings/report-parts.js';
import type { Report, ReportFinding } from '../../cli/findings/report.js';
import { columns, amount } from '../../cli/terminal/package-text.js';
import { effectText } from '../../resolver/suggest/change-effect.js';
import { heldByText } from '../../resolver/resolve/blocked-by.js';
import * as json from '../../cli/kit/json-schema.js';
import { EFFECT_SCHEMA, HELD_BY_SCHEMA, heldByJson } from '../resolve/answer-output.js';
import type { GivenInputs } from '../../project/edit/input-edit.js';
import { editedTexts } from '../../project/edit/apply-patch.js';
import type { Suggestion } from '../../resolver/explain/refusal.js';
import { readRequestAndTexts } from '../../cli/arguments/input-flags.js';
import type { ResolveArgs } from '../../cli/arguments/resolve-flags.js';
import { repeatedFlags } from './moves-command.js';
import { type RunIo, silent } from '../../cli/terminal/io.js';
import { hintsOf } from '../resolve/refusal-output.js';

/** A row for each package, followed by what holds it back from the newest version, and advice. */
export function outdatedLines(packages: readonly AdvisedPackage[]): string[] {
  if (packages.length === 0) return [];
  const [heading, ...rows] = columns([
    ['package', 'locked', 'fits', 'newest'],
    ...packages.map(({ repository, version, fits, newest }) => [
      repository,
      version,
      fits === undefined || fits === version ? '-' : fits,
      newest,
    ]),
  ]);
  return [heading!, ...packages.flatMap((each, i) => [rows[i]!, ...heldLines(each)])];
}

function heldLines({ heldBy, advice }: Pick<AdvisedPackage, 'heldBy' | 'advice'>): string[] {
  if (heldBy === undefined) return [];
  const lines = wrap(`held by ${heldByText(heldBy)}`, '    ', '      ');
  if (advice === undefined) return lines;
  const { text, version, commands, effect } = advice;
  return [
    ...lines,
    ...wrap(`to move to ${version}: ${text}`, '    ', '      '),
    // A command is one line, however long.
    ...commands.map((command) => `      ${command}`),
    ...wrap(`effect: ${effectText(effect)}`, '      ', '        '),
  ];
}

/** Returns why an update changes nothing; `packages` have newer versions. */
export function stayingLines(packages: readonly AdvisedPackage[]): string[] {
  if (packages.length === 0) return ['nothing moves: there is nothing newer'];
  return packages.flatMap(({ repository, version, newest, ...held }) => [
    `nothing moves: ${repository} stays at ${version} (newest is ${newest})`,
    ...heldLines(held),
  ]);
}

/** `fails`: anything outdated fails the run. */
export function outdatedReport(
  { packages }: OutdatedReport,
  places: LockPlaces,
  fails: boolean,
): Report {
  const findings: ReportFinding[] = [];
  const rows: string[][] = [];
  for (const { repository, version, fits, newest, heldBy } of packages) {
    const update = fits === version ? undefined : fits;
    const by = heldBy && heldByText(heldBy);
    const text = [
      `${repository} ${version}: newest is ${newest}`,
      ...(update === undefined ? [] : [`an update locks ${update}`]),
      ...(by === undefined ? [] : [`held by ${by}`]),
    ].join('; ');
    const origin = places.of(repository);
    findings.push({ rule: 'outdated', severity: 'info', fails, origin, text });
    const cells = [repository, version, update, newest, by];
    rows.push(cells.map((cell) => (cell === undefined ? '' : codeSpan(cell, { inTable: true }))));
  }
  return singleStep({
    command: 'outdated',
    headline:
      packages.length === 0
        ? 'nothing newer'
        : `${amount(packages.length, 'package')} with newer versions`,
    findings,
    details: table(['package', 'locked', 'fits', 'newest', 'held by'], rows).join(''),
    isDetailed: true,
    outputs: { outdated: String(packages.length) },
  });
}

export interface OutdatedValue {
  readonly report: OutdatedReport;
  /** The packages of the report, with their advice as it is printed. */
  readonly packages: readonly AdvisedPackage[];
  readonly crossplane: string;
}

const advice = json.record(
  {
    text: json.text('What changes in the input files.'),
    version: json.text('Version that the commands lock.'),
    commands: json.texts(
      'Command lines, with the flags of this run that select the project, its sources and rules.',
    ),
    effect: EFFECT_SCHEMA,
  },
  'How to lock the newest version, where a way is known. It was tried.',
);

const schema = json.outputSchema('outdated -o json', {
  crossplane: json.crossplane,
  packages: json.list(
    json.record({
      source: json.source,
      version: json.version,
      'fits?': json.text(
        'What `update` of it would lock; absent: what is asked for has no answer.',
      ),
      newest: json.text('The newest version there is.'),
      'heldBy?': HELD_BY_SCHEMA,
      'advice?': advice,
    }),
    'Locked packages that are not at their newest version.',
  ),
  notes: json.notes,
});

export type OutdatedDocument = json.Static<typeof schema>;

export const outdatedOutput = json.jsonOutput(
  schema,
  ({ packages, report, crossplane: locked }: OutdatedValue): OutdatedDocument => ({
    crossplane: locked,
    packages: packages.map(({ repository, heldBy, ...each }) => ({
      source: repository,
      ...each,
      heldBy: heldByJson(heldBy),
    })),
    notes: report.notes,
  }),
);

/** Printed advice. Source flags are not among the words of its command lines. */
export type PrintedAdvice = json.Static<typeof advice>;

/** A package of the report, with its printed advice. */
export type AdvisedPackage = Omit<Outdated, 'advice'> & {
  readonly advice?: PrintedAdvice | undefined;
};

/** Applies each suggestion that changes only files: later commands would need the same flags. */
export function suggestionsApplied(
  args: ResolveArgs,
  given: GivenInputs,
  { io, skip }: { readonly io: RunIo; readonly skip: readonly string[] },
): (suggestions: readonly Suggestion[]) => Promise<readonly AppliedSuggestion[]> {
  return async (suggestions) => {
    const applied: AppliedSuggestion[] = [];
    for (const [i, { text, effect, edit }] of hintsOf(suggestions, given).entries()) {
      if (edit === undefined || edit.args !== undefined || edit.refs !== undefined) continue;
      const texts = editedTexts(edit.files, given.texts);
      if (texts.has('-')) continue;
      const unsaved = new Map([...given.texts, ...texts]);
      const { request } = await readRequestAndTexts(args, silent(io), { skip, unsaved });
      applied.push({ number: i + 1, text, effect, request });
    }
    return applied;
  };
}

/** Returns the packages with their advice as command lines. */
export function withPrintedAdvice(
  packages: readonly Outdated[],
  args: ResolveArgs & { readonly out?: string },
  io: RunIo,
): readonly AdvisedPackage[] {
  return packages.map(({ advice, ...each }) => {
    if (advice === undefined) return each;
    const { version, hint, change, effect } = advice;
    const words = [
      'xpkg-resolve',
      'update',
      `${each.repository}@${version}`,
      ...(hint === undefined ? [] : ['--apply-hint', String(hint)]),
      ...repeatedFlags(args, io),
    ];
    const text = change ?? 'no file changes';
    return { ...each, advice: { text, version, commands: [shellCommand(words)], effect } };
  });
}
