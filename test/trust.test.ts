import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LIMITS } from '../src/image/limits.js';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/trust.md'), 'utf8');
const MIB = 1024 * 1024;

test('each promise names tests that are there', () => {
  const rows = PAGE.split('\n').filter(
    (line) => line.startsWith('| ') && line.includes('.test.ts'),
  );
  expect(rows.length).toBeGreaterThanOrEqual(23);
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
    const limit = LIMITS[name as keyof typeof LIMITS];
    expect([name, limit]).toEqual([name, Number(value) * (unit === undefined ? 1 : MIB)]);
  }
});
