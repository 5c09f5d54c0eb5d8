import type { Repository } from '../../model/package.js';
import type { Matrix, MatrixRow } from '../../usecases/matrix.js';
import { coreJson } from './answer/answer-json.js';
import { jsonDocument } from './json-document.js';
import { counted } from './counted.js';

/** Of packages that differ between rows; the others are only counted. */
const MAX_PACKAGES_NAMED = 3;

/** One line a row: the releases, whether the set works on them, and with what or why not. */
export function matrixLines({ rows }: Matrix): string[] {
  const varying = varyingPackages(rows);
  const names = rows.map(({ releases }) => span(releases));
  const width = Math.max(...names.map((name) => name.length));
  return rows.map((row, i) => {
    const verdict = { solved: 'works', unsolvable: 'blocked', 'gave-up': 'unknown' }[row.status];
    const detail = row.status === 'solved' ? packagesText(row, varying) : row.reason;
    return `${names[i]!.padEnd(width)}  ${verdict.padEnd(7)}  ${detail}`;
  });
}

export function matrixJson({ rows, stats }: Matrix, bytes: number): string {
  return jsonDocument({
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
    stats: { ...stats, bytes },
  });
}

function span(releases: readonly string[]): string {
  const [first, last] = [releases[0]!, releases.at(-1)!];
  return first === last ? first : `${first} to ${last}`;
}

/** Packages that are not at the same version, or not there at all, wherever the set works. */
function varyingPackages(rows: readonly MatrixRow[]): ReadonlySet<Repository> {
  const solved = rows.flatMap((row) => (row.status === 'solved' ? [row.packages] : []));
  const seen = new Map<string, number>();
  for (const { repository, version } of solved.flat()) {
    const key = `${repository} ${version}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  const varying = solved
    .flat()
    .filter(({ repository, version }) => seen.get(`${repository} ${version}`) !== solved.length);
  return new Set(varying.map(({ repository }) => repository));
}

function packagesText(
  { packages }: Extract<MatrixRow, { status: 'solved' }>,
  varying: ReadonlySet<Repository>,
): string {
  const count = counted(packages.length, 'package');
  const named = packages
    .filter(({ repository }) => varying.has(repository))
    .map(({ repository, version }) => `${repository} ${version}`);
  if (named.length === 0) return count;
  const more =
    named.length > MAX_PACKAGES_NAMED ? ` and ${named.length - MAX_PACKAGES_NAMED} more` : '';
  return `${count}, with ${named.slice(0, MAX_PACKAGES_NAMED).join(', ')}${more}`;
}
