import { formatOrigin } from '../../../model/input-error.js';
import type { DumpedRow } from '../../../model/cluster/cluster-dump.js';
import { selectorOf } from '../../../model/selector.js';
import { meetsSelector } from '../../resolve/meets-selector.js';
import type { ClusterFinding } from '../cluster-finding.js';
import { skipsResolution, type InstalledCluster } from '../installed-cluster.js';
import { conditionText, isInstalledWell } from './packages.js';

const EVERYTHING_STOPS = 'the cluster resolves no package at all';

/** Two rows of one source, of which at most one is of an active revision. */
export function duplicateRows(cluster: InstalledCluster): ClusterFinding[] {
  const rows = cluster.dump.lock?.rows ?? [];
  const active = activeRevisions(cluster);
  return [...new Set(rows.map(({ source }) => source))].flatMap((source): ClusterFinding[] => {
    const same = rows.filter((row) => row.source === source);
    if (same.length < 2) return [];
    const names = same.map(({ name }) => `\`${name}\``).join(' and ');
    const stale = same.filter(({ name }) => !active.has(name));
    const going = stale.length > 0 && stale.length < same.length ? stale : same.slice(1);
    return [
      {
        rule: 'duplicate-row',
        severity: 'error',
        origin: same[0]!.origin,
        text: `the Lock has ${same.length} rows for \`${source}\`, ${names}: ${EVERYTHING_STOPS}`,
        fix: `${active.size === 0 ? 'keep the row of the active revision; ' : ''}${removal(going, rows)}`,
      },
    ];
  });
}

/** A row of a source that no object of the cluster installs. */
export function orphanedRows({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const rows = dump.lock?.rows ?? [];
  const sources = new Set(packages.map(({ source }) => source));
  // Without its packages in the dump, nothing can be told about a kind.
  const kinds = new Set(packages.map(({ kind }) => kind));
  return rows.flatMap((row): ClusterFinding[] => {
    if (sources.has(row.source)) return [];
    if (row.kind !== undefined && !kinds.has(row.kind)) return [];
    return [
      {
        rule: 'orphaned-row',
        severity: 'error',
        origin: row.origin,
        text: `the Lock has a row for \`${row.source}\` ${row.version}, which no object installs: whatever depends on it takes it for installed`,
        fix: removal([row], rows),
      },
    ];
  });
}

/** A row that is not of the active revision of its package. */
export function staleRows(cluster: InstalledCluster): ClusterFinding[] {
  const all = cluster.dump.lock?.rows ?? [];
  return cluster.packages.flatMap((each): ClusterFinding[] => {
    const rows = all.filter(({ source }) => source === each.source);
    const [row] = rows;
    // Of several rows, and of several objects, another rule tells.
    if (row === undefined || rows.length > 1) return [];
    if (cluster.packages.some((other) => other !== each && other.source === each.source)) return [];
    const problem = skipsResolution(each)
      ? `is not kept up to date: ${each.kind} \`${each.name}\` (${formatOrigin(each.origin)}) skips dependency resolution`
      : each.active !== undefined && row.name !== each.active.name
        ? `names revision \`${row.name}\`, and \`${each.active.name}\` is active: when that one adds itself, the source is there twice, and ${EVERYTHING_STOPS}`
        : row.version !== each.version
          ? `says ${row.version}, and ${each.kind} \`${each.name}\` (${formatOrigin(each.origin)}) asks for ${each.version}`
          : row.kind !== undefined && row.kind !== each.kind
            ? `says that it is a ${row.kind}, and it is installed as a ${each.kind}`
            : undefined;
    if (problem === undefined) return [];
    return [
      {
        rule: 'stale-row',
        severity: 'error',
        origin: row.origin,
        text: `the Lock row of \`${each.source}\` ${problem}`,
        fix: `if it stays so, ${removal([row], all)}; the active revision adds its own`,
      },
    ];
  });
}

/** A package that takes part in resolution and is not in the Lock. */
export function missingRows({ dump, packages }: InstalledCluster): ClusterFinding[] {
  const { lock } = dump;
  if (lock === undefined) return [];
  const sources = new Set(lock.rows.map(({ source }) => source));
  return packages.flatMap((each): ClusterFinding[] => {
    if (skipsResolution(each) || sources.has(each.source)) return [];
    // One that is not healthy says itself what keeps it out of the Lock.
    if (!isInstalledWell(each)) return [];
    return [
      {
        rule: 'missing-row',
        severity: 'warning',
        origin: each.origin,
        text: `${each.kind} \`${each.name}\` is not in the Lock: whatever depends on \`${each.repository}\` reports it missing`,
        fix: 'a healthy revision adds itself when it is reconciled: restart Crossplane, and dump again',
      },
    ];
  });
}

/** What the resolver itself says. */
export function unresolvedLock({ dump }: InstalledCluster): ClusterFinding[] {
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

/** A dependency that is not there, or at a version that will not do. */
export function brokenConstraints({ dump, packages, target }: InstalledCluster): ClusterFinding[] {
  const versions = new Map((dump.lock?.rows ?? []).map(({ source, version }) => [source, version]));
  const objects = new Set(packages.map(({ source }) => source));
  return (dump.lock?.rows ?? []).flatMap((row) =>
    row.dependencies.flatMap(({ repository, constraint }): ClusterFinding[] => {
      const version = versions.get(repository);
      const who = `\`${row.source}\` ${row.version} depends on \`${repository}\` \`${constraint}\``;
      const { origin } = row;
      const rule = 'unmet-dependency';
      if (version === undefined) {
        const where = objects.has(repository) ? 'in the Lock' : 'installed';
        const fix = '`xpkg-resolve resolve` finds a version of it that fits with all others';
        return [{ rule, severity: 'error', origin, text: `${who}, which is not ${where}`, fix }];
      }
      if (meetsSelector(version, selectorOf(constraint), target, 'named')) return [];
      const fix = '`xpkg-resolve resolve` finds versions that fit together, or says why none do';
      const text = `${who}, and ${version} is installed`;
      return [{ rule, severity: 'error', origin, text, fix }];
    }),
  );
}

function activeRevisions({ packages }: InstalledCluster): ReadonlySet<string> {
  return new Set(packages.flatMap(({ active }) => active?.name ?? []));
}

/** The command that takes rows out of the Lock, and does nothing where it changed since. */
function removal(going: readonly DumpedRow[], all: readonly DumpedRow[]): string {
  const commands = going
    .map((row) => ({ row, at: all.indexOf(row) }))
    // From the end: each removal moves the rows after it.
    .sort((a, b) => b.at - a.at)
    .map(({ row, at }) => {
      const patch = [
        { op: 'test', path: `/packages/${at}/name`, value: row.name },
        { op: 'remove', path: `/packages/${at}` },
      ];
      return `\`kubectl patch lock.pkg.crossplane.io/lock --type=json -p '${JSON.stringify(patch)}'\``;
    });
  return `take the row out: ${commands.join(', then ')}`;
}
