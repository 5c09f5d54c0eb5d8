import type { Breakage, FuzzReport } from './fuzz.js';
import { rootName, type RootChoice } from './variations.js';
import type { PartShard } from '../../cli/projects/shards.js';
import { wrap } from '../../base/messages.js';
import * as json from '../../cli/kit/json-schema.js';
import { answerFields, answerParts } from '../resolve/answer-output.js';
import { amount } from '../../cli/terminal/package-text.js';

/** Maximum number of other examples of a breakage; further ones are counted. */
const MAX_OTHERS_SHOWN = 5;

const choice = json.record(
  {
    'source?': json.source,
    'version?': json.text('Version tried; absent: as it is asked for.'),
    'local?': json.text('Name of a package under development.'),
    'crd?': json.text('CRD that is asked for.'),
  },
  'A root of an example.',
);

/** A root of an example in JSON: it has one of `source`, `local` and `crd`. */
export type ChoiceDocument = json.Static<typeof choice>;

const exampleFields = {
  'foundAt?': json.count(
    'With `--shard`: the place of the trial that found it, among those of all parts.',
  ),
  packages: json.list(choice, 'Roots of the example.'),
  crossplane: json.crossplane,
};

const breakageSchema = json.record({
  ...exampleFields,
  brokenOn: json.texts('Releases on which it breaks.'),
  explanation: json.text('Why there is no answer.'),
  core: answerFields.core,
  suggestions: answerFields.suggestions,
  replay: json.text('Command that shows it again.'),
  others: json.list(json.record(exampleFields), 'Other examples of the same.'),
});

export type BreakageDocument = json.Static<typeof breakageSchema>;

const schema = {
  ...json.outputSchema('fuzz -o json', {
    'shard?': json.shard,
    seed: json.anything<number>('What the variations were drawn with.'),
    runs: json.count('How many were tried.'),
    gaveUp: json.count('Of how many nothing is known.'),
    releases: json.texts('Crossplane releases that were tried.'),
    varied: json.list(
      json.record({ source: json.source, versions: json.count('Versions it was varied among.') }),
      'Packages that were varied.',
    ),
    breakages: json.list(breakageSchema, 'What breaks.'),
    notes: json.notes,
  }),
  ...answerParts,
};

export type FuzzDocument = json.Static<typeof schema>;

export const fuzzOutput = json.valueOutput(schema);

/** Returns the result for a report. `replay` returns the command that reproduces a breakage. */
export function fuzzDocument(
  report: FuzzReport,
  shard: PartShard | undefined,
  replay: (breakage: Breakage) => string,
): FuzzDocument {
  const placeOf = (foundAt: number) => (shard === undefined ? undefined : foundAt);
  return {
    shard,
    ...report,
    varied: report.varied.map(({ repository, versions }) => ({ source: repository, versions })),
    breakages: report.breakages.map((breakage) => {
      const { example, foundAt, brokenOn, refusal, others } = breakage;
      return {
        foundAt: placeOf(foundAt),
        packages: example.choices.map(choiceJson),
        crossplane: example.release.version,
        brokenOn,
        explanation: refusal.explanation,
        core: refusal.core.map(({ kind, text, path }) => ({ kind, text, path })),
        suggestions: refusal.suggestions.map(({ text }) => ({ text })),
        replay: replay(breakage),
        others: others.map((other) => ({
          foundAt: placeOf(other.foundAt),
          packages: other.choices.map(choiceJson),
          crossplane: other.release,
        })),
      };
    }),
  };
}

/** Returns the document of a root. Without a version, the constraint of the request applies. */
function choiceJson({ root, tag }: RootChoice): ChoiceDocument {
  const name = rootName({ root });
  switch (root.root) {
    case 'package':
      return { source: name, version: tag };
    case 'local':
      return { local: name };
    case 'crd':
      return { crd: name };
  }
}

export function fuzzText(report: FuzzDocument): string[] {
  const { breakages, gaveUp, releases } = report;
  const versions = report.varied.map((each) => `${each.source} (${each.versions})`);
  const varied =
    versions.length === 0
      ? 'no package to vary: none is a root, or required by a local package'
      : `varied, each among so many versions: ${versions.join(', ')}`;
  return [
    `the set as it is, and ${amount(report.runs, 'variation')}, on ${amount(releases.length, 'release')} of Crossplane, seed ${report.seed}`,
    ...wrap(varied, '  ', '    '),
    ...(gaveUp > 0 ? [`  gave up on ${gaveUp} of them: of these nothing is known`] : []),
    '',
    breakages.length === 0 ? 'nothing breaks' : `breaks: ${breakages.length}`,
    ...breakages.flatMap((breakage, i) => ['', ...section(breakage, i + 1, releases)]),
  ];
}

function section(breakage: BreakageDocument, place: number, releases: readonly string[]): string[] {
  const { packages, brokenOn, explanation, others, replay } = breakage;
  const isEverywhere = releases.length > 1 && brokenOn.length === releases.length;
  const where = isEverywhere
    ? 'on every release tried'
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

function inWords(document: ChoiceDocument): string {
  const version = document.version ?? (document.source === undefined ? '' : '(as asked)');
  return `${nameOfChoice(document)} ${version}`.trim();
}

/** Returns the name of a root, which is the same in every example. */
export function nameOfChoice({ source, local, crd }: ChoiceDocument): string {
  return source ?? local ?? crd ?? '';
}

/** Returns releases as text; those adjacent in `all`, which is newest first, as `oldest to newest`. */
function spans(some: readonly string[], all: readonly string[]): string {
  const runs: string[][] = [[]];
  for (const release of all) {
    if (some.includes(release)) runs.at(-1)!.push(release);
    else runs.push([]);
  }
  return runs
    .filter((run) => run.length > 0)
    .map((run) => (run.length === 1 ? run[0]! : `${run.at(-1)} to ${run[0]}`))
    .join(', ');
}
