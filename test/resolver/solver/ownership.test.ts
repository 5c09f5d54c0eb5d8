import { expect, test } from 'vitest';
import { story } from '../../support/story/story.js';

test('two versions that own the same CRD are incompatible: {b = 2.0.0, a = 1.0.0}', () => {
  const universe = {
    'a 1.0.0': 'owns things',
    'b 1.0.0': '',
    'b 2.0.0': 'owns things',
  };
  const { told, selected } = story(universe, ['a *', 'b *']);
  expect(told.at(-1)).toBe('{b = 2.0.0, a = 1.0.0}');
  expect(selected).toEqual(['a 1.0.0', 'b 1.0.0']);
});

test('an ownership conflict is added once both sides have been read, and grows', () => {
  const universe = {
    'a 1.0.0': 'owns things',
    'b 1.0.0': '',
    'b 2.0.0': 'owns things',
    'b 3.0.0': 'owns things',
  };
  const { told } = story(universe, ['a *', 'b *']);
  expect(told.slice(-2)).toEqual(['{b = 3.0.0, a = 1.0.0}', '{b ∈ 2.0.0, 3.0.0, a = 1.0.0}']);
});

test('packages that own different objects do not conflict', () => {
  const { told } = story({ 'a 1.0.0': 'owns x', 'b 1.0.0': 'owns y' }, ['a *', 'b *']);
  expect(told).toEqual(['{a = other}', '{a ∉ 1.0.0}', '{b = other}', '{b ∉ 1.0.0}']);
});

test('no other package may own the objects of a local package', () => {
  const { told, selected } = story({ 'a 1.0.0': '', 'a 2.0.0': 'owns things' }, [
    'owns things',
    'a *',
  ]);
  expect(told).toEqual([
    '{local ∉ here}',
    '{a = other}',
    '{a ∉ 1.0.0, 2.0.0}',
    '{a = 2.0.0, local = here}',
  ]);
  expect(selected).toEqual(['a 1.0.0']);
});
