import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refusalText } from '../src/features/resolve/refusal-output.js';
import { parseDocuments } from '../src/project/inputs/document.js';
import { readInputs } from '../src/project/inputs/read-inputs.js';
import { formatLockfile } from '../src/project/lockfile/format-lockfile.js';
import type { JsonValue } from '../src/base/json.js';
import { resolve } from '../src/resolver/resolve/resolve.js';
import type { Answer } from '../src/resolver/resolve/answer.js';
import { checkIndex } from '../src/sources/index/index-source.js';
import { memorySource } from '../src/sources/memory-source.js';
import { exhaustive } from '../src/testing/oracles/exhaustive.js';
import type { Scenario } from '../src/testing/generators/scenario.js';

const CASES = join(import.meta.dirname, '../fixtures/cases');
const slugs = readdirSync(CASES).sort();

/** `options.yaml` holds what a flag would say; no case needs more than these yet. */
interface CaseOptions {
  readonly allowCycles?: boolean;
  readonly prefer?: 'newest' | 'lowest';
}

describe.each(slugs)('%s', (slug) => {
  const file = (name: string) => join(CASES, slug, name);

  test('has the answer that is on record', async () => {
    const { universe, request, options } = await scenarioOf(slug);
    const answer = await resolve(request, { ...options, source: memorySource(universe) });
    const solved = answer.status === 'solved';
    await expect(inWords(answer)).toMatchFileSnapshot(
      file(solved ? 'want.lock.yaml' : 'want.refusal.txt'),
    );
    expect(existsSync(file(solved ? 'want.refusal.txt' : 'want.lock.yaml'))).toBe(false);
  });

  test('has the answer that trying everything finds', async () => {
    const { universe, request, options } = await scenarioOf(slug);
    const answer = await resolve(request, { ...options, source: memorySource(universe) });
    const want = exhaustive(universe, request, options);
    expect(answer.status).toBe(want.status);
    if (answer.status !== 'solved' || want.status !== 'solved') return;
    const { crossplane, packages } = answer.lockfile;
    expect(crossplane).toBe(want.crossplane);
    expect(new Map(packages.map((p) => [p.repository, p.version]))).toEqual(want.selected);
  });
});

async function scenarioOf(
  slug: string,
): Promise<Omit<Scenario, 'options'> & { options: CaseOptions }> {
  const universe = checkIndex(yamlOf(slug, 'universe.yaml'));
  if (!('packages' in universe))
    throw new Error(`${slug}: ${universe.path} is no ${universe.expected}`);
  const { request } = await readInputs({
    files: ['request.yaml'],
    cwd: join(CASES, slug),
    refs: [],
    stdin: async () => '',
  });
  const options = existsSync(join(CASES, slug, 'options.yaml')) ? yamlOf(slug, 'options.yaml') : {};
  return { universe, request, options: options as CaseOptions };
}

function yamlOf(slug: string, name: string): JsonValue {
  const [document] = parseDocuments(readFileSync(join(CASES, slug, name), 'utf8'), name);
  return document!.value;
}

function inWords(answer: Answer): string {
  switch (answer.status) {
    case 'solved':
      return formatLockfile(answer.lockfile);
    case 'unsolvable':
      return [...refusalText(answer), '', 'in full:', '', answer.explanation, ''].join('\n');
    case 'gave-up':
      return 'gave up\n';
  }
}
