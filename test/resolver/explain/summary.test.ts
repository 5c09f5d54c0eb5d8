import { describe, expect, test } from 'vitest';
import { refusalStory } from '../../support/story/refusal-story.js';

test('describes each chain from its root, then the conflict', () => {
  const universe = {
    'h.io/o/a 1.0.0': 'h.io/o/b ^1.0.0',
    'h.io/o/b 1.0.0': 'h.io/o/d 1.0.0',
    'h.io/o/c 1.0.0': 'h.io/o/d 2.0.0',
    'h.io/o/d 1.0.0': '',
    'h.io/o/d 2.0.0': '',
  };
  expect(refusalStory(universe, ['h.io/o/a 1.0.0', 'h.io/o/c 1.0.0']).summary).toEqual({
    headline: 'no set of versions satisfies everything on Crossplane v2.0.0',
    lines: [
      'xpkg.yaml:1 asks for a `1.0.0`, which requires b, which requires d `1.0.0`.',
      'xpkg.yaml:2 asks for c `1.0.0`, which requires d `2.0.0`.',
      'But no version of d is both `1.0.0` and `2.0.0`.',
      'Packages are from h.io/o.',
    ],
    fullLines: [
      'xpkg.yaml:1 asks for h.io/o/a `1.0.0`, which requires h.io/o/b, which requires h.io/o/d `1.0.0`.',
      'xpkg.yaml:2 asks for h.io/o/c `1.0.0`, which requires h.io/o/d `2.0.0`.',
      'But no version of h.io/o/d is both `1.0.0` and `2.0.0`.',
    ],
  });
});

test('puts versions with different requirements on lines of their own', () => {
  const universe = {
    'a 1.0.0': 'c 1.0.0',
    'a 2.0.0': 'd 1.0.0',
    'b 1.0.0': 'c 2.0.0; d 2.0.0',
    'c 1.0.0': '',
    'c 2.0.0': '',
    'd 1.0.0': '',
    'd 2.0.0': '',
  };
  expect(refusalStory(universe, ['a *', 'b *']).summary.lines).toEqual([
    'xpkg.yaml:1 asks for a `*`:',
    '  2.0.0 requires d `1.0.0`.',
    '  1.0.0 requires c `1.0.0`.',
    'xpkg.yaml:2 asks for b `*`, which requires c `2.0.0` and d `2.0.0`.',
    'But no version of d is both `1.0.0` and `2.0.0`.',
    'And no version of c is both `1.0.0` and `2.0.0`.',
  ]);
});

test('joins versions that differ only in their constraint', () => {
  const universe = {
    'a 1.0.0': 'c 1.0.0',
    'a 2.0.0': 'c 1.1.0',
    'b 1.0.0': 'c 2.0.0',
    'c 1.0.0': '',
    'c 1.1.0': '',
    'c 2.0.0': '',
  };
  expect(refusalStory(universe, ['a *', 'b *']).summary.lines).toEqual([
    'xpkg.yaml:1 asks for a `*`, every version of which requires c 1.0.0 to 1.1.0.',
    'xpkg.yaml:2 asks for b `*`, which requires c `2.0.0`.',
    'But no version of c suits both a and b.',
  ]);
});

test('ignores requirements that never apply at once', () => {
  const universe = {
    'a 1.0.0': 'b 1.0.0',
    'a 2.0.0': 'c 2.0.0',
    'b 1.0.0': 'c 1.0.0',
    'c 1.0.0': 'owns x',
    'c 2.0.0': 'owns x',
    'd 1.0.0': 'owns x',
  };
  expect(refusalStory(universe, ['a *', 'd *']).summary.lines.slice(-2)).toEqual([
    'xpkg.yaml:2 asks for d `*`.',
    'But c and d both own CRD x, and only one package can.',
  ]);
});

describe('prints one sentence with full names if there is one chain', () => {
  const NAME = 'h.io/o/a';

  test.each<{ why: string; universe: Record<string, string>; root: string; text: string }>([
    {
      why: 'no such package',
      universe: {},
      root: `${NAME} *`,
      text: 'asks for h.io/o/a `*` (there is no such package)',
    },
    {
      why: 'a version that was never published',
      universe: { [`${NAME} v1.0.0`]: '' },
      root: `${NAME} v2.0.0`,
      text: 'asks for h.io/o/a `v2.0.0`, which is not published',
    },
    {
      why: 'prereleases only',
      universe: { [`${NAME} v1.0.0-rc.1`]: '' },
      root: `${NAME} >=v0.1.0`,
      text: 'asks for h.io/o/a `>=v0.1.0` (only prereleases are in that range, and it admits none unless it names one: `>=v0.1.0-0`)',
    },
    {
      why: 'a Crossplane that is too old',
      universe: {
        [`${NAME} v1.0.0`]: 'crossplane >=v2.1.0',
        [`${NAME} v1.1.0`]: 'crossplane >=v2.2.0',
      },
      root: `${NAME} *`,
      text: 'asks for h.io/o/a `*`, every version of which needs Crossplane v2.1.0 or newer, and v2.0.0 is too old',
    },
    {
      why: 'a Crossplane that is too new',
      universe: { [`${NAME} v1.0.0`]: 'crossplane <v2.0.0' },
      root: `${NAME} *`,
      text: 'asks for h.io/o/a `*`, which needs Crossplane `<v2.0.0`, and v2.0.0 is too new',
    },
    {
      why: 'a Crossplane that does not exist',
      universe: { [`${NAME} v1.0.0`]: 'crossplane >=v99.0.0' },
      root: `${NAME} *`,
      text: 'asks for h.io/o/a `*`, which needs Crossplane `>=v99.0.0`, and the target is v2.0.0',
    },
    {
      why: 'the wrong kind',
      universe: { [`${NAME} v1.0.0`]: '' },
      root: `${NAME} * as Function`,
      text: 'asks for h.io/o/a `*` as a Function, though it is a Provider',
    },
    {
      why: 'refused by the target',
      universe: { [`${NAME} v1.0.0`]: 'rejected' },
      root: `${NAME} *`,
      text: 'asks for h.io/o/a `*`, which is refused by Crossplane (refused)',
    },
    {
      why: 'an API without owner',
      universe: {},
      root: 'crd things',
      text: 'asks for the API things, and no package in the sources given owns it',
    },
  ])('$why', ({ universe, root, text }) => {
    expect(refusalStory(universe, [root]).summary).toEqual({
      headline: `xpkg.yaml:1 ${text}`,
      lines: [],
      fullLines: [],
    });
  });

  test('states that a locked version was withdrawn', () => {
    const { summary } = refusalStory({ [`${NAME} v1.0.0`]: '' }, [`${NAME} v2.0.0`], {
      locked: { [NAME]: 'v2.0.0' },
    });
    expect(summary.headline).toBe(
      'xpkg.yaml:1 asks for h.io/o/a `v2.0.0`, which was withdrawn: the lockfile has it, and it is no longer published',
    );
  });
});

describe('recognizes well-known conflicts', () => {
  test('a whole family and one of its members, which another package requires', () => {
    const member = 'h.io/o/provider-aws-ec2';
    expect(
      meeting('h.io/o/provider-aws', member, 'owns a.ec2.io; owns b.ec2.io', {
        'h.io/o/configuration-network v1.0.0': `${member} *`,
      }),
    ).toBe(
      'But provider-aws owns the same 2 CRDs as provider-aws-ec2, which configuration-network brings in: provider-aws is all of the family in one package, and cannot stand beside its members.',
    );
  });

  test('a whole family and its family package', () => {
    expect(meeting('h.io/o/provider-aws', 'i.io/p/provider-family-aws', 'owns a.aws.io')).toBe(
      'But provider-aws owns the same CRD a.aws.io as provider-family-aws: provider-aws is all of the family in one package, and cannot stand beside its members.',
    );
  });

  test('one package from two registries', () => {
    expect(meeting('h.io/o/provider-helm', 'i.io/o/provider-helm', 'owns a.io; owns b.io')).toBe(
      'But h.io/o/provider-helm and i.io/o/provider-helm are one package from two registries, and own the same 2 CRDs: only one can be installed.',
    );
  });

  test('one package from two organisations', () => {
    expect(meeting('h.io/o/provider-helm', 'h.io/p/provider-helm', 'owns a.io')).toBe(
      'But o/provider-helm and p/provider-helm are one package from two organisations, and own the same CRD a.io: only one can be installed.',
    );
  });

  test('a family split across organisations', () => {
    expect(meeting('h.io/o/provider-family-aws', 'h.io/p/provider-family-aws', 'owns a.io')).toBe(
      'But a family has to come from one organisation: o/provider-family-aws and p/provider-family-aws own the same CRD a.io, and only one package can.',
    );
  });

  test('a family split across versions: one owner too many', () => {
    expect(meeting('h.io/o/provider-aws-s3', 'h.io/o/provider-aws-ec2', 'owns a.io')).toBe(
      'But provider-aws-ec2 and provider-aws-s3 are of one family, at versions that do not go together: both own CRD a.io.',
    );
  });

  test('a family split across versions: two versions of the family package', () => {
    const universe = {
      'provider-aws-s3 1.0.0': 'provider-family-aws 1.0.0',
      'provider-aws-ec2 2.0.0': 'provider-family-aws 2.0.0',
      'provider-family-aws 1.0.0': '',
      'provider-family-aws 2.0.0': '',
    };
    const { lines } = refusalStory(universe, ['provider-aws-s3 *', 'provider-aws-ec2 *']).summary;
    expect(lines.at(-1)).toBe(
      'But the members of a family share one provider-family-aws, and no version of it is both `1.0.0` and `2.0.0`.',
    );
  });

  test('one repository spelled two ways', () => {
    expect(meeting('docker.io/o/p', 'index.docker.io/o/p', 'owns a.io')).toBe(
      'But docker.io/o/p and index.docker.io/o/p are one repository spelled two ways, and a cluster takes them for two packages that own the same CRD a.io.',
    );
  });

  test('other packages: names a few objects, counts many', () => {
    expect(meeting('h.io/o/a', 'h.io/o/b', 'owns x.a.io; owns y.a.io')).toBe(
      'But a and b both own CRD x.a.io and CRD y.a.io, and only one package can.',
    );
    const hundred = Array.from({ length: 100 }, (_, i) => `owns k${i}.a.io`).join('; ');
    expect(meeting('h.io/o/a', 'h.io/o/b', hundred)).toBe(
      'But a and b both own 100 CRDs of a.io, and only one package can.',
    );
  });
});

test('names the requirers of a digest and a range, not the digest', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const universe = { [`a ${digest}`]: '', 'a 1.0.0': '' };
  expect(refusalStory(universe, [`a ${digest}`, 'a *']).summary.lines.at(-1)).toBe(
    'But no version of a suits both xpkg.yaml:1 and xpkg.yaml:2.',
  );
});

test('describes packages that need different Crossplane releases', () => {
  const universe = { 'a 1.0.0': 'crossplane >=v2.1.0', 'b 1.0.0': 'crossplane <v2.1.0' };
  const releases = ['v2.1.0', 'v2.0.0'];
  expect(refusalStory(universe, ['a *', 'b *'], { releases }).summary.lines).toEqual([
    'xpkg.yaml:1 asks for a `*`, which needs Crossplane `>=v2.1.0`.',
    'xpkg.yaml:2 asks for b `*`, which needs Crossplane `<v2.1.0`.',
    'But no Crossplane of v2.0.0 to v2.1.0 suits all of them.',
  ]);
});

/** Returns the sentence about two packages that own the same objects. */
function meeting(one: string, other: string, owns: string, more: Record<string, string> = {}) {
  const universe = { [`${one} v1.0.0`]: owns, [`${other} v2.0.0`]: owns, ...more };
  const roots = Object.keys(more).length > 0 ? Object.keys(more) : [other];
  const { lines } = refusalStory(universe, [`${one} *`, ...roots.map(asRoot)]).summary;
  return lines.find((line) => line.startsWith('But '));
}

/** Returns a requirement of any version of the package in a line of a universe. */
function asRoot(version: string): string {
  return `${version.split(' ')[0]!} *`;
}
