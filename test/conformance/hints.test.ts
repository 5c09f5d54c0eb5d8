import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { Driver } from '../../src/resolver/driver/driver.js';
import type { RequestEdit, Request } from '../../src/project/inputs/request.js';
import type { IndexFile } from '../../src/sources/index/index-file.js';
import { InputError } from '../../src/base/errors.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { compareVersions, parseVersion } from '../../src/crossplane/constraints/version.js';
import { solve } from '../../src/resolver/solver/solve.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { resolve } from '../../src/resolver/resolve/resolve.js';
import { toProblem } from '../../src/resolver/resolve/to-problem.js';
import { requestFor } from '../support/requests.js';
import { shared } from './shared.js';
import { table } from './table.js';

type Versions = Readonly<Record<string, string>>;

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(shared('data', 'corpus', file), 'utf8'));
}

const TARGET = targetFor('v2.3.4')!;
const universe = JSON.parse(
  gunzipSync(readFileSync(shared('data', 'corpus', 'universe.index.json.gz'))).toString(),
) as IndexFile;
const source = memorySource(universe);
const { cases: answers } = readJson('answers.json') as { cases: { roots: Versions }[] };
const { single, pairs } = readJson('cases.json') as Record<string, { roots: Versions }[]>;

/** Statistics of refusals with a number of roots. */
class Row {
  cases = 0;
  possible = 0;
  found = 0;
  suggestions = 0;
  /** Milliseconds, including the search. */
  readonly took: number[] = [];
}

const rows = new Map<number, Row>();
const kinds = new Map<string, number>();

function percentile(numbers: readonly number[], part: number): string {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * part)]!.toFixed(1);
}

afterAll(() => {
  const head = ['roots', 'refused', 'some versions go together', 'a hint says which', 'hints'];
  const body = Array.from(rows, ([roots, row]) => [
    roots,
    row.cases,
    row.possible,
    row.found,
    row.suggestions,
    percentile(row.took, 0.5),
    percentile(row.took, 0.95),
  ]);
  const cost = ['ms p50', 'ms p95'];
  process.stdout.write(`\n${table([[...head, ...cost], ...body])}\n`);
  process.stdout.write(`\n${table([['hint', 'count'], ...kinds])}\n`);
});

async function isSolvable(roots: Versions): Promise<boolean> {
  const problem = toProblem(requestFor(roots), [TARGET], {});
  const { status } = await new Driver(source, {}).drive(solve(problem), TARGET);
  return status === 'solved';
}

/**
 * Returns the minimum number of roots that must change, found by exhaustive search; undefined: no
 * change helps.
 */
async function fewestMoved(roots: Versions): Promise<number | undefined> {
  const names = Object.keys(roots);
  const sets = Array.from({ length: 2 ** names.length }, (_, bits) =>
    names.filter((_name, i) => ((bits >> i) & 1) === 1),
  );
  for (const moved of sets.sort((a, b) => a.length - b.length)) {
    const free = Object.fromEntries(moved.map((name) => [name, '*']));
    if (await isSolvable({ ...roots, ...free })) return moved.length;
  }
  return undefined;
}

/** Returns the request with a suggestion applied; an entry has its index as line. */
function edited(roots: Versions, edits: readonly RequestEdit[]): [Request, string] {
  const entries = Object.entries(roots).map(([repository, version]) => ({ repository, version }));
  const origin = { file: 'hint' };
  let crossplane = TARGET.version;
  const more: { -readonly [K in 'overrides' | 'replace']?: Request[K] } = {};
  for (const edit of edits) {
    const entry = 'at' in edit && edit.at ? entries[edit.at.line! - 1]! : undefined;
    if (edit.edit === 'version') entry!.version = edit.version;
    else if (edit.edit === 'remove') entries.splice(entries.indexOf(entry!), 1);
    else if (edit.edit === 'crossplane') crossplane = edit.version;
    else if (edit.edit === 'override') more.overrides = [{ ...edit, origin }];
    else if (edit.edit === 'replace') more.replace = [{ ...edit, origin }];
    else throw new Error(`an edit that the corpus did not need: ${edit.edit}`);
  }
  const asked = Object.fromEntries(
    entries.map(({ repository, version }) => [repository, version] as const),
  );
  return [requestFor(asked, more), crossplane];
}

/** Whether a version between the requested and the suggested one is a solution, too. */
async function nearer(roots: Versions, repository: string, version: string): Promise<string[]> {
  const [from, to] = [roots[repository]!, version.replace(/^[^v]*/, '')].map((text) =>
    parseVersion(text, TARGET.rules.dialect)!,
  );
  const between = Object.keys(universe.packages[repository]!.versions).filter((tag) => {
    const parsed = parseVersion(tag, TARGET.rules.dialect);
    if (parsed === undefined || parsed.prerelease !== '') return false;
    const isUp = compareVersions(to!, from!) > 0;
    const [beyond, before] = [compareVersions(parsed, from!), compareVersions(parsed, to!)];
    // The suggestion is a lower version: no higher one is a solution.
    return isUp ? beyond > 0 && before < 0 : beyond > 0 || (beyond < 0 && before > 0);
  });
  const found: string[] = [];
  for (const tag of between) {
    if (await isSolvable({ ...roots, [repository]: tag })) found.push(tag);
  }
  return found;
}

const distinct = new Map(
  [...answers, ...single!, ...pairs!].map(({ roots }) => [JSON.stringify(roots), roots]),
);
const titled = Array.from(distinct.values(), (roots, i) => ({
  title: `${i + 1}: ${JSON.stringify(roots)}`,
  roots,
}));

describe('suggestions of refusals', () => {
  test.each(titled)('$title', async ({ roots }) => {
    const request = requestFor(roots);
    const started = performance.now();
    const answer = await resolve(request, { source, crossplane: TARGET.version }).catch(
      (error: unknown) => {
        if (error instanceof InputError) return undefined;
        throw error;
      },
    );
    if (answer?.status !== 'unsolvable') return;
    const explained = performance.now() - started;
    const row = rows.get(Object.keys(roots).length) ?? new Row();
    rows.set(Object.keys(roots).length, row);
    row.cases++;
    row.suggestions += answer.suggestions.length;
    row.took.push(explained);
    for (const { text, edits } of answer.suggestions) {
      const kind = edits.map(({ edit }) => edit).join(' and ');
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      const [changed, crossplane] = edited(roots, edits);
      const { status } = await resolve(changed, { source, crossplane });
      expect([text, status]).toEqual([text, 'solved']);
    }
    const moves = answer.suggestions.filter(({ edits }) =>
      edits.every(({ edit }) => edit === 'version'),
    );
    const fewest = await fewestMoved(roots);
    if (fewest !== undefined) row.possible++;
    if (moves.length > 0) row.found++;
    expect(moves[0]?.edits.length).toBe(fewest);
    for (const { edits } of moves) {
      const [edit] = edits;
      if (edits.length > 1 || edit?.edit !== 'version') continue;
      if (parseVersion(roots[edit.repository]!, TARGET.rules.dialect) === undefined) continue;
      expect(await nearer(roots, edit.repository, edit.version)).toEqual([]);
    }
  });
});
