import type { LockDependency, LockRow } from '../../lock/lock-row.js';
import { packageManagerOf } from '../../model/target/package-manager.js';
import type { Target } from '../../model/target/target.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { isDigest } from '../../text/digest.js';
import { dependencyGraph, reachedFrom, type DependencyGraph } from './dependency-graph.js';
import { fitOf } from './fits.js';

/** The rows of the Lock after a revision has entered itself, and what it then finds wrong. */
interface CheckedRows {
  readonly rows: readonly LockRow[];
  /** undefined: all that it depends on is there and fits. */
  readonly problem: string | undefined;
}

/** A revision enters its row in the Lock, and looks at what it depends on. */
export function checkDependencies(
  rows: readonly LockRow[],
  self: LockRow,
  target: Target,
): CheckedRows {
  const graph = dependencyGraph(rows);
  if (typeof graph === 'string') {
    const what = 'cannot initialize dependency graph from the packages in the lock';
    return { rows, problem: `${what}: node ${graph} already exists` };
  }
  const kept = withoutMoved(rows, self);
  const own = kept.find(({ name }) => name === self.name);
  if (own === undefined) {
    const nodes = new Map(graph.nodes).set(self.source, self);
    const missing = self.dependencies.filter(({ repository }) => !nodes.has(repository));
    const entered = [...kept, self];
    if (missing.length > 0) return { rows: entered, problem: missingText(missing, target) };
    return { rows: entered, problem: problemOf(self, { ...graph, nodes }, target) };
  }
  if (own.version === self.version || !packageManagerOf(target).refreshesRowVersions) {
    return { rows: kept, problem: problemOf(self, graph, target) };
  }
  const nodes = new Map(graph.nodes).set(self.source, self);
  const refreshed = kept.map((row) => (row === own ? { ...row, version: self.version } : row));
  return { rows: refreshed, problem: problemOf(self, { ...graph, nodes }, target) };
}

/** A row of this revision under another source is of an image that was moved between registries. */
function withoutMoved(rows: readonly LockRow[], self: LockRow): readonly LockRow[] {
  const isMoved = rows.some(({ name, source }) => name === self.name && source !== self.source);
  return isMoved ? rows.filter(({ name }) => name !== self.name) : rows;
}

function problemOf(self: LockRow, graph: DependencyGraph, target: Target): string | undefined {
  const reached = reachedFrom(self.source, graph);
  const missing = graph.missing.filter(({ dependency }) => reached.has(dependency.repository));
  if (missing.length > 0) {
    return missingText(
      missing.map(({ dependency }) => dependency),
      target,
    );
  }
  const unfit: LockDependency[] = [];
  for (const dependency of self.dependencies) {
    const row = graph.nodes.get(dependency.repository);
    if (row === undefined) return 'dependency in graph is not a lock package';
    const fit = fitOf(row.version, dependency.constraint, target);
    if ('error' in fit) return fit.error;
    if (fit.fits) continue;
    if (isDigest(dependency.constraint)) return incompatibleText(dependency, row);
    unfit.push(dependency);
  }
  if (unfit.length === 0) return undefined;
  const told = packageManagerOf(target).tellsIncompatible
    ? unfit.map((each) => incompatibleText(each, graph.nodes.get(each.repository)!)).join('; ')
    : `[${unfit.map(({ repository }) => repository).join(' ')}]`;
  return `incompatible dependencies: ${told}`;
}

function incompatibleText({ constraint }: LockDependency, { source, version }: LockRow): string {
  const existing = `existing package ${source}@${version}`;
  return `${existing} is incompatible with constraint ${constraint.trim()}`;
}

/** So many are quoted in full. */
const QUOTED = 3;

function missingText(missing: readonly LockDependency[], target: Target): string {
  if (!packageManagerOf(target).quotesMissing) {
    return `missing dependencies: [${missing.map(({ repository }) => repository).join(' ')}]`;
  }
  const quoted = missing
    .map(({ repository, constraint }) => {
      return constraint === '' ? `"${repository}"` : `"${repository}" (${constraint})`;
    })
    .sort(byCodePoint);
  return `missing dependencies: ${someOf(quoted)}`;
}

function someOf(texts: readonly string[]): string {
  if (texts.length < QUOTED) return texts.join(', ');
  const [more, shown] = [texts.length - QUOTED, texts.slice(0, QUOTED)];
  if (more > 0) return `${shown.join(', ')}, and ${more} more`;
  return `${shown.slice(0, -1).join(', ')}, and ${shown.at(-1)!}`;
}
