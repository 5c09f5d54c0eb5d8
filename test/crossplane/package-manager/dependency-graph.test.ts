import { describe, expect, test } from 'vitest';
import {
  dependenciesOf,
  dependencyGraph,
  findCycle,
  type LockRow,
  outdatedOrMissing,
  withoutOutdated,
} from '../../../src/crossplane/package-manager/dependency-graph.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { digestOf, needs } from '../../support/lockfiles.js';

const HOST = 'xpkg.example.org/acme';
const TARGETS = ['v1.20.11', 'v2.3.4'].map((version) => targetFor(version)!);
const [D1, D2] = [digestOf('one'), digestOf('two')];

/** `source version: dependency constraint, dependency constraint`. */
function row(text: string): LockRow {
  const [self, needed = ''] = text.split(': ') as [string, string?];
  const [source, version] = self.split(' ') as [string, string];
  return {
    name: source,
    kind: 'Provider',
    source: `${HOST}/${source}`,
    version,
    dependencies: needed
      .split(', ')
      .filter(Boolean)
      .map((each) => needs(`${HOST}/${each}`)),
  };
}

const short = (source: string) => source.slice(HOST.length + 1);

// The test tables of Crossplane's graphs (TestSort, TestUpgradingSort): missing and indirect
// dependencies, and cycles.
describe('the graph of rows', () => {
  test.each([
    {
      why: 'a dependency without a row is missing',
      rows: ['one v1: two *, three *'],
      missing: ['two', 'three'],
      reached: 2,
    },
    {
      why: 'only one order is valid',
      rows: [
        'one v1: two *, three *',
        'two v1: three *',
        'three v1: four *',
        'four v1: five *',
        'five v1: six *',
        'six v1',
      ],
      missing: [],
      reached: 5,
    },
    {
      why: 'several orders are valid, and a shared missing dependency is listed once',
      rows: [
        'one v1: two *, three *',
        'two v1: three *, seven *, eight *, nine *',
        'three v1: four *',
        'four v1: five *',
        'five v1: six *',
        'six v1: seven *, eight *, nine *',
      ],
      missing: ['seven', 'eight', 'nine'],
      reached: 8,
    },
    { why: 'a circle', rows: ['one v1: two *', 'two v1: one *'], isCyclic: true },
    { why: 'a circle of one', rows: ['one v1: one *'], isCyclic: true },
  ])('$why', ({ rows: texts, missing = [], reached, isCyclic = false }) => {
    const rows = texts.map(row);
    const graph = dependencyGraph(rows);
    if (typeof graph === 'string') throw new Error(graph);
    expect(findCycle(graph) !== undefined).toBe(isCyclic);
    if (isCyclic) return;
    expect(graph.missing.map(({ dependency }) => short(dependency.repository))).toEqual(missing);
    expect(dependenciesOf(rows[0]!.source, graph).size).toBe(reached);
    for (const target of TARGETS) {
      const implied = outdatedOrMissing(rows, target);
      expect(implied.map(({ dependency }) => short(dependency.repository))).toEqual(missing);
    }
  });

  test('rows with the same source have no graph', () => {
    expect(dependencyGraph([row('one v1'), row('one v2')])).toBe(`${HOST}/one`);
  });
});

// A resolver that may move packages also checks the versions of rows.
describe('with upgrades', () => {
  test.each([
    { why: 'a row that fits', rows: ['a v1: b >=v1.0.0', 'b v1.5.0'], work: [] },
    {
      why: 'a row that does not fit',
      rows: ['a v1: b >=v2.0.0', 'b v1.5.0'],
      work: ['b >=v2.0.0'],
    },
    {
      why: 'a row that satisfies one of two constraints',
      rows: ['a v1: b *', 'c v1: b >=v2.0.0', 'b v1.5.0'],
      work: ['b >=v2.0.0'],
    },
    { why: 'a digest that is the constraint', rows: [`a v1: b ${D1}`, `b ${D1}`], work: [] },
    { why: 'another digest', rows: [`a v1: b ${D1}`, `b ${D2}`], work: [`b ${D1}`] },
    { why: 'a digest for a range', rows: ['a v1: b *', `b ${D1}`], work: ['b *'] },
    { why: 'a tag that is the constraint', rows: ['a v1: b main', 'b main'], work: [] },
    { why: 'text that is not a constraint', rows: ['a v1: b main', 'b v1.0.0'], work: ['b main'] },
    {
      why: 'a missing dependency, with the first constraint as its version',
      rows: ['a v1: b v1.0.0', 'c v1: b >=v1.0.0', 'd v1: b >=v2.0.0'],
      work: ['b v1.0.0', 'b >=v2.0.0'],
    },
  ])('$why', ({ rows, work }) => {
    for (const target of TARGETS) {
      const implied = outdatedOrMissing(rows.map(row), target);
      const told = implied.map(
        ({ dependency: { repository, constraint } }) => `${short(repository)} ${constraint}`,
      );
      expect(told).toEqual(work);
    }
  });
});

// The test table of Crossplane for outdated rows (TestPruneOutdatedDependencies).
describe('outdated rows', () => {
  const TREE = ['root1 v2.0.0: branch1 v2.0.0', 'branch1 v2.0.0: leaf v2.0.0'];

  test.each([
    { why: 'no rows', rows: [], gone: [] },
    { why: 'rows without dependents', rows: ['a v1.0.0', 'b v2.0.0'], gone: [] },
    { why: 'it fits', rows: ['root v1.0.0: a >=v1.0.0', 'a v1.5.0'], gone: [] },
    { why: 'it does not fit', rows: ['root v1.0.0: a >=v2.0.0', 'a v1.5.0'], gone: ['a'] },
    {
      why: 'it fits one of two',
      rows: ['root-a v1.0.0: a >=v1.0.0', 'root-b v1.0.0: a >=v2.0.0', 'a v1.5.0'],
      gone: [],
    },
    { why: 'the digest asked for', rows: [`root v1.0.0: a ${D1}`, `a ${D1}`], gone: [] },
    { why: 'another digest', rows: [`root v1.0.0: a ${D1}`, `a ${D2}`], gone: ['a'] },
    {
      why: 'a leaf that satisfies no constraint',
      rows: [...TREE, 'root2 v2.0.0: branch2 v2.0.0', 'branch2 v2.0.0: leaf v2.0.0', 'leaf v1.5.0'],
      gone: ['leaf'],
    },
    {
      why: 'a leaf that satisfies one constraint',
      rows: [...TREE, 'root2 v1.5.0: branch2 v1.5.0', 'branch2 v1.5.0: leaf v1.5.0', 'leaf v1.5.0'],
      gone: [],
    },
    {
      why: 'neither range nor digest is met',
      rows: [`root v1.0.0: a >=v1.0.0, b ${D1}`, 'a v0.9.0', `b ${D2}`],
      gone: ['a', 'b'],
    },
    {
      why: 'constraints of outdated rows count, because all rows are checked at once',
      rows: ['root v1.0.0: a >=v2.0.0', 'a v1.0.0: b v1.0.0', 'b v1.0.0'],
      gone: ['a'],
    },
    { why: 'a digest for a range', rows: ['root v1.0.0: a *', `a ${D1}`], gone: ['a'] },
    { why: 'a tag for a digest', rows: [`root v1.0.0: a ${D1}`, 'a v1.0.0'], gone: ['a'] },
  ])('$why', ({ rows, gone }) => {
    for (const target of TARGETS) {
      const given = rows.map(row);
      const left = given.filter(({ source }) => !gone.includes(short(source)));
      expect(withoutOutdated(given, target)).toEqual(left);
    }
  });
});
