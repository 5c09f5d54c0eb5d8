import { readFileSync } from 'node:fs';
import type { OraclePackage, OracleQuestion, OracleVerdict } from '../rig/oracle/ask-oracle.js';

/** The answers of releases to some inputs; equal answers are stored once, with their releases. */
export interface OracleSample<Input, Answer> {
  readonly input: Input;
  readonly answers: readonly { readonly on: readonly string[]; readonly answer: Answer }[];
}

export type PackageSample = OracleSample<string, OraclePackage>;
export type ConstraintSample = OracleSample<OracleQuestion, OracleVerdict>;

/** Files with one line for each input. */
export const SAMPLE_FILES = {
  packages: new URL('../../fixtures/oracle/packages.jsonl', import.meta.url),
  constraints: new URL('../../fixtures/oracle/constraints.jsonl', import.meta.url),
} as const;

export function recordedSample(of: 'packages'): PackageSample[];
export function recordedSample(of: 'constraints'): ConstraintSample[];
export function recordedSample(of: keyof typeof SAMPLE_FILES): unknown[] {
  const lines = readFileSync(SAMPLE_FILES[of], 'utf8').trimEnd().split('\n');
  return lines.map((line): unknown => JSON.parse(line));
}

/** `answers` has a list for each release, in the order of the inputs. */
export function sampleOf<Input, Answer>(
  inputs: readonly Input[],
  answers: ReadonlyMap<string, readonly Answer[]>,
): OracleSample<Input, Answer>[] {
  return inputs.map((input, i) => {
    const groups = new Map<string, { on: string[]; answer: Answer }>();
    for (const [release, given] of answers) {
      const answer = given[i]!;
      const key = JSON.stringify(answer);
      const group = groups.get(key) ?? { on: [], answer };
      group.on.push(release);
      groups.set(key, group);
    }
    return { input, answers: [...groups.values()] };
  });
}
