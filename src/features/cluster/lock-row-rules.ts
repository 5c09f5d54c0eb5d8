import { formatOrigin } from '../../base/errors.js';
import type { DumpedRow } from '../../crossplane/package-manager/cluster-dump.js';
import { selectorOf } from '../../crossplane/constraints/constraint.js';
import { satisfies } from '../../crossplane/constraints/installable-versions.js';
import {
  type ClusterFinding,
  type ClusterRule,
  type InstalledCluster,
  type InstalledPackage,
  skipsResolution,
} from './installed-cluster.js';
import { conditionText, isInstalledAndHealthy } from './package-rules.js';
import { shellWord } from '../../base/escape.js';

/** Rules about the Lock. */
export const LOCK_ROW_RULES: readonly ClusterRule[] = [
  duplicateRows,
  orphanedRows,
  staleRows,
  missingRows,
  unresolvedLock,
  brokenConstraints,
];

const EVERYTHING_STOPS = 'the cluster resolves no package at all';

/** Reports several rows of one source; at most one belongs to an active revision. */
function duplicateRows({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const rows = dump.lock?.rows ?? [];
  const active = new Set(packages.flatMap((each) => each.active?.name ?? []));
  return [...new Set(rows.map(({ source }) => source))].flatMap((source) => {
    const same = rows.filter((row) => row.source === source);
    if (same.length < 2) return [];
    const names = same.map(({ name }) => `\`${name}\``).join(' and ');
    const stale = same.filter(({ name }) => !active.has(name));
    const unneeded = stale.length > 0 && stale.length < same.length ? stale : same.slice(1);
    return {
      rule: 'duplicate-row',
      severity: 'error',
      origin: same[0]!.origin,
      text: `the Lock has ${same.length} rows for \`${source}\`, ${names}: ${EVERYTHING_STOPS}`,
      fix: `${active.size === 0 ? 'keep the row of the active revision; ' : ''}${removal(unneeded, rows)}`,
    };
  });
}

/** Reports rows of a source that no object of the cluster installs. */
function orphanedRows({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const rows = dump.lock?.rows ?? [];
  const sources = new Set(packages.map(({ source }) => source));
  // A kind without any package in the dump was probably not dumped.
  const kinds = new Set(packages.map(({ kind }) => kind));
  return rows.flatMap((row) => {
    if (sources.has(row.source)) return [];
    if (row.kind !== undefined && !kinds.has(row.kind)) return [];
    return {
      rule: 'orphaned-row',
      severity: 'error',
      origin: row.origin,
      text: `the Lock has a row for \`${row.source}\` ${row.version}, which no object installs: whatever depends on it takes it for installed`,
      fix: removal([row], rows),
    };
  });
}

/** Reports rows that do not match the active revision of their package. */
function staleRows({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const all = dump.lock?.rows ?? [];
  return packages.flatMap((each) => {
    const rows = all.filter(({ source }) => source === each.source);
    const [row] = rows;
    // Other rules report duplicate rows and duplicate packages.
    if (row === undefined || rows.length > 1) return [];
    if (packages.some((other) => other !== each && other.source === each.source)) return [];
    const problem = rowProblem(row, each);
    if (problem === undefined) return [];
    return {
      rule: 'stale-row',
      severity: 'error',
      origin: row.origin,
      text: `the Lock row of \`${each.source}\` ${problem}`,
      fix: `if it stays so, ${removal([row], all)}; the active revision adds its own`,
    };
  });
}

/** Returns why a row does not match its package; undefined if it does. */
function rowProblem(row: DumpedRow, installed: InstalledPackage): string | undefined {
  const { kind, name, version, active, origin } = installed;
  const label = `${kind} \`${name}\` (${formatOrigin(origin)})`;
  if (skipsResolution(installed)) {
    return `is not kept up to date: ${label} skips dependency resolution`;
  }
  if (active !== undefined && row.name !== active.name) {
    return `names revision \`${row.name}\`, and \`${active.name}\` is active: when that one adds itself, the source is there twice, and ${EVERYTHING_STOPS}`;
  }
  if (row.version !== version) return `says ${row.version}, and ${label} asks for ${version}`;
  if (row.kind === undefined || row.kind === kind) return undefined;
  return `says that it is a ${row.kind}, and it is installed as a ${kind}`;
}

/** Reports packages that take part in resolution but are not in the Lock. */
function missingRows({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const { lock } = dump;
  if (lock === undefined) return [];
  const sources = new Set(lock.rows.map(({ source }) => source));
  return packages.flatMap((each) => {
    if (skipsResolution(each) || sources.has(each.source)) return [];
    // The conditions of an unhealthy package already state the cause.
    if (!isInstalledAndHealthy(each)) return [];
    return {
      rule: 'missing-row',
      severity: 'warning',
      origin: each.origin,
      text: `${each.kind} \`${each.name}\` is not in the Lock: whatever depends on \`${each.repository}\` reports it missing`,
      fix: 'a healthy revision adds itself when it is reconciled: restart Crossplane, and dump again',
    };
  });
}

/** Reports the `Resolved` condition of the Lock if it is not true. */
function unresolvedLock({ dump }: InstalledCluster): ClusterFinding[] {
  const { lock } = dump;
  if (lock === undefined) return [];
  return lock.conditions
    .filter(({ type, status }) => type === 'Resolved' && status !== 'True')
    .map((condition) => ({
      rule: 'lock-unresolved',
      severity: 'error',
      origin: lock.origin,
      text: `the cluster cannot resolve its packages: ${conditionText(condition)}`,
      fix: '`xpkg-resolve resolve` finds a set that fits, or says why there is none',
    }));
}

/** Reports dependencies that are missing or installed at a version that does not satisfy them. */
function brokenConstraints({ dump, packages, target }: InstalledCluster): ClusterFinding[] {
  const rows = dump.lock?.rows ?? [];
  const versions = new Map(rows.map(({ source, version }) => [source, version]));
  const objects = new Set(packages.map(({ source }) => source));
  return rows.flatMap((row) =>
    row.dependencies.flatMap(({ repository, constraint }): ClusterFinding | [] => {
      const version = versions.get(repository);
      const dependency = `\`${row.source}\` ${row.version} depends on \`${repository}\` \`${constraint}\``;
      const about = { rule: 'unmet-dependency', severity: 'error', origin: row.origin } as const;
      if (version === undefined) {
        const where = objects.has(repository) ? 'in the Lock' : 'installed';
        const fix = '`xpkg-resolve resolve` finds a version of it that fits with all others';
        return { ...about, text: `${dependency}, which is not ${where}`, fix };
      }
      if (satisfies(version, selectorOf(constraint), target, 'named')) return [];
      const fix = '`xpkg-resolve resolve` finds versions that fit together, or says why none do';
      return { ...about, text: `${dependency}, and ${version} is installed`, fix };
    }),
  );
}

/** Returns commands that remove rows from the Lock, and fail if the Lock has changed since. */
function removal(unneeded: readonly DumpedRow[], all: readonly DumpedRow[]): string {
  const commands = unneeded
    .map((row) => ({ row, at: all.indexOf(row) }))
    // Last row first: a removal changes the index of each later row.
    .sort((a, b) => b.at - a.at)
    .map(({ row, at }) => {
      const patch = [
        { op: 'test', path: `/packages/${at}/name`, value: row.name },
        { op: 'remove', path: `/packages/${at}` },
      ];
      return `\`kubectl patch lock.pkg.crossplane.io/lock --type=json -p ${shellWord(JSON.stringify(patch))}\``;
    });
  return `take the row out: ${commands.join(', then ')}`;
}
