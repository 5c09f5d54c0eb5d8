import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DUMP_COMMAND } from '../../src/features/cluster/installed-cluster.js';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/migrating.md'), 'utf8');

test('its kubectl command gets every kind that messages mention', () => {
  const named = DUMP_COMMAND.split(' ')[2]!.split(',');
  expect(named.filter((kind) => !PAGE.includes(kind))).toEqual([]);
});

test('it names every rule', () => {
  const folder = join(ROOT, 'src/features/cluster');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts'));
  const text = sources.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  const rules = Array.from(
    text.matchAll(/(?:rule[:=] ?|rule = |(?:finding|packageRule|clusterRule)\(\s*)'([a-z-]+)'/g),
    ([, rule]) => rule!,
  );
  expect(rules.length).toBeGreaterThan(20);
  expect(rules.filter((rule) => !PAGE.includes(`\`${rule}\``))).toEqual([]);
});
