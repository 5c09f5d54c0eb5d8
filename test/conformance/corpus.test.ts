import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { InputError } from '../../src/model/input-error.js';
import type { IndexFile } from '../../src/model/index-file.js';
import type { Request } from '../../src/model/request.js';
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

const refusedVersions = titled([...single, ...pairs].filter(({ sat }) => !sat));
const refused = titled([...answers, ...single, ...pairs].filter(({ sat }) => !sat));

/** A screenful: lines of a terminal. */
const LINES = 24;
const COLUMNS = 100;

describe('refusals', () => {
  test.each(refusedVersions)('fit on a screen: $title', async ({ roots }) => {
    const given = await ask(requestFor(roots));
    if (given instanceof InputError) return;
    const lines = (given as Unsolvable).explanation.split('\n');
    const wrapped = lines.map((line) => Math.max(1, Math.ceil(line.length / COLUMNS)));
    const height = wrapped.reduce((sum, n) => sum + n, 0);
    tally(
      'explanations',
      `${height <= 6 ? 'up to 6' : height <= 12 ? 'up to 12' : 'up to 24'} lines`,
    );
    expect(height).toBeLessThanOrEqual(LINES);
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

  test.each(refused)('come with ways out that are ways out: $title', async ({ roots }) => {
    const given = await ask(requestFor(roots));
    if (given instanceof InputError) return;
    const { suggestions } = given as Unsolvable;
    tally('refusals', `${suggestions.length} suggestions`);
    for (const { text } of suggestions) {
      const { request, crossplane, kind } = applied(text, roots);
      tally('suggestions', kind);
      expect([text, ((await ask(request, crossplane)) as Answer).status]).toEqual([text, 'solved']);
    }
  });
});

/** The request as a suggestion would have it. */
function applied(
  text: string,
  roots: Versions,
): { request: Request; crossplane?: string; kind: string } {
  const origin = { file: 'a suggestion' };
  const ask = /^ask for (\S+) `(\S+)`/.exec(text);
  if (ask !== null)
    return { request: requestFor({ ...roots, [ask[1]!]: ask[2]! }), kind: 'ask for' };
  const omit = /^leave out (\S+)/.exec(text);
  if (omit !== null) {
    const { [omit[1]!]: _, ...rest } = roots;
    return { request: requestFor(rest), kind: 'leave out' };
  }
  const target = /Crossplane (v\S+)/.exec(text);
  if (target !== null) {
    return { request: requestFor(roots), crossplane: target[1]!, kind: 'another Crossplane' };
  }
  const replace = /replace (\S+) with (\S+)/.exec(text);
  if (replace !== null) {
    const [repository, other] = [replace[1]!, replace[2]!];
    const rule = { repository, with: other, origin };
    return { request: requestFor(roots, { replace: [rule] }), kind: 'replace' };
  }
  const override = /^override (\S+) to `(\S+)`/.exec(text);
  if (override !== null) {
    const rule = { repository: override[1]!, version: override[2]!, origin };
    return { request: requestFor(roots, { overrides: [rule] }), kind: 'override' };
  }
  throw new Error(`a suggestion of a new kind: ${text}`);
}
