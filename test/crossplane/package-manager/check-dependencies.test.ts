import { expect, test } from 'vitest';
import {
  checkDependencies,
  type LockRow,
} from '../../../src/crossplane/package-manager/dependency-graph.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { digestOf, needs } from '../../support/lockfiles.js';

const HOST = 'xpkg.example.org/acme';

/** Parses `name source@version` and dependencies of the form `source constraint`. */
function row(text: string, ...dependencies: readonly string[]): LockRow {
  const [name, reference] = text.split(' ') as [string, string];
  const [source, ...version] = reference.split('@') as [string, ...string[]];
  return {
    name,
    kind: 'Provider',
    source: `${HOST}/${source}`,
    version: version.join('@'),
    dependencies: dependencies.map((each) => needs(`${HOST}/${each}`)),
  };
}

const incompatible = (source: string, version: string, constraint: string) =>
  `existing package ${HOST}/${source}@${version} is incompatible with constraint ${constraint}`;
const A = row('a-1 a@v1.0.0');
const D = digestOf('d');

test.each([
  {
    why: 'the Lock has one source twice',
    rows: [row('b-1 b@v1.0.0'), row('b-2 b@v1.1.0')],
    self: A,
    want: `cannot initialize dependency graph from the packages in the lock: node ${HOST}/b already exists`,
  },
  { why: 'it is there and needs nothing', rows: [A], self: A, want: undefined },
  {
    why: 'its row is added, without dependencies',
    rows: [],
    self: A,
    enters: true,
    want: undefined,
  },
  {
    why: 'it is at another tag of the same image',
    rows: [A],
    self: { ...A, version: 'v1.0.1' },
    after: [{ ...A, version: 'v1.0.1' }],
    want: undefined,
  },
  {
    why: 'releases before kept the tag',
    rows: [A],
    self: { ...A, version: 'v1.0.1' },
    crossplane: 'v1.20.4',
    want: undefined,
  },
  {
    why: 'its row is added, and a dependency is missing',
    rows: [],
    self: row('a-1 a@v1.0.0', 'c >=1', 'b *'),
    enters: true,
    want: `missing dependencies: "${HOST}/b" (*), "${HOST}/c" (>=1)`,
  },
  {
    why: 'the same in old messages',
    rows: [],
    self: row('a-1 a@v1.0.0', 'c >=1', 'b *'),
    enters: true,
    crossplane: 'v1.19.0',
    want: `missing dependencies: [${HOST}/c ${HOST}/b]`,
  },
  {
    why: 'three are listed',
    rows: [],
    self: row('a-1 a@v1.0.0', 'b *', 'c *', 'd *'),
    enters: true,
    want: `missing dependencies: "${HOST}/b" (*), "${HOST}/c" (*), and "${HOST}/d" (*)`,
  },
  {
    why: 'more than three are summarized',
    rows: [],
    self: row('a-1 a@v1.0.0', 'b *', 'c *', 'd *', 'e *', 'f *'),
    enters: true,
    want: `missing dependencies: "${HOST}/b" (*), "${HOST}/c" (*), "${HOST}/d" (*), and 2 more`,
  },
  {
    why: 'an indirect dependency is missing',
    rows: [row('a-1 a@v1.0.0', 'b *'), row('b-1 b@v1.0.0', 'c *')],
    self: row('a-1 a@v1.0.0', 'b *'),
    want: `missing dependencies: "${HOST}/c" (*)`,
  },
  {
    why: 'missing dependencies of others do not matter',
    rows: [A, row('b-1 b@v1.0.0', 'c *')],
    self: A,
    want: undefined,
  },
  {
    why: 'all direct and indirect dependencies are satisfied',
    rows: [
      row('a-1 a@v0.0.1', 'b >=v0.1.0', 'c >=v0.1.0', 'd >=v0.1.0'),
      row('b-1 b@v0.20.0', 'e *'),
      row('c-1 c@v0.100.1'),
      row('d-1 d@v0.1.0'),
      row('e-1 e@v1.0.0'),
    ],
    self: row('a-1 a@v0.0.1', 'b >=v0.1.0', 'c >=v0.1.0', 'd >=v0.1.0'),
    want: undefined,
  },
  {
    why: 'all conflicts are listed',
    rows: [
      row('a-1 a@v1.0.0', 'b >=2.0.0', 'c *', 'd <1.0.0'),
      row('b-1 b@v1.0.0'),
      row('c-1 c@v1.0.0'),
      row('d-1 d@v1.0.0'),
    ],
    self: row('a-1 a@v1.0.0', 'b >=2.0.0', 'c *', 'd <1.0.0'),
    want: `incompatible dependencies: ${incompatible('b', 'v1.0.0', '>=2.0.0')}; ${incompatible('d', 'v1.0.0', '<1.0.0')}`,
  },
  {
    why: 'old messages list only names',
    rows: [row('a-1 a@v1.0.0', 'b >=2.0.0'), row('b-1 b@v1.0.0')],
    self: row('a-1 a@v1.0.0', 'b >=2.0.0'),
    crossplane: 'v1.15.0',
    want: `incompatible dependencies: [${HOST}/b]`,
  },
  {
    why: 'constraints of its dependency are not checked again',
    rows: [row('a-1 a@v1.0.0', 'b *'), row('b-1 b@v1.0.0', 'c >=2.0.0'), row('c-1 c@v1.0.0')],
    self: row('a-1 a@v1.0.0', 'b *'),
    want: undefined,
  },
  {
    why: 'a digest is satisfied by itself',
    rows: [row('a-1 a@v1.0.0', `b ${D}`), row(`b-1 b@${D}`)],
    self: row('a-1 a@v1.0.0', `b ${D}`),
    want: undefined,
  },
  {
    why: 'a digest is not satisfied by a tag',
    rows: [row('a-1 a@v1.0.0', `b ${D}`), row('b-1 b@v1.0.0')],
    self: row('a-1 a@v1.0.0', `b ${D}`),
    want: incompatible('b', 'v1.0.0', D),
  },
  {
    why: 'a tag that is not a version satisfies no range',
    rows: [row('a-1 a@v1.0.0', 'b *'), row('b-1 b@main')],
    self: row('a-1 a@v1.0.0', 'b *'),
    crossplane: 'v1.20.11',
    want: 'Invalid Semantic Version',
  },
  {
    why: 'an entry that is no constraint',
    rows: [row('a-1 a@v1.0.0', 'b latest'), row('b-1 b@v1.0.0')],
    self: row('a-1 a@v1.0.0', 'b latest'),
    want: 'improper constraint: latest',
  },
  {
    why: 'it depends on itself',
    rows: [row('a-1 a@v1.0.0', 'a >=1.0.0')],
    self: row('a-1 a@v1.0.0', 'a >=1.0.0'),
    want: undefined,
  },
  {
    why: 'its image moved to another registry',
    rows: [row('a-1 elsewhere@v1.0.0')],
    self: A,
    after: [A],
    want: undefined,
  },
])('$why', ({ rows, self, enters = false, after, crossplane = 'v2.3.4', want }) => {
  const checked = checkDependencies(rows, self, targetFor(crossplane)!);
  expect(checked.problem).toBe(want);
  expect(checked.rows).toEqual(after ?? (enters ? [...rows, self] : rows));
});
