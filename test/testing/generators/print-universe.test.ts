import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocuments } from '../../../src/project/inputs/document.js';
import { readInputs } from '../../../src/project/inputs/read-inputs.js';
import type { IndexFile } from '../../../src/sources/index/index-file.js';
import { exhaustive } from '../../../src/testing/oracles/exhaustive.js';
import { caseFiles, printUniverse, scenario } from '../../../src/testing/generators/scenario.js';

test('a printed case has the same answer when it is read again', async () => {
  const printed = fc.asyncProperty(scenario(), async ({ universe, request, options }) => {
    const files = caseFiles({ universe, request, options });
    const [document] = parseDocuments(files['universe.yaml'], 'universe.yaml');
    const read = await readInputs({
      files: ['-'],
      refs: [],
      cwd: '.',
      stdin: async () => files['request.yaml'],
    });
    const again = document!.value as unknown as IndexFile;
    expect(exhaustive(again, read.request, options)).toEqual(
      exhaustive(universe, request, options),
    );
  });
  await fc.assert(printed, { seed: 3, numRuns: 40 });
});

test('the report of a failure contains files to paste', () => {
  const [made] = fc.sample(scenario({ locked: 1 }), { numRuns: 1, seed: 1 });
  const report = fc.stringify(made);
  expect(report).toContain(printUniverse(made!));
  for (const name of ['universe.yaml', 'request.yaml', 'options.yaml'])
    expect(report).toContain(`# ${name}\n`);
});
