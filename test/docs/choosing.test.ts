import { expect, test } from 'vitest';
import { parseConstraint } from '../../src/crossplane/constraints/constraint.js';
import { meaningOf } from '../../src/crossplane/constraints/constraint-meaning.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { readPage } from '../support/docs/page.js';

const [, table = ''] = readPage('docs/choosing.md').text.split(
  '| text | before v2.3 | from v2.3 |',
);
const rows = table
  .split('\n\n')[0]!
  .split('\n')
  .slice(2)
  .map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(/[`\\]/g, '')))
  .map(([, text, before, since]) => ({ text: text!, before: before!, since: since! }));

function meaning(text: string, release: string): string {
  const constraint = parseConstraint(text, targetFor(release)!.rules.dialect);
  return 'error' in constraint ? 'no range' : meaningOf(constraint);
}

test('there is a table of constraints', () => {
  expect(rows.length).toBeGreaterThan(8);
});

test.each(rows)('$text means what docs/choosing.md says', ({ text, before, since }) => {
  expect([meaning(text, 'v2.2.1'), meaning(text, 'v2.3.0')]).toEqual([before, since]);
});
