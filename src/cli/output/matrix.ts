import { shortNames } from '../../explain/short/short-names.js';
import type { Repository } from '../../model/package.js';
import type { Matrix } from '../../usecases/matrix.js';
import type { PartShard } from '../each/parts/asked.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { coreJson } from './answer/answer-json.js';
import { jsonDocument } from './json-document.js';
import { counted } from './counted.js';

/** Of packages that move from row to row, as many are named; the others are counted. */
const MAX_MOVES_NAMED = 3;

/** A row as JSON has it. */
export interface MatrixRowDocument {
  readonly from: string;
  readonly to: string;
  readonly releases: readonly string[];
  readonly status: 'solved' | 'unsolvable' | 'gave-up';
  /** Of a row that works. */
  readonly packages?: readonly { readonly source: string; readonly version: string }[];
  /** Of one that does not. */
  readonly reason?: string;
  readonly core?: readonly { readonly demand?: { readonly by: string; readonly on: string } }[];
}

/** All rows, as JSON has them. */
export interface MatrixRows {
  readonly rows: readonly MatrixRowDocument[];
}

/**
 * One line a row: the releases, whether the set works on them, and what changes there or why not.
 * Names are shortened as in a refusal, and a last line says where packages are from.
 */
export function matrixLines({ rows }: MatrixRows): string[] {
  const lines = fullLines(rows);
  const known = new Set<string>(rows.flatMap(repositoriesIn));
  const words = lines.flatMap((line) => line.match(WORD) ?? []);
  const named = words.filter((word): word is Repository => known.has(word));
  const { name, note } = shortNames(named);
  const told = new Map<string, string>(named.map((each) => [each, name(each)]));
  const short = lines.map((line) => line.replaceAll(WORD, (word) => told.get(word) ?? word));
  return note === undefined ? short : [...short, note];
}

/** Names of packages stand between blanks and signs of this sort. */
const WORD = /[^\s`(),;]+/g;

function repositoriesIn({ packages = [], core = [] }: MatrixRowDocument): readonly string[] {
  return [
    ...packages.map(({ source }) => source),
    ...core.flatMap(({ demand }) => (demand ? [demand.by, demand.on] : [])),
  ];
}

function fullLines(rows: MatrixRows['rows']): string[] {
  const names = rows.map(({ releases }) => span(releases));
  const width = Math.max(...names.map((name) => name.length));
  let before: Packages | undefined;
  return rows.map((row, i) => {
    const verdict = { solved: 'works', unsolvable: 'blocked', 'gave-up': 'unknown' }[row.status];
    const { packages, reason = '' } = row;
    const detail = packages === undefined ? reason : packagesText(packages, before);
    before = packages ?? before;
    return `${names[i]!.padEnd(width)}  ${verdict.padEnd(7)}  ${detail}`;
  });
}

/** On how many releases the set works, in one line. */
export function worksOnText({ rows }: Pick<Matrix, 'rows'>): string {
  const releases = rows.flatMap((row) => row.releases);
  const works = rows.flatMap((row) => (row.status === 'solved' ? row.releases : []));
  if (works.length === 0) return `works on none of ${counted(releases.length, 'release')}`;
  return `works on ${works.length} of ${counted(releases.length, 'release')}, the newest ${works.at(-1)}`;
}

/** Well if the set works on any release. */
export function matrixExitCode(rows: readonly { readonly status: string }[]): ExitCode {
  if (rows.some(({ status }) => status === 'solved')) return EXIT.done;
  return rows.some(({ status }) => status === 'gave-up') ? EXIT.gaveUp : EXIT.unsolvable;
}

/** `shard`: which part of the releases it is about; undefined: all. */
export function matrixJson(found: Matrix, bytes: number, shard?: PartShard): string {
  return jsonDocument({ shard, ...matrixRows(found), stats: { ...found.stats, bytes } });
}

export function matrixRows({ rows }: Matrix): MatrixRows {
  return {
    rows: rows.map((row) => ({
      from: row.releases[0]!,
      to: row.releases.at(-1)!,
      releases: row.releases,
      status: row.status,
      ...(row.status === 'solved' && {
        packages: row.packages.map(({ repository, version }) => ({ source: repository, version })),
      }),
      ...(row.status !== 'solved' && { reason: row.reason }),
      ...(row.status === 'unsolvable' && { core: coreJson(row.core) }),
    })),
  };
}

function span(releases: readonly string[]): string {
  const [first, last] = [releases[0]!, releases.at(-1)!];
  return first === last ? first : `${first} to ${last}`;
}

type Packages = NonNullable<MatrixRowDocument['packages']>;

/** How many packages there are, and what differs from the row before that works. */
function packagesText(packages: Packages, before: Packages | undefined): string {
  const count = counted(packages.length, 'package');
  if (before === undefined) return count;
  const old = new Map(before.map(({ source, version }) => [source, version]));
  const now = new Set(packages.map(({ source }) => source));
  const moved = packages.filter(({ source, version }) => {
    const from = old.get(source);
    return from !== undefined && from !== version;
  });
  const moves = moved
    .slice(0, MAX_MOVES_NAMED)
    .map(({ source, version }) => `${source} ${old.get(source)} → ${version}`);
  const left = moved.length - moves.length;
  const added = packages.filter(({ source }) => !old.has(source)).length;
  const removed = before.filter(({ source }) => !now.has(source)).length;
  const counts = [
    ...(left > 0 ? [`${left} more move`] : []),
    ...(added > 0 ? [`${added} added`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
  ];
  const changes = [...moves, ...counts].join(', ');
  return changes === '' ? count : `${count}: ${changes}`;
}
