import {
  type ClusterFinding,
  type ClusterRule,
  clusterRule,
  DUMP_COMMAND,
  type InstalledCluster,
  installedObjects,
  type InstalledPackage,
  kubectlName,
  objectLabel,
  packageRule,
  skipsResolution,
} from './installed-cluster.js';
import { conditionText, isInstalledAndHealthy, PACKAGE_RULES } from './package-rules.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import { formatOrigin, redactCredentials } from '../../base/errors.js';
import { shellWord } from '../../base/escape.js';
import { selectorOf } from '../../crossplane/constraints/constraint.js';
import { satisfies } from '../../crossplane/constraints/installable-versions.js';
import type { DumpedRow } from '../../crossplane/package-manager/cluster-dump.js';
import { ownershipKey } from '../../crossplane/packages/owned-objects.js';
import { missingRuntimeConfigs } from '../../project/manifests/extra-manifests.js';
import { byPlace } from '../lint/linted-project.js';

const SEVERITY_ORDER = ['error', 'warning', 'info'];

/** Returns the findings of all rules, sorted by severity, then by place in the dump. */
export function clusterFindings(cluster: InstalledCluster): readonly ClusterFinding[] {
  return [...PACKAGE_RULES, ...REVISION_RULES, ...LOCK_RULES, ...DUMP_RULES]
    .flatMap((rule) => rule(cluster))
    .map((finding) => ({ ...finding, text: redactCredentials(finding.text) }))
    .sort(
      (a, b) =>
        SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity) || byPlace(a, b),
    );
}

const REVISION_RULES: readonly ClusterRule[] = [
  packageRule('inactive', 'warning', (each) => {
    const newest = newestOf(each);
    if (each.active !== undefined || newest === undefined) return undefined;
    const text = `${objectLabel(each)} has no active revision: nothing of it runs`;
    return { origin: newest.origin, text, fix: desiredState(each, newest.name, 'Active') };
  }),

  // With `Manual` activation, newer revisions are not active.
  packageRule('waiting-revision', 'warning', (each) => {
    const newest = newestOf(each);
    if (newest === undefined || newest.number <= (each.active?.number ?? Infinity)) {
      return undefined;
    }
    const text = `${objectLabel(each)} runs \`${each.active!.image}\`, and its newer revision \`${newest.name}\` (\`${newest.image}\`) is not active`;
    return { origin: newest.origin, text, fix: desiredState(each, newest.name, 'Active') };
  }),

  packageRule('several-active', 'error', (each) => {
    const active = each.revisions.filter(({ isActive }) => isActive);
    if (active.length < 2) return undefined;
    const names = active.map(({ name }) => `\`${name}\``).sort(byCodePoint);
    return {
      origin: active[1]!.origin,
      text: `${objectLabel(each)} has ${active.length} active revisions, ${names.join(' and ')}, which claim the same objects`,
      fix: `leave the one active that \`spec.package\` asks for: ${desiredState(each, 'NAME', 'Inactive')}`,
    };
  }),

  // The package of the revision is not in the dump.
  clusterRule('orphaned-revision', 'warning', ({ dump, packages }) => {
    const owned = new Set(packages.flatMap(({ revisions }) => revisions));
    const kinds = new Set(dump.packages.map(({ kind }) => kind));
    return dump.revisions.flatMap((revision) => {
      // A kind without any package in the dump was probably not dumped.
      if (owned.has(revision) || !kinds.has(revision.kind)) return [];
      const { kind, packageName, origin, objects } = revision;
      const object = { kind: `${kind}Revision`, name: revision.name };
      const owner = packageName === undefined ? kind : objectLabel({ kind, name: packageName });
      const text = `${objectLabel(object)} belongs to a ${owner} that is not there`;
      const fix = `\`kubectl delete ${kubectlName(object)}\`, once nothing needs its ${objects.length} objects`;
      return { origin, text, fix };
    });
  }),

  // Only one of two active revisions that list an object can control it.
  clusterRule('two-owners', 'error', ({ packages }) => {
    const owners = new Map<string, InstalledPackage>();
    const shared = new Map<string, SharedObjects>();
    for (const second of packages) {
      for (const owned of installedObjects(second)) {
        const first = getOrCreate(owners, ownershipKey(owned), () => second);
        if (first.repository === second.repository) continue;
        const key = JSON.stringify([first.repository, second.repository]);
        const { labels } = getOrCreate(shared, key, () => ({ first, second, labels: [] }));
        labels.push(objectLabel(owned));
      }
    }
    return [...shared.values()].map(({ first, second, labels }) => {
      const more = labels.length === 1 ? '' : ` and ${labels.length - 1} more`;
      return {
        origin: second.active!.origin,
        text: `${labels[0]}${more} is owned by ${objectLabel(first)} (${formatOrigin(first.active!.origin)}) and by ${objectLabel(second)}: one of them never becomes healthy`,
        fix: 'decide which of them is to stay; `xpkg-resolve resolve` finds versions that do not clash',
      };
    });
  }),
];

function newestOf({ revisions }: InstalledPackage) {
  return revisions.toSorted((a, b) => b.number - a.number || byCodePoint(a.name, b.name))[0];
}

/** Returns the command that activates or deactivates a revision. */
function desiredState({ kind }: InstalledPackage, name: string, state: string): string {
  return `\`kubectl patch ${kubectlName({ kind: `${kind}Revision`, name })} --type=merge -p '{"spec":{"desiredState":"${state}"}}'\``;
}

/** Objects that the active revisions of two packages list. */
interface SharedObjects {
  readonly first: InstalledPackage;
  readonly second: InstalledPackage;
  readonly labels: string[];
}

const EVERYTHING_STOPS = 'the cluster resolves no package at all';

const LOCK_RULES: readonly ClusterRule[] = [
  // At most one row of a source belongs to an active revision.
  clusterRule('duplicate-row', 'error', ({ rows, packages }) => {
    const active = new Set(packages.flatMap((each) => each.active?.name ?? []));
    return [...new Set(rows.map(({ source }) => source))].flatMap((source) => {
      const same = rows.filter((row) => row.source === source);
      if (same.length < 2) return [];
      const names = same.map(({ name }) => `\`${name}\``).join(' and ');
      const stale = same.filter(({ name }) => !active.has(name));
      const unneeded = stale.length > 0 && stale.length < same.length ? stale : same.slice(1);
      const text = `the Lock has ${same.length} rows for \`${source}\`, ${names}: ${EVERYTHING_STOPS}`;
      const fix = `${active.size === 0 ? 'keep the row of the active revision; ' : ''}${removal(unneeded, rows)}`;
      return { origin: same[0]!.origin, text, fix };
    });
  }),

  clusterRule('orphaned-row', 'error', ({ rows, packages }) => {
    const sources = new Set(packages.map(({ source }) => source));
    // A kind without any package in the dump was probably not dumped.
    const kinds = new Set(packages.map(({ kind }) => kind));
    return rows
      .filter(({ source, kind }) => !sources.has(source) && (kind === undefined || kinds.has(kind)))
      .map((row) => ({
        origin: row.origin,
        text: `the Lock has a row for \`${row.source}\` ${row.version}, which no object installs: whatever depends on it takes it for installed`,
        fix: removal([row], rows),
      }));
  }),

  // The row does not match the active revision of its package.
  packageRule('stale-row', 'error', (each, { rows, packages }) => {
    const isSame = ({ source }: { readonly source: string }) => source === each.source;
    const [row, ...more] = rows.filter(isSame);
    // Other rules report duplicate rows and duplicate packages.
    if (row === undefined || more.length > 0 || packages.filter(isSame).length > 1) {
      return undefined;
    }
    const problem = rowProblem(row, each);
    if (problem === undefined) return undefined;
    const text = `the Lock row of \`${each.source}\` ${problem}`;
    const fix = `if it stays so, ${removal([row], rows)}; the active revision adds its own`;
    return { origin: row.origin, text, fix };
  }),

  packageRule('missing-row', 'warning', (each, { dump, rows }) => {
    if (dump.lock === undefined || skipsResolution(each)) return undefined;
    // The conditions of an unhealthy package already state the cause.
    if (rows.some(({ source }) => source === each.source) || !isInstalledAndHealthy(each)) {
      return undefined;
    }
    return {
      text: `${objectLabel(each)} is not in the Lock: whatever depends on \`${each.repository}\` reports it missing`,
      fix: 'a healthy revision adds itself when it is reconciled: restart Crossplane, and dump again',
    };
  }),

  clusterRule('lock-unresolved', 'error', ({ dump: { lock } }) =>
    (lock?.conditions ?? [])
      .filter(({ type, status }) => type === 'Resolved' && status !== 'True')
      .map((condition) => ({
        origin: lock!.origin,
        text: `the cluster cannot resolve its packages: ${conditionText(condition)}`,
        fix: '`xpkg-resolve resolve` finds a set that fits, or says why there is none',
      })),
  ),

  // A dependency is missing, or installed at a version that does not satisfy the constraint.
  clusterRule('unmet-dependency', 'error', ({ rows, packages, target }) => {
    const versions = new Map(rows.map(({ source, version }) => [source, version]));
    const objects = new Set(packages.map(({ source }) => source));
    return rows.flatMap(({ source, version: own, origin, dependencies }) =>
      dependencies.flatMap(({ repository, constraint }) => {
        const version = versions.get(repository);
        const dependency = `\`${source}\` ${own} depends on \`${repository}\` \`${constraint}\``;
        if (version === undefined) {
          const where = objects.has(repository) ? 'in the Lock' : 'installed';
          const fix = '`xpkg-resolve resolve` finds a version of it that fits with all others';
          return { origin, text: `${dependency}, which is not ${where}`, fix };
        }
        if (satisfies(version, selectorOf(constraint), target, 'named')) return [];
        const fix = '`xpkg-resolve resolve` finds versions that fit together, or says why none do';
        return { origin, text: `${dependency}, and ${version} is installed`, fix };
      }),
    );
  }),
];

/** Returns why a row does not match its package; undefined if it does. */
function rowProblem(row: DumpedRow, installed: InstalledPackage): string | undefined {
  const { kind, version, active, origin } = installed;
  const label = `${objectLabel(installed)} (${formatOrigin(origin)})`;
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

const DUMP_RULES: readonly ClusterRule[] = [
  // Other rules read absent information as "there is none".
  clusterRule('incomplete-dump', 'info', ({ dump, packages }) => {
    const [first] = packages;
    if (first === undefined) return [];
    const found: [isMissing: boolean, text: string, fix?: string][] = [
      [dump.lock === undefined, 'the dump has no Lock, which tells what depends on what'],
      [
        dump.revisions.length === 0,
        'the dump has no revisions, which tell what runs, of which bytes, and what it owns',
      ],
      [
        packages.every(skipsResolution),
        'every package skips dependency resolution, so that the Lock is empty, and tells of no dependency',
        'name sources with `--from`',
      ],
    ];
    return found
      .filter(([isMissing]) => isMissing)
      .map(([, text, fix = `\`${DUMP_COMMAND}\``]) => ({ origin: first.origin, text, fix }));
  }),

  packageRule('incomplete-dump', 'info', (each, { dump, target }) => {
    const objects = dump.extraManifests.map(({ object }) => object);
    const [missing] = missingRuntimeConfigs(each, objects, target);
    if (missing === undefined) return undefined;
    const { kind, name, field } = missing;
    const text = `the dump has no ${kind} \`${name}\`, which ${objectLabel(each)} names in \`${field}\``;
    const kinds = shellWord(`${kind.toLowerCase()}s.pkg.crossplane.io`);
    return { text, fix: `\`kubectl get ${kinds} -o yaml\`` };
  }),

  // Secrets in a dump are never read.
  clusterRule('secrets-in-dump', 'info', ({ dump, packages }) => {
    const count = dump.ignored.get('Secret') ?? 0;
    if (count === 0) return [];
    const origin = packages[0]?.origin ?? { file: 'the dump' };
    const text = `the dump holds ${count === 1 ? 'a Secret, which was' : `${count} Secrets, which were`} not read`;
    const fix = 'keep the file out of version control, and dump no Secrets';
    return [{ origin, text, fix }];
  }),
];
