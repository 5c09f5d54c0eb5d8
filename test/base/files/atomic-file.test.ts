import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { isTemporaryOf, temporaryPathFor } from '../../../src/base/files/file-system.js';

test('a temporary name is hidden, in the same folder, and unique', () => {
  const path = temporaryPathFor('/project/lock.yaml', 'new');
  expect(dirname(path)).toBe('/project');
  expect(basename(path)).toMatch(/^\.lock\.yaml\.[0-9a-f]{12}\.new$/);
  expect(temporaryPathFor('/project/lock.yaml', 'new')).not.toBe(path);
  expect(isTemporaryOf(basename(path), 'lock.yaml', ['new'])).toBe(true);
});

test.each([
  { name: '.lock.yaml.0123456789ab.tmp', why: 'another ending' },
  { name: '.lock.yaml.0123456789ab.new.txt', why: 'more behind the ending' },
  { name: '.lock.yaml.0123456789.new', why: 'fewer digits' },
  { name: '.other.yaml.0123456789ab.new', why: 'another file' },
  { name: 'lock.yaml.0123456789ab.new', why: 'not hidden' },
  { name: '.lock.yaml.new', why: 'no digits' },
])('$name is not a temporary name: $why', ({ name }) => {
  expect(isTemporaryOf(name, 'lock.yaml', ['new', 'old'])).toBe(false);
});
