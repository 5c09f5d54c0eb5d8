import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { InputError } from '../../src/model/input-error.js';
import type { IndexFile } from '../../src/model/index-file.js';
import type { Request } from '../../src/model/request.js';
import { refusalText } from '../../src/cli/output/answer/refusal.js';
import { targetFor } from '../../src/model/target/target.js';
import { Driver } from '../../src/driver/driver.js';
import { resolve } from '../../src/usecases/resolve/resolve.js';
import type { Answer, Unsolvable } from '../../src/usecases/resolve/answer.js';
import { toProblem } from '../../src/usecases/resolve/to-problem.js';
import { minimalProof } from '../../src/explain/minimal-proof.js';
import { debatableKeys } from '../../src/explain/proof-facts.js';
import { solve } from '../../src/solver/solve.js';
import { memorySource } from '../../src/sources/memory-source.js';
import { requestFor } from '../support/requests.js';
import { shared } from './shared.js';
import { table } from './table.js';

type Versions = Readonly<Record<string, string>>;

interface Case {
  /** Constraint by repository. */
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

/** Counts one case of a kind, by what came of it. */
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

/** The answer, or the complaint about a root that the target cannot install at all. */
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

describe('the canonical answer, ownership included', () => {
  test.each(titled(answers))('$title', async ({ roots, sat, answer }) => {
    const given = await ask(requestFor(roots));
    tally(`answers.json, ${sat ? 'solvable' : 'unsolvable'}`, how(given));
    expect(selection(given)).toEqual(sat ? answer : 'unsolvable');
  });
});

/** What a refusal rests on, where versions alone would do. */
const BEYOND_VERSIONS = ['ownership', 'source', 'crossplane', 'kind', 'cycle'];

describe('cases known by versions alone', () => {
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

/** Lines of a refusal as it is printed: nine of ten, and the longest. */
const MOST_LINES = 15;
const WORST_LINES = 30;

describe('refusals', () => {
  const heights: number[] = [];

  test.each(refused)('are told: $title', async ({ roots }) => {
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

  test.each(refused)('rest on nothing that could be left out: $title', async ({ roots }) => {
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
    const proof = await driver.driveFromMemory(minimalProof(problem, outcome), TARGET);
    const core = debatableKeys(proof);
    const without = async (key: string) => {
      const rest = new Set(core);
      rest.delete(key);
      return (await driver.driveFromMemory(solve(problem, rest), TARGET)).status;
    };
    for (const key of core) expect([key, await without(key)]).toEqual([key, 'solved']);
    expect((await driver.driveFromMemory(solve(problem, core), TARGET)).status).toBe('unsolvable');
  });
});
