import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { editedTexts } from '../../../src/inputs/edit/edited-texts.js';
import { inputEdit } from '../../../src/inputs/edit/input-edit.js';
import { readInputs } from '../../../src/inputs/read-inputs.js';
import { InputError } from '../../../src/model/input-error.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { scenario } from '../../../src/testing/generate/scenario.js';
import { caseFiles } from '../../../src/testing/print-universe.js';
import { resolve } from '../../../src/usecases/resolve/resolve.js';

const RUNS = { seed: 12, numRuns: 100 };

/** Reads texts by file name, as if these were the files. */
function read(texts: ReadonlyMap<string, string>) {
  return readInputs({ files: [], refs: [], cwd: '/nowhere', stdin: noInput, unsaved: texts });
}

const noInput = () => Promise.reject(new Error('there is no standard input'));

test('every hint, applied to the text it is about, solves', async () => {
  const taken = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(scenario(), async (given) => {
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
      if (answer?.status !== 'unsolvable') return;
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
