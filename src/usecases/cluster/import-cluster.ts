import { isRejection, judge } from '../../admission/judge.js';
import type { CheckedPackage } from '../../driver/checked-package.js';
import { SourceMemory } from '../../driver/source-memory.js';
import { undigested } from '../../lock/lock-manifest.js';
import type { Lockfile } from '../../lock/lockfile.js';
import type { ClusterDump } from '../../model/cluster/cluster-dump.js';
import { objectNameOf } from '../../model/name.js';
import type { Repository } from '../../model/package.js';
import type { PackageMeta, Requirement } from '../../model/package-meta.js';
import type { PackageSource } from '../../model/package-source.js';
import type { PackageRoot, Request } from '../../model/request.js';
import type { Target } from '../../model/target/target.js';
import { isDigest } from '../../text/digest.js';
import type { JsonObject } from '../../text/json.js';
import { INPUTS_SAY_SO, toLockfile } from '../resolve/to-lockfile.js';
import type { ClusterFinding } from './cluster-finding.js';
import { clusterFindings } from './cluster-findings.js';
import { digestDigits, installedCluster, type InstalledPackage } from './installed-cluster.js';
import { installedObjects } from './installed-objects.js';
import { keptObjects } from './kept-objects.js';
import { worthKeeping } from './rules/packages.js';
import { ownSettings, type OwnSettings } from './own-settings.js';

export interface ImportOptions {
  readonly target: Target;
  /** Where to read what a dump does not tell; undefined: nowhere. */
  readonly source?: PackageSource | undefined;
}

/** What a cluster has installed, as a set that asks for it and a lockfile that holds it. */
export interface ImportedCluster {
  /** The roots, by repository; a root with an object has labels or annotations that no entry holds. */
  readonly request: Request;
  /** Roots that others require as well. */
  readonly required: ReadonlySet<Repository>;
  readonly lockfile: Lockfile;
  readonly findings: readonly ClusterFinding[];
  /** Packages of which the digest is not known. */
  readonly undigested: number;
}

/**
 * Takes over what is installed, as it is: nothing is solved, and no version moves.
 *
 * A dump tells the versions, who depends on whom and what is owned; of digests it tells the first
 * digits. The rest is read from a source, and held against those digits.
 */
export async function importCluster(
  dump: ClusterDump,
  { target, source }: ImportOptions,
): Promise<ImportedCluster> {
  const cluster = installedCluster(dump, target);
  const installed = onePerRepository(cluster.packages, target);
  const memory = source === undefined ? undefined : SourceMemory.of(source);
  const reads = await Promise.all(
    installed.map((each) => readInstalled(each, dump, target, memory)),
  );
  const required = requiredIn(reads);
  const settings = ownSettings(installed);
  const roots = installed
    .filter((each) => isDirect(each, { required, settings, target }))
    .map((each) => rootOf(each, settings, target));
  const request: Request = {
    crossplane: { text: target.version, origin: { file: 'the dump' } },
    roots,
    overrides: [],
    replace: [],
    exclude: [],
    defaults: settings.common,
    kept: keptObjects(dump),
  };
  const { lockfile } = toLockfile(reads, request, { target, previous: undefined });
  const skips = settings.common['skipDependencyResolution'] === true;
  const whole = { ...lockfile, skipDependencyResolution: skips ? [INPUTS_SAY_SO] : [] };
  return {
    request,
    required: new Set(
      roots.map(({ repository }) => repository).filter((each) => required.has(each)),
    ),
    lockfile: whole,
    findings: [...reads.flatMap(({ findings }) => findings), ...clusterFindings(cluster)],
    undigested: undigested(whole).length,
  };
}

/** The object to keep of those that install one repository. */
function onePerRepository(
  packages: readonly InstalledPackage[],
  target: Target,
): readonly InstalledPackage[] {
  const repositories = [...new Set(packages.map(({ repository }) => repository))];
  return repositories.map((repository) => {
    const all = packages.filter((each) => each.repository === repository);
    return worthKeeping(all, objectNameOf(repository, target));
  });
}

/** An installed package with all that is known of its contents. */
interface InstalledRead {
  readonly repository: Repository;
  readonly version: string;
  readonly meta: PackageMeta;
  readonly fetched: Pick<CheckedPackage, 'digest' | 'manifest' | 'baseLayer' | 'packageYaml'>;
  readonly findings: readonly ClusterFinding[];
}

async function readInstalled(
  installed: InstalledPackage,
  dump: ClusterDump,
  target: Target,
  memory: SourceMemory | undefined,
): Promise<InstalledRead> {
  const { repository, version, kind, origin } = installed;
  const told = {
    repository,
    version,
    meta: metaFrom(installed, dump),
    fetched: { ...UNREAD, digest: isDigest(version) ? version : undefined },
    findings: [],
  };
  if (memory === undefined) return told;
  const finding = (
    rule: string,
    severity: ClusterFinding['severity'],
    text: string,
    fix: string,
  ) => ({
    ...told,
    findings: [{ rule, severity, origin, text: `\`${repository}\` ${version} ${text}`, fix }],
  });
  const fetched = await memory.fetch({ repository, version }, target);
  if (fetched === undefined) {
    const fix = 'name the place that has it with `--from`; the lockfile has what the dump tells';
    return finding('not-in-sources', 'warning', 'is in none of the sources', fix);
  }
  const digits = digestDigits(installed);
  if (digits !== undefined && fetched.digest?.startsWith(`sha256:${digits}`) === false) {
    const text = `names other bytes (${fetched.digest.slice(0, 19)}…) than its revision \`${installed.active!.name}\` was made of: the tag was moved`;
    const fix = 'install a version whose tag stands; until then the lockfile is without its digest';
    return finding('moved-tag', 'error', text, fix);
  }
  const meta = judge(fetched.contents, target);
  if (isRejection(meta)) {
    const [first] = meta.findings.filter(({ severity }) => severity === 'error');
    const text = `is refused by Crossplane ${target.version}: ${first?.message ?? 'it is no package'}`;
    return finding(
      'refused',
      'warning',
      text,
      'see `xpkg-resolve inspect`; the lockfile has what the dump tells',
    );
  }
  if (meta.kind !== kind) {
    const text = `is a ${meta.kind}, and is installed as a ${kind}`;
    return finding('kind', 'error', text, `install it as a ${meta.kind}`);
  }
  return { ...told, meta, fetched };
}

const UNREAD = { manifest: undefined, baseLayer: undefined, packageYaml: undefined } as const;

/** What the dump tells of a package: of its Crossplane constraint, nothing. */
function metaFrom(installed: InstalledPackage, { claims }: ClusterDump): PackageMeta {
  const { kind, name, rows, active } = installed;
  const row = rows.find((each) => each.name === active?.name) ?? rows.at(-1);
  return {
    kind,
    name,
    labels: {},
    crossplane: undefined,
    requirements: (row?.dependencies ?? []).flatMap((each): Requirement[] =>
      each.kind === undefined
        ? []
        : [{ requires: 'package', ...each, kind: each.kind, line: undefined }],
    ),
    owns: installedObjects(installed, claims),
    findings: [],
  };
}

function requiredIn(reads: readonly InstalledRead[]): ReadonlySet<Repository> {
  const requirements = reads.flatMap(({ meta }) => meta.requirements);
  return new Set(
    requirements.flatMap((each) => (each.requires === 'package' ? [each.repository] : [])),
  );
}

interface Among {
  readonly required: ReadonlySet<Repository>;
  readonly settings: OwnSettings;
  readonly target: Target;
}

/** Whether it is wanted for its own sake: all but what looks as if the cluster's resolver made it. */
function isDirect(installed: InstalledPackage, { required, settings, target }: Among): boolean {
  const { repository, name, isUsers } = installed;
  if (!required.has(repository) || isUsers) return true;
  return name !== objectNameOf(repository, target) || settings.of(installed).isCustom;
}

function rootOf(installed: InstalledPackage, settings: OwnSettings, target: Target): PackageRoot {
  const { repository, kind, version, name, apiVersion, reference, origin } = installed;
  const { spec, metadata } = settings.of(installed);
  const isLabelled = Object.keys(metadata).length > 0;
  const object: JsonObject = {
    apiVersion,
    kind,
    metadata: { name, ...metadata },
    spec: { package: reference, ...spec },
  };
  return {
    root: 'package',
    repository,
    kind,
    version: isDigest(version)
      ? { form: 'digest', digest: version }
      : { form: 'tag', tag: version },
    name: isLabelled || name !== objectNameOf(repository, target) ? name : undefined,
    spec: isLabelled ? {} : spec,
    object: isLabelled ? object : undefined,
    ignoreCrossplaneConstraints: spec['ignoreCrossplaneConstraints'] === true,
    skipDependencyResolution: settings.common['skipDependencyResolution'] === true,
    origin,
  };
}
