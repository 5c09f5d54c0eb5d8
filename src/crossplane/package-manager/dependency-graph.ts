import { byCodePoint } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import type { JsonObject } from '../../base/json.js';
import { parseConstraint } from '../constraints/constraint.js';
import { type Dialect, dialectRules } from '../constraints/dialects.js';
import { parseVersion } from '../constraints/version.js';
import type { PackageKind, Repository } from '../packages/package.js';
import type { Target } from '../releases/target.js';
import type { TargetRules } from '../releases/release-facts.js';

export interface LockRow {
  /** Name of its revision. */
  readonly name: string;
  readonly kind: PackageKind;
  readonly source: Repository;
  /** The tag or digest of `spec.package`. */
  readonly version: string;
  readonly dependencies: readonly LockDependency[];
}

export interface LockDependency {
  readonly repository: Repository;
  readonly kind: string;
  /** Set for the explicit form (`apiVersion`, `kind`, `package`). */
  readonly apiVersion: string | undefined;
  /** As written. */
  readonly constraint: string;
}

/** Returns a row as the package manager of the target writes it. */
export function lockRowManifest(row: LockRow, { lockRows }: TargetRules): JsonObject {
  const { name, kind, source, version, dependencies } = row;
  return {
    name,
    ...(lockRows === 'type' ? { type: kind } : { apiVersion: 'pkg.crossplane.io/v1', kind }),
    source,
    version,
    dependencies: dependencies.map((dependency) => ({
      package: dependency.repository,
      ...(dependency.apiVersion !== undefined && lockRows === 'gvk'
        ? { apiVersion: dependency.apiVersion, kind: dependency.kind }
        : { type: dependency.kind }),
      constraints: dependency.constraint,
    })),
  };
}

/** A missing or outdated dependency, and the Lock row that declares it. */
export interface ImpliedDependency {
  readonly dependency: LockDependency;
  readonly by: LockRow;
}

/** The rows of a Lock as a graph. Nodes are sources as written. */
interface DependencyGraph {
  /** Rows by source; undefined for a dependency without a row. */
  readonly nodes: ReadonlyMap<Repository, LockRow | undefined>;
  /** Dependencies without a row, each with the first edge to it, in the order of these edges. */
  readonly missing: readonly ImpliedDependency[];
}

/** Returns the graph of some rows, or the source that two of them share. */
export function dependencyGraph(rows: readonly LockRow[]): DependencyGraph | string {
  const nodes = new Map<Repository, LockRow | undefined>();
  for (const row of rows) {
    if (nodes.has(row.source)) return row.source;
    nodes.set(row.source, row);
  }
  const missing: ImpliedDependency[] = [];
  for (const by of rows) {
    for (const dependency of by.dependencies) {
      if (nodes.has(dependency.repository)) continue;
      nodes.set(dependency.repository, undefined);
      missing.push({ dependency, by });
    }
  }
  return { nodes, missing };
}

/** Returns the direct and indirect dependencies of a source. */
export function dependenciesOf(
  source: Repository,
  { nodes }: Pick<DependencyGraph, 'nodes'>,
): Set<Repository> {
  const reached = new Set<Repository>();
  const pending = [source];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const { repository } of nodes.get(next)?.dependencies ?? []) {
      if (reached.has(repository)) continue;
      reached.add(repository);
      pending.push(repository);
    }
  }
  return reached;
}

/** Returns a source that depends on itself, if any. Crossplane may name another of the cycle. */
export function findCycle(graph: DependencyGraph): Repository | undefined {
  for (const source of graph.nodes.keys()) {
    if (dependenciesOf(source, graph).has(source)) return source;
  }
  return undefined;
}

/** Returns the error of Go's library for text that is not a version. */
function noVersionError(version: string, dialect: Dialect): string {
  const { generation, maxVersionBytes } = dialectRules(dialect);
  if (maxVersionBytes !== undefined && Buffer.byteLength(version) > maxVersionBytes) {
    return `version string is too long (max ${maxVersionBytes} bytes)`;
  }
  return generation === 1 ? 'Invalid Semantic Version' : 'invalid semantic version';
}

/** Whether a version satisfies a constraint, or the error if a package manager cannot compare. */
function compareWith(version: string, constraint: string, { rules }: Target): boolean | string {
  if (rules.digestDependencies && isDigest(constraint)) return version === constraint;
  const range = parseConstraint(constraint, rules.dialect);
  if (range.invalid) return range.error;
  const parsed = parseVersion(version, rules.dialect);
  return parsed === undefined ? noVersionError(version, rules.dialect) : range.admits(parsed);
}

export function isSatisfied(version: string, constraint: string, target: Target): boolean {
  return compareWith(version, constraint, target) === true;
}

/** Adds the row of a revision to the Lock and checks the dependencies of the revision. */
export function checkDependencies(
  rows: readonly LockRow[],
  self: LockRow,
  target: Target,
): { readonly rows: readonly LockRow[]; readonly problem: string | undefined } {
  const graph = dependencyGraph(rows);
  if (typeof graph === 'string') {
    const what = 'cannot initialize dependency graph from the packages in the lock';
    return { rows, problem: `${what}: node ${graph} already exists` };
  }
  const current = withoutMoved(rows, self);
  const own = current.find(({ name }) => name === self.name);
  const nodes = new Map(graph.nodes).set(self.source, self);
  if (own === undefined) {
    const missing = self.dependencies.filter(({ repository }) => !nodes.has(repository));
    const added = [...current, self];
    if (missing.length > 0) return { rows: added, problem: missingText(missing, target) };
    return { rows: added, problem: problemOf(self, { ...graph, nodes }, target) };
  }
  if (own.version === self.version || !target.packageManager.refreshesRowVersions) {
    return { rows: current, problem: problemOf(self, graph, target) };
  }
  const refreshed = current.map((row) => (row === own ? { ...row, version: self.version } : row));
  return { rows: refreshed, problem: problemOf(self, { ...graph, nodes }, target) };
}

/** Removes the row of a revision whose image was moved to another source. */
function withoutMoved(rows: readonly LockRow[], self: LockRow): readonly LockRow[] {
  const isMoved = rows.some(({ name, source }) => name === self.name && source !== self.source);
  return isMoved ? rows.filter(({ name }) => name !== self.name) : rows;
}

function problemOf(self: LockRow, graph: DependencyGraph, target: Target): string | undefined {
  const reached = dependenciesOf(self.source, graph);
  const missing = graph.missing
    .map(({ dependency }) => dependency)
    .filter(({ repository }) => reached.has(repository));
  if (missing.length > 0) return missingText(missing, target);
  const conflicts: { readonly repository: Repository; readonly text: string }[] = [];
  for (const { repository, constraint } of self.dependencies) {
    const row = graph.nodes.get(repository);
    if (row === undefined) return 'dependency in graph is not a lock package';
    const compared = compareWith(row.version, constraint, target);
    if (typeof compared === 'string') return compared;
    if (compared) continue;
    const existing = `existing package ${row.source}@${row.version}`;
    const text = `${existing} is incompatible with constraint ${constraint.trim()}`;
    if (isDigest(constraint)) return text;
    conflicts.push({ repository, text });
  }
  if (conflicts.length === 0) return undefined;
  const quoted = target.packageManager.reportsConflicts
    ? conflicts.map(({ text }) => text).join('; ')
    : `[${conflicts.map(({ repository }) => repository).join(' ')}]`;
  return `incompatible dependencies: ${quoted}`;
}

const MAX_QUOTED = 3;

function missingText(missing: readonly LockDependency[], target: Target): string {
  if (!target.packageManager.quotesMissing) {
    return `missing dependencies: [${missing.map(({ repository }) => repository).join(' ')}]`;
  }
  const quoted = missing
    .map(({ repository, constraint }) => {
      return constraint === '' ? `"${repository}"` : `"${repository}" (${constraint})`;
    })
    .sort(byCodePoint);
  const more = quoted.length - MAX_QUOTED;
  const shown = more > 0 ? [...quoted.slice(0, MAX_QUOTED), `${more} more`] : quoted;
  if (shown.length >= MAX_QUOTED) shown.push(`and ${shown.pop()!}`);
  return `missing dependencies: ${shown.join(', ')}`;
}

// The rules of a resolver that may move packages.

/** Removes rows that satisfy no constraint on them: the resolver treats these as missing. */
export function withoutOutdated(rows: readonly LockRow[], target: Target): readonly LockRow[] {
  return rows.filter(({ source, version }) => {
    const all = constraintsOn(source, rows);
    return all.length === 0 || all.some((constraint) => isSatisfied(version, constraint, target));
  });
}

export function constraintsOn(source: Repository, rows: readonly LockRow[]): readonly string[] {
  return rows
    .flatMap(({ dependencies }) => dependencies)
    .filter(({ repository }) => repository === source)
    .map(({ constraint }) => constraint);
}

/**
 * Returns dependencies without a row or with an unsatisfied constraint, in the order of rows.
 * Without a row, later edges compare with the constraint of the first edge instead of a version.
 */
export function outdatedOrMissing(rows: readonly LockRow[], target: Target): ImpliedDependency[] {
  const versions = new Map(rows.map(({ source, version }) => [source, version]));
  const implied: ImpliedDependency[] = [];
  for (const by of rows) {
    for (const dependency of by.dependencies) {
      const { repository, constraint } = dependency;
      const installed = versions.get(repository);
      if (installed === undefined) versions.set(repository, constraint);
      else if (installed === constraint || isSatisfied(installed, constraint, target)) continue;
      implied.push({ dependency, by });
    }
  }
  return implied;
}
