import type { Breakage, FuzzReport } from './fuzz.js';
import { rootName, type RootChoice } from './variations.js';
import type { PartShard } from '../../cli/projects/shards.js';
import { wrap } from '../../base/messages.js';
import { counted } from '../../cli/terminal/package-text.js';

/** A breakage, and the command that reproduces it. */
type Replayable = Breakage & { readonly replay: string };

type Report = Omit<FuzzReport, 'breakages'> & { readonly breakages: readonly Replayable[] };

/** Maximum number of other examples of a breakage; further ones are counted. */
const MAX_OTHERS_SHOWN = 5;

/** A root of an example in JSON: it has one of `source`, `local` and `crd`. */
export interface ChoiceDocument {
  readonly source?: string;
  readonly version?: string;
  readonly local?: string;
  readonly crd?: string;
}

interface ExampleDocument {
  /** For a shard: the position of the trial among those of all shards. */
  readonly foundAt?: number;
  readonly packages: readonly ChoiceDocument[];
  readonly crossplane: string;
}

/** A breakage in JSON. */
export interface BreakageDocument extends ExampleDocument {
  readonly brokenOn: readonly string[];
  readonly explanation: string;
  readonly replay: string;
  readonly others: readonly ExampleDocument[];
}

/** The result of fuzzing in JSON. */
export interface FuzzDocument {
  readonly shard?: PartShard | undefined;
  readonly seed: number;
  readonly runs: number;
  readonly gaveUp: number;
  readonly releases: readonly string[];
  readonly varied: readonly { readonly source: string; readonly versions: number }[];
  readonly breakages: readonly BreakageDocument[];
  readonly notes: readonly string[];
}

/** `shard`: the tried part of the variations; undefined for all. */
export function fuzzDocument(
  { breakages, varied, ...report }: Report,
  shard?: PartShard,
): FuzzDocument {
  const place = (foundAt: number) => (shard === undefined ? {} : { foundAt });
  return {
    shard,
    seed: report.seed,
    runs: report.runs,
    gaveUp: report.gaveUp,
    releases: report.releases,
    varied: varied.map(({ repository, versions }) => ({ source: repository, versions })),
    breakages: breakages.map(({ example, foundAt, brokenOn, refusal, others, replay }) => ({
      ...place(foundAt),
      packages: example.choices.map(choiceJson),
      crossplane: example.release.version,
      brokenOn,
      explanation: refusal.explanation,
      core: refusal.core.map(({ kind, text, path }) => ({ kind, text, path })),
      suggestions: refusal.suggestions.map(({ text }) => ({ text })),
      replay,
      others: others.map(({ choices, release, ...other }) => ({
        ...place(other.foundAt),
        packages: choices.map(choiceJson),
        crossplane: release,
      })),
    })),
    notes: report.notes,
  };
}

/** A root of an example; without a version, the user's own constraint applies. */
function choiceJson(choice: RootChoice): ChoiceDocument {
  const name = rootName(choice);
  switch (choice.root.root) {
    case 'package':
      return { source: name, ...(choice.tag !== undefined && { version: choice.tag }) };
    case 'local':
      return { local: name };
    case 'crd':
      return { crd: name };
  }
}

export function fuzzText(report: FuzzDocument): string[] {
  const { breakages, varied, releases } = report;
  const versions = varied.map(({ source, versions: count }) => `${source} (${count})`);
  const lines = [
    `the set as it is, and ${counted(report.runs, 'variation')}, on ${counted(releases.length, 'release')} of Crossplane, seed ${report.seed}`,
    ...wrap(
      versions.length === 0
        ? 'no package to vary: none is a root, or required by a local package'
        : `varied, each among so many versions: ${versions.join(', ')}`,
      '  ',
      '    ',
    ),
  ];
  if (report.gaveUp > 0)
    lines.push(`  gave up on ${report.gaveUp} of them: of these nothing is known`);
  lines.push('', breakages.length === 0 ? 'nothing breaks' : `breaks: ${breakages.length}`);
  return [
    ...lines,
    ...breakages.flatMap((breakage, i) => ['', ...section(breakage, i + 1, releases)]),
  ];
}

function section(breakage: BreakageDocument, place: number, releases: readonly string[]): string[] {
  const { packages, brokenOn, explanation, others, replay } = breakage;
  const where =
    brokenOn.length === releases.length
      ? releases.length === 1
        ? `on Crossplane ${releases[0]}`
        : 'on every release tried'
      : `on Crossplane ${spans(brokenOn, releases)}`;
  const shown = others
    .slice(0, MAX_OTHERS_SHOWN)
    .map((other) => other.packages.map(inWords).join(' + '));
  const more = others.length - shown.length;
  if (more > 0) shown.push(`and ${more} more`);
  return [
    ...wrap(`${place}. ${packages.map(inWords).join(' + ')}`, '', '   '),
    ...wrap(where, '   '),
    '',
    ...explanation.split('\n').flatMap((line) => (line === '' ? [''] : wrap(line, '   ', '     '))),
    '',
    ...(shown.length === 0
      ? []
      : ['   and so do', ...shown.flatMap((other) => wrap(other, '     ', '       '))]),
    '   again:',
    ...replay.split('\n').map((line, i) => (i === 0 ? `     ${line}` : line)),
  ];
}

function inWords(choice: ChoiceDocument): string {
  const version = choice.version ?? (choice.source === undefined ? '' : '(as asked)');
  return `${nameOfChoice(choice)} ${version}`.trim();
}

/** The name of a root, equal in every example. */
export function nameOfChoice({ source, local, crd }: ChoiceDocument): string {
  return source ?? local ?? crd ?? '';
}

/** Joins releases that are neighbours in `all`, which is newest first, to `oldest to newest`. */
function spans(some: readonly string[], all: readonly string[]): string {
  const runs: string[][] = [];
  for (const release of all) {
    const last = runs.at(-1);
    if (!some.includes(release)) runs.push([]);
    else if (last === undefined) runs.push([release]);
    else last.push(release);
  }
  return runs
    .filter((run) => run.length > 0)
    .map((run) => (run.length === 1 ? run[0]! : `${run.at(-1)} to ${run[0]}`))
    .join(', ');
}
