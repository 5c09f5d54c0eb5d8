import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { InputError } from '../../src/base/errors.js';
import type { IndexFile } from '../../src/sources/index/index-file.js';
import type { Request } from '../../src/project/inputs/request.js';
import { refusalText } from '../../src/features/resolve/refusal-output.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { Driver } from '../../src/resolver/driver/driver.js';
import { resolve } from '../../src/resolver/resolve/resolve.js';
import type { Answer, Unsolvable } from '../../src/resolver/resolve/answer.js';
import { toProblem } from '../../src/resolver/resolve/to-problem.js';
import { minimalProof } from '../../src/resolver/explain/minimal-proof.js';
import { removableKeys } from '../../src/resolver/solver/search-result.js';
import { solve } from '../../src/resolver/solver/solve.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { requestFor } from '../support/requests.js';
import { shared } from './shared.js';
import { table } from './table.js';

type Versions = Readonly<Record<string, string>>;

interface Case {
  /** Constraints by repository. */
  readonly roots: Versions;
  readonly sat: boolean;
}

interface AnsweredCase extends Case {
  readonly answer?: Versions;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(shared('data', 'corpus', file), 'utf8'));
}

const TARGET = targetFor('v2.3.4')!;
const universe = JSON.parse(
  gunzipSync(readFileSync(shared('data', 'corpus', 'universe.index.json.gz'))).toString(),
) as IndexFile;
const source = memorySource(universe);
const answers = (readJson('answers.json') as { cases: AnsweredCase[] }).cases;
const { single, pairs } = readJson('cases.json') as { single: Case[]; pairs: Case[] };

const found = new Map<string, Map<string, number>>();

/** Counts one case of a kind by its result. */
function tally(kind: string, outcome: string): void {
  const outcomes = found.get(kind) ?? new Map<string, number>();
  found.set(kind, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
}

afterAll(() => {
  const rows = [...found].flatMap(([kind, outcomes]) =>
    Array.from(outcomes, ([outcome, cases]) => [kind, outcome, cases]),
  );
  process.stdout.write(`\n${table([['cases', 'came to', 'count'], ...rows])}\n`);
});

function title({ roots }: Case): string {
  return Object.entries(roots)
    .map(([repository, version]) => `${repository} ${version}`)
    .join(', ');
}

/** Returns the answer, or the error for a root that the target cannot install. */
async function ask(request: Request, crossplane = TARGET.version): Promise<Answer | InputError> {
  try {
    return await resolve(request, { source, crossplane });
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

function selection(given: Answer | InputError): Versions | string {
  if (given instanceof InputError) return 'unsolvable';
  if (given.status !== 'solved') return given.status;
  return Object.fromEntries(given.lockfile.packages.map((p) => [p.repository, p.version]));
}

const titled = <T extends Case>(cases: readonly T[]) =>
  cases.map((one, i) => ({ ...one, title: `${i + 1}: ${title(one)}` }));

describe('the canonical answer, including ownership', () => {
  test.each(titled(answers))('$title', async ({ roots, sat, answer }) => {
    const given = await ask(requestFor(roots));
    tally(`answers.json, ${sat ? 'solvable' : 'unsolvable'}`, how(given));
    expect(selection(given)).toEqual(sat ? answer : 'unsolvable');
  });
});

/** Kinds of facts that are not only about versions. */
const BEYOND_VERSIONS = ['ownership', 'source', 'content', 'crossplane', 'kind', 'cycle'];

describe('cases that depend on versions only', () => {
  test.each(titled([...single, ...pairs]))('$title', async ({ roots, sat }) => {
    const given = await ask(requestFor(roots));
    tally(`cases.json, versions ${sat ? 'fit' : 'conflict'}`, how(given));
    if (!sat) expect(selection(given)).toBe('unsolvable');
    if (!sat || selection(given) !== 'unsolvable' || given instanceof InputError) return;
    const kinds = (given as Unsolvable).core.map(({ kind }) => kind);
    expect(kinds.filter((kind) => BEYOND_VERSIONS.includes(kind))).not.toEqual([]);
  });
});

function how(given: Answer | InputError): string {
  if (given instanceof InputError) return 'refused: a root that v2.3.4 cannot install';
  if (given.status !== 'unsolvable') return given.status;
  const kinds = new Set(given.core.map(({ kind }) => kind));
  const reason = BEYOND_VERSIONS.filter((kind) => kinds.has(kind as never));
  return `refused: ${reason.length > 0 ? reason.join(', ') : 'versions'}`;
}

const refused = titled([...answers, ...single, ...pairs].filter(({ sat }) => !sat));

/** Maximum lines of a printed refusal: for nine of ten, and for the longest. */
/** Up to five of them are the effects of suggestions. */
const MOST_LINES = 20;
const WORST_LINES = 30;

describe('refusals', () => {
  const heights: number[] = [];

  test.each(refused)('are explained: $title', async ({ roots }) => {
    const given = await ask(requestFor(roots));
    if (given instanceof InputError) return;
    heights.push(refusalText(given as Unsolvable).length);
  });

  test('are short', () => {
    heights.sort((a, b) => a - b);
    const at = (share: number) => heights[Math.ceil(heights.length * share) - 1]!;
    const head = ['refusals', 'lines p50', 'p90', 'worst'];
    const row = [heights.length, at(0.5), at(0.9), at(1)];
    process.stdout.write(`\n${table([head, row])}\n`);
    expect(at(0.9)).toBeLessThanOrEqual(MOST_LINES);
    expect(at(1)).toBeLessThanOrEqual(WORST_LINES);
  });

  test.each(refused)('contain only necessary facts: $title', async ({ roots }) => {
    let problem;
    try {
      problem = toProblem(requestFor(roots), [TARGET], {});
    } catch (error) {
      if (error instanceof InputError) return;
      throw error;
    }
    const driver = new Driver(source, { compat: false, goOn: () => true });
    const outcome = await driver.drive(solve(problem), TARGET);
    if (outcome.status !== 'unsolvable') throw new Error(outcome.status);
    const proof = await driver.driveWithoutReading(minimalProof(problem, outcome), TARGET);
    const core = removableKeys(proof);
    const without = async (key: string) => {
      const rest = new Set(core);
      rest.delete(key);
      return (await driver.driveWithoutReading(solve(problem, rest), TARGET)).status;
    };
    for (const key of core) expect([key, await without(key)]).toEqual([key, 'solved']);
    expect((await driver.driveWithoutReading(solve(problem, core), TARGET)).status).toBe(
      'unsolvable',
    );
  });
});
