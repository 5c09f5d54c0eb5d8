import { compareReleases, type FleetPackage, compareWithUsual } from './compare-projects.js';
import { getOrCreate } from '../../base/collections.js';
import { LINE_WIDTH, shortList } from '../../base/messages.js';
import { EXIT } from '../../cli/kit/command.js';
import * as json from '../../cli/kit/json-schema.js';
import type { PrintedResult } from '../../cli/projects/project-results.js';
import { columns, amount, shortVersion } from '../../cli/terminal/package-text.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { shortNames } from '../../crossplane/packages/repository-names.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import type { Answer } from '../../resolver/resolve/answer.js';
import { changesJson } from '../resolve/answer-output.js';

/** Maximum number of projects of a version, and of changes of an update; others are counted. */
const MAX_LISTED = 3;

/**
 * Returns the versions of each package in a table: a column for each project if that fits, else the
 * number of projects with each version. Then lists projects that are behind, and updates.
 */
export function fleetText(sets: readonly FleetSet[], packages: readonly FleetPackage[]): string[] {
  const locked = sets.filter(({ lockfile }) => lockfile !== undefined);
  const nameOf = setNames(sets.map(({ set }) => set));
  const short = shortNames(packages.map(({ repository }) => repository));
  const releases = compareReleases(
    locked.map(({ set, lockfile }) => ({ set, crossplane: lockfile!.crossplane })),
  );
  const name = (repository: Repository) =>
    repository === releases?.repository ? repository : short.name(repository);
  const compared = [...(releases === undefined ? [] : [releases]), ...packages];
  const columnPerProject = columns([
    ['package', ...locked.map(({ set }) => nameOf(set))],
    ...compared.map((each) => [
      name(each.repository),
      ...locked.map(({ set }) => mark(versionIn(set, each), each.usual)),
    ]),
  ]);
  const fits = columnPerProject.every((line) => line.length <= LINE_WIDTH);
  const versionTable = fits
    ? columnPerProject
    : byVersion(compared, locked.length, { name, nameOf });
  return [
    ...(compared.length === 0 ? [] : versionTable),
    ...(short.note === undefined ? [] : [short.note]),
    ...[behindLines(packages, { name, nameOf }), updates(sets, { name, nameOf })].flatMap(
      (lines) => (lines.length === 0 ? [] : ['', ...lines]),
    ),
  ];
}

interface Names {
  readonly name: (repository: Repository) => string;
  readonly nameOf: (set: string) => string;
}

function versionIn(set: string, { versions }: FleetPackage): string | undefined {
  return versions.find(({ sets }) => sets.includes(set))?.version;
}

/** Marks a version that differs from the most common one. */
function mark(version: string | undefined, usual: string): string {
  if (version === undefined) return '-';
  return `${shortVersion(version)}${SIGNS[compareWithUsual(version, usual)]}`;
}

const SIGNS = { usual: '', behind: ' <', ahead: ' >', other: ' ?' };

function byVersion(packages: readonly FleetPackage[], all: number, names: Names): string[] {
  const rows = packages.flatMap(({ repository, usual, versions }) =>
    versions.map(({ version, sets }, i) => [
      i === 0 ? names.name(repository) : '',
      mark(version, usual),
      sets.length === all ? 'all' : `${sets.length} of ${all}`,
      version === usual ? '' : shortList(sets.map(names.nameOf), MAX_LISTED),
    ]),
  );
  return columns([['package', 'version', 'sets', ''], ...rows]);
}

function behindLines(packages: readonly FleetPackage[], { name, nameOf }: Names): string[] {
  const behind = new Map<string, string[]>();
  for (const { repository, usual, versions } of packages) {
    for (const { version, sets } of versions) {
      if (compareWithUsual(version, usual) !== 'behind') continue;
      const what = `${name(repository)} ${shortVersion(version)} (${prevalenceText(usual, versions)})`;
      for (const set of sets) getOrCreate(behind, set, () => []).push(what);
    }
  }
  if (behind.size === 0) return [];
  const rows = [...behind].map(([set, what]) => [nameOf(set), what.join(', ')]);
  return [`stragglers: ${amount(behind.size, 'set')}`, ...columns(rows)];
}

/** Describes how many projects have a version: `2 others have v1.2.0`. */
function prevalenceText(version: string, versions: FleetPackage['versions']): string {
  const all = versions.reduce((sum, { sets }) => sum + sets.length, 0);
  const { length: having } = versions.find((each) => each.version === version)!.sets;
  const who =
    having > all / 2 ? 'most have' : having === 1 ? '1 other has' : `${having} others have`;
  return `${who} ${shortVersion(version)}`;
}

function updates(sets: readonly FleetSet[], { name, nameOf }: Names): string[] {
  if (sets.every(({ update }) => update === undefined)) return [];
  const rows = sets.flatMap(({ set, update }) => {
    if (update?.status !== 'solved' || update.changes.length === 0) return [];
    const changes = update.changes.map(({ repository, from, to }) => {
      const before = from === undefined ? '' : ` ${shortVersion(from)}`;
      return `${name(repository)}${before} → ${to === undefined ? 'none' : shortVersion(to)}`;
    });
    return [[nameOf(set), shortList(changes, MAX_LISTED)]];
  });
  const all = amount(sets.length, 'set');
  const failed = sets.filter(({ exitCode }) => exitCode !== EXIT.done);
  const { length: refused } = failed.filter(({ update }) => update?.status === 'unsolvable');
  if (refused === sets.length) return ['no set has an answer to such an update'];
  const unknown = failed.length - refused;
  if (unknown === sets.length) return ['of no set is it known what an update would touch'];
  const summary = [
    `an update would touch ${rows.length === 0 ? 'no set' : `${rows.length} of ${all}`}`,
  ];
  if (refused > 0) {
    summary.push(`${refused} of ${all} ${refused === 1 ? 'has' : 'have'} no answer to it`);
  }
  if (unknown > 0) summary.push(`of ${unknown} of ${all} that is not known`);
  return [summary.join('; '), ...columns(rows)];
}

/** Returns names of projects without their common folders and file name. */
function setNames(sets: readonly string[]): (set: string) => string {
  const paths = sets.map((set) => set.split('/'));
  const shortest = Math.min(...paths.map(({ length }) => length));
  const same = (at: (path: readonly string[]) => string | undefined) =>
    new Set(paths.map(at)).size === 1;
  let from = 0;
  while (from < shortest - 1 && same((path) => path[from])) from++;
  let to = 0;
  while (to < shortest - from - 1 && same((path) => path.at(-1 - to))) to++;
  if (sets.length < 2) return (set) => set;
  return (set) => {
    const path = set.split('/');
    return path.slice(from, path.length - to).join('/');
  };
}

const schema = json.outputSchema('fleet -o json, a line', {
  set: json.text('File of the set.'),
  exitCode: json.count(
    '0; 4 where it has no lockfile; that of `update` where an update would fail.',
  ),
  headline: json.text('How it stands, in one line.'),
  'status?': json.oneOf(
    ['error', 'mismatch', 'unsolvable', 'gave-up'],
    'Of a set that failed: how, with the fields of error-output, mismatch-output or resolve-output.',
  ),
  'crossplane?': json.text(
    'Crossplane release that it is locked for; absent: there is no lockfile.',
  ),
  'packages?': json.list(
    json.record({
      source: json.source,
      version: json.version,
      usual: json.text('The version that most sets have of it; of several, the newest.'),
      standing: json.oneOf(
        ['usual', 'behind', 'ahead', 'other'],
        'How the version compares with the usual one.',
      ),
    }),
    'What is locked, by source.',
  ),
  'update?': json.record(
    {
      status: json.oneOf(['solved', 'unsolvable', 'gave-up'], 'Whether there would be an answer.'),
      changes: json.list(
        json.record({
          source: json.source,
          'from?': json.text('Version that is locked; absent: the package is added.'),
          'to?': json.text('Version that would be; absent: the package is removed.'),
          'reason?': json.text('Why.'),
        }),
        'What would move; empty: nothing.',
      ),
    },
    'What an update would touch; absent: none was looked for, or it is about no package here.',
  ),
});

/** The schema of a line; `fleetDocuments` writes them. */
export const fleetOutput = json.jsonOutput(schema, () => undefined);

/** Returns a document for each project. */
export function fleetDocuments({
  sets,
  packages,
}: FleetValue): readonly json.Static<typeof schema>[] {
  const usualVersions = new Map(packages.map((each) => [each.repository, each.usual]));
  return sets.map(({ set, exitCode, headline, out, lockfile, update }) => ({
    set,
    exitCode,
    headline,
    ...failureIn(out),
    // A project without an answer still has a lockfile.
    crossplane: lockfile?.crossplane,
    packages: lockfile?.packages.map(({ repository, version }) => {
      const usual = usualVersions.get(repository)!;
      return { source: repository, version, usual, standing: compareWithUsual(version, usual) };
    }),
    update: update && {
      status: update.status,
      changes: update.status === 'solved' ? changesJson(update.changes) : [],
    },
  }));
}

/** The error in the format of every command; the exit code is already set. */
function failureIn(out: string): object {
  if (out === '') return {};
  const { schemaVersion: _, exitCode: __, ...failure } = JSON.parse(out) as Record<string, unknown>;
  return failure;
}

/** A control plane whose lockfile was read. */
export interface InspectedProject {
  readonly lockfile: Lockfile;
  /** The result of an update; undefined if no source was queried, or the project has none of the packages. */
  readonly update: Answer | undefined;
}

/** The result for one control plane. */
type FleetSet = PrintedResult & Partial<InspectedProject>;

export interface FleetValue {
  readonly sets: readonly FleetSet[];
  readonly packages: readonly FleetPackage[];
}
