import { shortNames } from '../../../explain/short/short-names.js';
import type { Repository } from '../../../model/package.js';
import { LINE_WIDTH } from '../../../text/wrap.js';
import { compareReleases, standingOf, type FleetPackage } from '../../../usecases/compare-fleet.js';
import { EXIT } from '../../exit-code.js';
import { counted } from '../counted.js';
import { columns, shortVersion } from '../packages.js';
import type { FleetSet } from './fleet-set.js';

/** Of sets with a version that others have not; the rest is only counted. */
const MAX_SETS_NAMED = 3;
/** Of changes that an update would make to a set. */
const MAX_CHANGES_NAMED = 3;

/**
 * Versions side by side, a column a set where that fits in a line, else a version with how many have
 * it; then who is behind, and what an update would touch.
 */
export function fleetText(sets: readonly FleetSet[], packages: readonly FleetPackage[]): string[] {
  const locked = sets.filter(({ lockfile }) => lockfile !== undefined);
  const nameOf = setNames(sets.map(({ set }) => set));
  const short = shortNames(packages.map(({ repository }) => repository));
  const { note } = short;
  const releases = compareReleases(
    locked.map(({ set, lockfile }) => ({ set, crossplane: lockfile!.crossplane })),
  );
  const name = (repository: Repository) =>
    repository === releases?.repository ? repository : short.name(repository);
  const compared = [...(releases === undefined ? [] : [releases]), ...packages];
  const bySet = columns([
    ['package', ...locked.map(({ set }) => nameOf(set))],
    ...compared.map((each) => [
      name(each.repository),
      ...locked.map(({ set }) => mark(versionIn(set, each), each.usual)),
    ]),
  ]);
  const fits = bySet.every((line) => line.length <= LINE_WIDTH);
  const sideBySide = fits ? bySet : byVersion(compared, locked.length, { name, nameOf });
  return [
    ...(compared.length === 0 ? [] : sideBySide),
    ...(note === undefined ? [] : [note]),
    ...section(stragglers(packages, { name, nameOf })),
    ...section(updates(sets, { name, nameOf })),
  ];
}

interface Names {
  readonly name: (repository: Repository) => string;
  readonly nameOf: (set: string) => string;
}

function section(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}

function versionIn(set: string, { versions }: FleetPackage): string | undefined {
  return versions.find(({ sets }) => sets.includes(set))?.version;
}

/** A version that is not the usual one is marked by where it stands. */
function mark(version: string | undefined, usual: string): string {
  if (version === undefined) return '-';
  const sign = { usual: '', behind: ' <', ahead: ' >', other: ' ?' }[standingOf(version, usual)];
  return `${shortVersion(version)}${sign}`;
}

function byVersion(packages: readonly FleetPackage[], all: number, names: Names): string[] {
  const rows = packages.flatMap(({ repository, usual, versions }) =>
    versions.map(({ version, sets }, i) => [
      i === 0 ? names.name(repository) : '',
      mark(version, usual),
      sets.length === all ? 'all' : `${sets.length} of ${all}`,
      version === usual ? '' : listed(sets.map(names.nameOf)),
    ]),
  );
  return columns([['package', 'version', 'sets', ''], ...rows]);
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_SETS_NAMED;
  const shown = names.slice(0, MAX_SETS_NAMED).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function stragglers(packages: readonly FleetPackage[], { name, nameOf }: Names): string[] {
  const behind = new Map<string, string[]>();
  for (const { repository, usual, versions } of packages) {
    for (const { version, sets } of versions) {
      if (standingOf(version, usual) !== 'behind') continue;
      const what = `${name(repository)} ${shortVersion(version)} (${whoHas(usual, versions)})`;
      for (const set of sets) behind.set(set, [...(behind.get(set) ?? []), what]);
    }
  }
  if (behind.size === 0) return [];
  const rows = [...behind].map(([set, what]) => [nameOf(set), what.join(', ')]);
  return [`stragglers: ${counted(behind.size, 'set')}`, ...columns(rows)];
}

/** Most sets that have the package, or so many. */
function whoHas(version: string, versions: FleetPackage['versions']): string {
  const all = versions.reduce((sum, { sets }) => sum + sets.length, 0);
  const { length: having } = versions.find((each) => each.version === version)!.sets;
  const who =
    having > all / 2 ? 'most have' : having === 1 ? '1 other has' : `${having} others have`;
  return `${who} ${shortVersion(version)}`;
}

function updates(sets: readonly FleetSet[], { name, nameOf }: Names): string[] {
  const asked = sets.filter(({ update }) => update !== undefined);
  if (asked.length === 0) return [];
  const rows = asked.flatMap(({ set, update }) => {
    if (update?.status !== 'solved' || update.changes.length === 0) return [];
    const changes = update.changes.map(({ repository, from, to }) =>
      [
        name(repository),
        from && shortVersion(from),
        '→',
        to === undefined ? 'none' : shortVersion(to),
      ]
        .filter((word) => word !== undefined)
        .join(' '),
    );
    const more = changes.length - MAX_CHANGES_NAMED;
    const shown = changes.slice(0, MAX_CHANGES_NAMED).join(', ');
    return [[nameOf(set), more > 0 ? `${shown} and ${more} more` : shown]];
  });
  const all = counted(sets.length, 'set');
  const failed = sets.filter(({ exitCode }) => exitCode !== EXIT.done);
  const { length: refused } = failed.filter(({ update }) => update?.status === 'unsolvable');
  if (refused === sets.length) return ['no set has an answer to such an update'];
  const unknown = failed.length - refused;
  if (unknown === sets.length) return ['of no set is it known what an update would touch'];
  const told = [
    `an update would touch ${rows.length === 0 ? 'no set' : `${rows.length} of ${all}`}`,
    ...(refused === 0
      ? []
      : [`${refused} of ${all} ${refused === 1 ? 'has' : 'have'} no answer to it`]),
    ...(unknown === 0 ? [] : [`of ${unknown} of ${all} that is not known`]),
  ];
  return [told.join('; '), ...columns(rows)];
}

/** Names of sets without the folders and the file name that all of them have. */
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
  return (set) =>
    set
      .split('/')
      .slice(from, to === 0 ? undefined : -to)
      .join('/');
}
