import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { editedTexts } from '../../../src/project/edit/apply-patch.js';
import { inputEdit } from '../../../src/project/edit/input-edit.js';
import { readInputs } from '../../../src/project/inputs/read-inputs.js';
import { InputError } from '../../../src/base/errors.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { caseFiles } from '../../../src/testing/generators/scenario.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { unsolvable } from '../../support/universes.js';

const RUNS = { seed: 12, numRuns: 60 };

/** Reads inputs from texts by file name instead of files. */
function read(texts: ReadonlyMap<string, string>) {
  return readInputs({ files: [], refs: [], cwd: '/nowhere', stdin: noInput, unsaved: texts });
}

const noInput = () => Promise.reject(new Error('there is no standard input'));

test('every suggestion, applied to the input files, leads to a solution', async () => {
  const taken = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(unsolvable(), async (given) => {
      const { prefer, prereleases = [], allowCycles = false } = given.options;
      const options = {
        source: memorySource(given.universe),
        prefer: prefer === 'lowest' ? ('lowest' as const) : ('newest' as const),
        prereleases,
        allowCycles,
      };
      const texts = new Map([['-', caseFiles(given)['request.yaml']]]);
      const { request } = await read(texts);
      const answer = await resolve(request, options).catch((error: unknown) => {
        if (error instanceof InputError) return undefined;
        throw error;
      });
      fc.pre(answer?.status === 'unsolvable');
      for (const { text, edits } of answer.suggestions) {
        const kind = edits.map(({ edit }) => edit).join(' and ');
        taken.set(kind, (taken.get(kind) ?? 0) + 1);
        const given = { texts, refs: [], files: ['-'], hasCrossplane: false };
        const edit = inputEdit(edits, given);
        expect([text, edit]).not.toEqual([text, undefined]);
        const after = (flag: string) =>
          edit!.args?.filter((_, i, all) => all[i - 1] === flag) ?? [];
        const changed = await read(new Map([...texts, ...editedTexts(edit!.files, texts)]));
        const { status } = await resolve(changed.request, {
          ...options,
          prereleases: [...prereleases, ...after('--prerelease')],
          allowCycles: allowCycles || (edit!.args?.includes('--allow-cycles') ?? false),
          crossplane: after('--crossplane')[0],
        });
        expect([text, status]).toEqual([text, 'solved']);
      }
    }),
    RUNS,
  );
  expect([...taken.keys()]).toEqual(
    expect.arrayContaining(['version', 'version and version', 'remove', 'override']),
  );
});
