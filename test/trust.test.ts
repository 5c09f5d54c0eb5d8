import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentedFigures } from './hostile/told-figures.js';
import { LIMITS } from '../src/oci/image/limits.js';
import { DOCUMENT_LIMITS } from '../src/crossplane/package-yaml/split-documents.js';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/trust.md'), 'utf8');
const MIB = 1024 * 1024;
const ALL_LIMITS = new Map<string, number>(
  Object.entries({ ...LIMITS, ...DOCUMENT_LIMITS } satisfies Record<string, number>),
);

test('each promise names existing tests', () => {
  const rows = PAGE.split('\n').filter(
    (line) => line.startsWith('| ') && line.includes('.test.ts'),
  );
  expect(rows.length).toBeGreaterThanOrEqual(75);
  const files = rows.flatMap((row) =>
    [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file!),
  );
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test('limits are those of the code', () => {
  const [, table = ''] = PAGE.split('| limit | value |\n| --- | ---: |\n');
  const told = [...table.split('\n\n')[0]!.matchAll(/^\| (\w+) \| (\d+)( MiB)? \|$/gm)];
  expect(told.length).toBeGreaterThan(10);
  for (const [, name, value, unit] of told) {
    const limit = ALL_LIMITS.get(name!);
    expect([name, limit]).toEqual([name, Number(value) * (unit === undefined ? 1 : MIB)]);
  }
});

test('figures are told, and no violation', () => {
  expect(documentedFigures(PAGE).size).toBeGreaterThan(40);
  const [, figures = ''] = PAGE.split('\n## Figures\n');
  const rows = [...figures.matchAll(/^\| .+ \| [\d,]+ \| (\d+) \|$/gm)];
  expect(rows.length).toBe(documentedFigures(PAGE).size);
  expect(rows.filter(([, violations]) => violations !== '0')).toEqual([]);
});

test('promises have numbers that stay, and each has a test', () => {
  const [, list = ''] = PAGE.split('\n## Checklist\n');
  const rows = [...list.split('\n## ')[0]!.matchAll(/^\| (\d+) \| .+ \| (`test\/.+) \|$/gm)];
  expect(rows.map(([, number]) => Number(number))).toEqual(rows.map((_, i) => i + 1));
  expect(rows.length).toBeGreaterThanOrEqual(31);
});
