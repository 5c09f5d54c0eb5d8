import { describe, expect, test } from 'vitest';
import { changeEffect, effectText } from '../../../src/resolver/suggest/change-effect.js';

const packages = (versions: Readonly<Record<string, string>>) =>
  Object.entries(versions).map(([repository, version]) => ({ repository, version }));

const effect = (before: Record<string, string>, after: Record<string, string>) =>
  changeEffect(packages(before), packages(after), '3.4.0');

const NONE = { up: 0, down: 0, added: 0, removed: 0, notes: [] };

describe('changeEffect', () => {
  test('compares by version order, not by text', () => {
    expect(effect({ a: 'v1.9.0', b: 'v0.10.0' }, { a: 'v1.10.0', b: 'v0.9.0' })).toEqual({
      ...NONE,
      up: 1,
      down: 1,
    });
  });

  test('orders a prerelease before its release', () => {
    expect(effect({ a: 'v1.0.0' }, { a: 'v1.0.0-rc.1' })).toEqual({ ...NONE, down: 1 });
  });

  test('counts added and removed packages', () => {
    expect(effect({ a: 'v1', b: 'v1' }, { a: 'v1', c: 'v1', d: 'v1' })).toEqual({
      ...NONE,
      added: 2,
      removed: 1,
    });
  });

  test('without a lockfile, every package is added', () => {
    expect(effect({}, { a: 'v1.0.0', b: 'v2.0.0' })).toEqual({ ...NONE, added: 2 });
  });

  test('another spelling of a version is neither an upgrade nor a downgrade', () => {
    expect(effect({ a: 'v1.0' }, { a: 'v1.0.0' })).toEqual(NONE);
  });

  test('a change between digests has no direction', () => {
    expect(effect({ a: 'sha256:aa' }, { a: 'v1.0.0' })).toEqual({
      ...NONE,
      notes: ['changes a from sha256:aa to v1.0.0'],
    });
  });
});

describe('effectText', () => {
  test('states losses first', () => {
    expect(effectText({ up: 2, down: 1, added: 3, removed: 11, notes: [] })).toBe(
      'downgrades 1, removes 11, upgrades 2, adds 3',
    );
    expect(effectText({ ...NONE, down: 1, removed: 11 })).toBe('downgrades 1, removes 11');
  });

  test('appends notes', () => {
    expect(effectText({ ...NONE, up: 1, notes: ['one', 'two'] })).toBe('upgrades 1; one; two');
    expect(effectText({ ...NONE, notes: ['one'] })).toBe('one');
  });

  test('says so when nothing changes', () => {
    expect(effectText(NONE)).toBe('changes no package');
  });
});
