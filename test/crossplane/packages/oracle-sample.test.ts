import { expect, test } from 'vitest';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { readPackageYaml } from '../../../src/crossplane/package-yaml/read-package-yaml.js';
import { compareConstraint } from '../../support/compared-constraint.js';
import { comparePackage } from '../../support/compared-package.js';
import { recordedSample } from '../../support/oracle-sample.js';

// Results of parsers, linters and libraries of real releases, as recorded by npm run cluster.

test('results for packages equal those recorded from releases', async () => {
  const counts = new Map<string, number>();
  const otherwise: string[] = [];
  for (const { input, answers } of recordedSample('packages')) {
    const contents = await readPackageYaml(Buffer.from(input));
    for (const { on, answer } of answers) {
      for (const release of on) {
        const compared = comparePackage(contents, targetFor(release)!, answer);
        const row = Object.values(compared)[0]!;
        counts.set(row, (counts.get(row) ?? 0) + 1);
        if ('otherwise' in compared) otherwise.push(`${release}: ${row}\n${input}`);
      }
    }
  }
  expect(otherwise).toEqual([]);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  expect(counts.get('accepted')).toBeGreaterThan(total / 6);
  expect(counts.get('refused')).toBeGreaterThan(total / 6);
});

test('results for constraints equal those recorded from releases', () => {
  const sample = recordedSample('constraints');
  const otherwise = sample.flatMap(({ input, answers }) =>
    answers.flatMap(({ on, answer }) =>
      on.flatMap((release) => compareConstraint(input, targetFor(release)!, answer)),
    ),
  );
  expect(otherwise).toEqual([]);
  expect(sample.length).toBeGreaterThan(100);
});
