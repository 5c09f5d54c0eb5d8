import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { friendlyId, toDnsLabel } from '../../src/crossplane/packages/object-names.js';
import { shared } from './shared.js';

interface Vectors {
  readonly toDNSLabel: readonly { readonly in: string; readonly out: string }[];
  readonly friendlyID: readonly {
    readonly name: string;
    readonly hash: string;
    readonly out: string;
  }[];
}

const vectors = JSON.parse(readFileSync(shared('data', 'name-vectors.json'), 'utf8')) as Vectors;

test('test vectors are available', () => {
  expect(vectors.toDNSLabel.length + vectors.friendlyID.length).toBeGreaterThan(20);
});

test.each(vectors.toDNSLabel)('ToDNSLabel($in) is $out', (vector) => {
  expect(toDnsLabel(vector.in)).toBe(vector.out);
});

test.each(vectors.friendlyID)('FriendlyID($name, $hash) is $out', (vector) => {
  expect(friendlyId(vector.name, vector.hash)).toBe(vector.out);
});
