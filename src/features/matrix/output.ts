import { type Matrix, type MatrixRow, releaseRange } from './matrix.js';
import { codeSpan } from '../../base/escape.js';
import { singleStep, table } from '../../cli/findings/report-parts.js';
import type { Report, ReportFinding } from '../../cli/findings/report.js';
import type { Outcome } from '../../cli/kit/command.js';
import * as json from '../../cli/kit/json-schema.js';
import type { PartShard } from '../../cli/projects/shards.js';
import { amount } from '../../cli/terminal/package-text.js';
import { API_DROPPED } from '../../crossplane/packages/advice.js';
import type { Candidate, Repository } from '../../crossplane/packages/package.js';
import { shortNames } from '../../crossplane/packages/repository-names.js';
import type { Request } from '../../project/inputs/request.js';
import { coreJson, answerFields } from '../resolve/answer-output.js';

export interface MatrixValue {
  readonly result: Matrix;
  readonly request: Request;
  /** Bytes read from the network. */
  readonly bytes: number;
  /** With `--shard`: the part of the releases that was checked. */
  readonly part: PartShard | undefined;
}

const row = json.record({
  from: json.text('Oldest release of the row.'),
  to: json.text('Newest release of the row.'),
  releases: json.texts('Every release of the row.'),
  status: json.oneOf(['solved', 'unsolvable', 'gave-up'], 'Whether the set works on them.'),
  'packages?': json.list(
    json.record({ source: json.source, version: json.version }),
    'What is chosen there.',
  ),
  'reason?': json.text('What blocks it, in one line.'),
  'core?': answerFields.core,
});

const schema = json.outputSchema('matrix -o json', {
  'shard?': json.shard,
  rows: json.list(row, 'Releases with the same answer, oldest first.'),
  stats: answerFields.stats,
});

export type MatrixRowDocument = json.Static<typeof row>;

/** The rows of a matrix, as `-o json` prints them. */
export interface MatrixRows {
  readonly rows: readonly MatrixRowDocument[];
}

export const matrixOutput = json.jsonOutput(
  schema,
  ({ result, bytes, part }: MatrixValue): json.Static<typeof schema> => ({
    shard: part,
    ...matrixRows(result),
    stats: { ...result.stats, bytes },
  }),
);

export function matrixRows({ rows }: Matrix): MatrixRows {
  return {
    rows: rows.map((each) => ({
      from: each.releases[0]!,
      to: each.releases.at(-1)!,
      releases: each.releases,
      status: each.status,
      ...(each.status === 'solved'
        ? { packages: each.packages.map(packageDocument) }
        : { reason: each.reason }),
      ...(each.status === 'unsolvable' && { core: coreJson(each.core) }),
    })),
  };
}

function packageDocument({ repository, version: chosen }: Candidate) {
  return { source: repository, version: chosen };
}

/** Maximum number of changed packages named in a row; further ones are counted. */
const MAX_MOVES_NAMED = 3;

const VERDICTS: Readonly<Record<MatrixRow['status'], string>> = {
  solved: 'works',
  unsolvable: 'blocked',
  'gave-up': 'unknown',
};

/**
 * Returns a line for each row: the releases, whether the set works on them, and the changes from the
 * previous row or the reason. Package names are shortened; a last line states their registry.
 */
export function matrixLines({ rows }: MatrixRows): string[] {
  const lines = fullLines(rows);
  const known = new Set<string>(rows.flatMap(repositoriesIn));
  const words = lines.flatMap((line) => line.match(WORD) ?? []);
  const named = words.filter((word): word is Repository => known.has(word));
  const { name, note } = shortNames(named);
  const shortened = new Map<string, string>(named.map((each) => [each, name(each)]));
  const short = lines.map((line) => line.replaceAll(WORD, (word) => shortened.get(word) ?? word));
  return note === undefined ? short : [...short, note];
}

/** Characters that delimit names of packages. */
const WORD = /[^\s`(),;]+/g;

function repositoriesIn({ packages = [], core = [] }: MatrixRowDocument): readonly string[] {
  return [
    ...packages.map(({ source }) => source),
    ...core.flatMap(({ demand }) => (demand ? [demand.by, demand.on] : [])),
  ];
}

function fullLines(rows: MatrixRows['rows']): string[] {
  const names = rows.map(({ releases }) => releaseRange(releases));
  const width = Math.max(...names.map((name) => name.length));
  let before: RowPackages | undefined;
  return rows.map((row, i) => {
    const { packages, reason = '' } = row;
    const detail = packages === undefined ? reason : packagesText(packages, before);
    before = packages ?? before;
    return `${names[i]!.padEnd(width)}  ${VERDICTS[row.status].padEnd(7)}  ${detail}`;
  });
}

/** Returns the number of releases on which the project works, in one line. */
export function worksOnText({ rows }: Pick<Matrix, 'rows'>): string {
  const releases = rows.flatMap((row) => row.releases);
  const works = rows.flatMap((row) => (row.status === 'solved' ? row.releases : []));
  if (works.length === 0) return `works on none of ${amount(releases.length, 'release')}`;
  return `works on ${works.length} of ${amount(releases.length, 'release')}, the newest ${works.at(-1)}`;
}

/** Ok if the project works on any release. */
export function matrixOutcome(rows: readonly { readonly status: string }[]): Outcome {
  if (rows.some(({ status }) => status === 'solved')) return 'ok';
  return rows.some(({ status }) => status === 'gave-up') ? 'gave-up' : 'unsolvable';
}

type RowPackages = NonNullable<MatrixRowDocument['packages']>;

/** Returns the number of packages, and the differences from the previous row that works. */
function packagesText(packages: RowPackages, before: RowPackages | undefined): string {
  const count = amount(packages.length, 'package');
  if (before === undefined) return count;
  const old = new Map(before.map(({ source, version }) => [source, version]));
  const now = new Set(packages.map(({ source }) => source));
  const moved = packages.filter(({ source, version }) => (old.get(source) ?? version) !== version);
  const moves = moved
    .slice(0, MAX_MOVES_NAMED)
    .map(({ source, version }) => `${source} ${old.get(source)} → ${version}`);
  const omitted = moved.length - moves.length;
  const added = packages.filter(({ source }) => !old.has(source)).length;
  const removed = before.filter(({ source }) => !now.has(source)).length;
  const changes = [
    ...moves,
    omitted > 0 && `${omitted} more move`,
    added > 0 && `${added} added`,
    removed > 0 && `${removed} removed`,
  ].filter(Boolean);
  return changes.length === 0 ? count : `${count}: ${changes.join(', ')}`;
}

/** Returns the releases that the set does not work on, as errors if it is `meant` for them. */
export function matrixFindings(
  { rows }: Matrix,
  request: Request,
  meant: boolean,
  fails = meant,
): ReportFinding[] {
  const origin = request.crossplanes?.origin ?? request.roots[0]?.origin;
  return rows.flatMap((row): ReportFinding[] => {
    if (row.status === 'solved') return [];
    const rule = row.status === 'gave-up' ? 'gave-up' : 'blocked';
    const text = `Crossplane ${releaseRange(row.releases)}: ${row.reason}`;
    return [{ rule, severity: meant ? 'error' : 'info', fails, origin, text }];
  });
}

export function matrixHeadline({ rows }: Matrix): string {
  const count = (status: MatrixRow['status']) =>
    rows.reduce((sum, row) => sum + (row.status === status ? row.releases.length : 0), 0);
  const headline = `works on ${amount(count('solved'), 'release')}, blocked on ${count('unsolvable')}`;
  const unknown = count('gave-up');
  return unknown > 0 ? `${headline}, unknown on ${unknown}` : headline;
}

function matrixTable({ rows }: Matrix): string[] {
  const cells = rows.map((row) => [
    inCode(releaseRange(row.releases)),
    VERDICTS[row.status],
    inCode(row.status === 'solved' ? amount(row.packages.length, 'package') : row.reason),
  ]);
  return table(['Crossplane', '', ''], cells);
}

function inCode(cell: string): string {
  return codeSpan(cell, { inTable: true });
}

/** Returns the report of a matrix. `failed`: the set works on none of the releases. */
export function matrixReport(result: Matrix, request: Request, failed: boolean): Report {
  const meant = failed || request.crossplanes !== undefined;
  const origin = request.crossplanes?.origin ?? request.roots[0]?.origin;
  const dropped = result.warnings.map((text): ReportFinding => {
    return { rule: API_DROPPED, severity: 'warning', fails: false, origin, text };
  });
  const findings = [...matrixFindings(result, request, meant, failed), ...dropped];
  return singleStep({
    command: 'matrix',
    headline: matrixHeadline(result),
    findings,
    details: [
      matrixTable(result).join(''),
      ...result.warnings.map((text) => `> **Warning:** ${codeSpan(text)}`),
    ].join('\n\n'),
    isDetailed: true,
  });
}
