import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignNames, type NameRequest } from '../../../src/project/manifests/object-names.js';
import { InputError } from '../../../src/base/errors.js';

function hash(repository: string): string {
  return createHash('sha256').update(repository).digest('hex').slice(0, 8);
}

/** `repository`, `repository=given` or `repository~locked`. */
function nameless(text: string): NameRequest {
  const [repository = '', name] = text.split(/[=~]/);
  if (name === undefined) return { repository };
  return { repository, [text.includes('=') ? 'given' : 'locked']: name };
}

function names(...packages: readonly string[]): string[] {
  const { names } = assignNames(packages.map(nameless));
  return packages.map((each) => names.get(nameless(each).repository)!);
}

const long = 'p'.repeat(70);

describe('assignNames', () => {
  test.each([
    { packages: ['x.io/u/p'], want: ['u-p'], why: "Crossplane's own name" },
    { packages: ['x.io/u/p=mine'], want: ['mine'], why: 'a given name' },
    {
      packages: ['x.io/u/p', 'y.io/u/p'],
      want: ['u-p', `u-p-${hash('y.io/u/p')}`],
      why: 'the first keeps it',
    },
    {
      packages: ['y.io/u/p', 'x.io/u/p'],
      want: ['u-p', `u-p-${hash('x.io/u/p')}`],
      why: 'the first to be resolved, that is',
    },
    {
      packages: ['x.io/u/p', 'y.io/q/r=u-p'],
      want: [`u-p-${hash('x.io/u/p')}`, 'u-p'],
      why: 'given beats derived',
    },
    {
      packages: ['x.io/u/p', 'y.io/u/p~u-p'],
      want: [`u-p-${hash('x.io/u/p')}`, 'u-p'],
      why: 'a locked name is kept',
    },
    { packages: ['x.io/u/p~old'], want: ['old'], why: 'even one that is not derived' },
    {
      packages: ['x.io/u/p~mine', 'y.io/q/r=mine'],
      want: ['u-p', 'mine'],
      why: 'given beats locked',
    },
    {
      packages: ['x.io/u/p', 'y.io/u/p', 'z.io/u/p'],
      want: ['u-p', `u-p-${hash('y.io/u/p')}`, `u-p-${hash('z.io/u/p')}`],
      why: 'each other has its own',
    },
    {
      packages: [`x.io/u/${long}`, `y.io/u/${long}`],
      want: [`u-${long}`.slice(0, 63), `${`u-${long}`.slice(0, 54)}-${hash(`y.io/u/${long}`)}`],
      why: '63 characters in all',
    },
    {
      packages: [`x.io/u/p`, `y.io/u/p`, `z.io/a/b=u-p-${hash('y.io/u/p')}`].slice(),
      want: [
        'u-p',
        `u-p-${createHash('sha256').update('y.io/u/p').digest('hex').slice(0, 16)}`,
        `u-p-${hash('y.io/u/p')}`,
      ],
      why: 'a suffixed name may be taken too',
    },
    { packages: ['x.io/__/__'], want: [hash('x.io/__/__')], why: 'nothing left of its path' },
  ])('$packages → $want: $why', ({ packages, want }) => {
    expect(names(...packages)).toEqual(want);
  });

  test.each([
    { packages: ['x.io/u/p', 'y.io/u/p'], warnings: 1, why: 'a collision is told' },
    { packages: ['x.io/u/p', 'y.io/u/q'], warnings: 0, why: 'nothing to tell' },
    {
      packages: ['x.io/u/p~u-p', `y.io/u/p~u-p-${hash('y.io/u/p')}`],
      warnings: 0,
      why: 'settled before',
    },
    { packages: ['x.io/u/p~old'], warnings: 1, why: '`verify` will not take it from the lockfile' },
    { packages: ['x.io/u/p=old'], warnings: 0, why: 'the inputs give it' },
  ])('$packages: $warnings warnings ($why)', ({ packages, warnings }) => {
    expect(assignNames(packages.map(nameless)).warnings).toHaveLength(warnings);
  });

  test.each([
    { packages: ['x.io/u/p=same', 'x.io/u/q=same'], why: 'one name given twice' },
    { packages: ['x.io/u/p=p1', 'x.io/u/p=p2'], why: 'two objects for one repository' },
    { packages: ['x.io/u/p=Bad_Name'], why: 'no name for an object' },
    { packages: ['x.io/u/p=a..b'], why: 'no DNS subdomain' },
    { packages: [`x.io/u/p=${'n'.repeat(64)}`], why: 'too long for a label' },
  ])('$packages is rejected: $why', ({ packages }) => {
    expect(() => assignNames(packages.map(nameless))).toThrow(InputError);
  });

  test('a repository that is required twice is one object, if at most one name is given', () => {
    expect(names('x.io/u/p', 'x.io/u/p=mine')).toEqual(['mine', 'mine']);
  });

  test('names are unique and valid as labels', () => {
    const part = fc.constantFrom('a', 'b', 'a_b', 'ab', long, '__');
    const repository = fc
      .tuple(fc.constantFrom('x.io', 'y.io', 'z.io'), part, part)
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(repository, { maxLength: 12 }), (repositories) => {
        const { names } = assignNames(repositories.map(nameless));
        expect(new Set(names.values()).size).toBe(repositories.length);
        for (const name of names.values())
          expect(name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
      }),
    );
  });
});
