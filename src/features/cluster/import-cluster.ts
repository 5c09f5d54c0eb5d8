import { clusterFindings } from './findings.js';
import {
  type ClusterFinding,
  type InstalledCluster,
  isMadeOf,
  installedCluster,
  installedObjects,
  type InstalledPackage,
  skipsResolution,
} from './installed-cluster.js';
import { byRepository, preferredPackage } from './package-rules.js';
import { isDigest } from '../../base/digest.js';
import { type JsonObject, type JsonValue, mappingOf, stringOf } from '../../base/json.js';
import type { ClusterDump } from '../../crossplane/package-manager/cluster-dump.js';
import { isRenderedPin, type KeptObject } from '../../crossplane/package-manager/image-config.js';
import { isRejection, judge } from '../../crossplane/packages/admission.js';
import { objectNameOf } from '../../crossplane/packages/object-names.js';
import type { PackageMeta } from '../../crossplane/packages/package-meta.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { splitTag, validPackageReference } from '../../crossplane/packages/reference.js';
import { knownReleases, type Target, targetFor } from '../../crossplane/releases/target.js';
import {
  EMPTY_REQUEST,
  exactVersion,
  type PackageRoot,
  type Request,
} from '../../project/inputs/request.js';
import { packagesWithoutDigest } from '../../project/lockfile/lock-graph.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { nameOf } from '../../project/manifests/object-names.js';
import { plainSpec } from '../../crossplane/packages/object-spec.js';
import { hasSpecField } from '../../project/manifests/object-template.js';
import { type CheckedPackage, SourceReader } from '../../resolver/driver/source-reader.js';
import { SET_IN_INPUTS, toLockfile } from '../../resolver/resolve/to-lockfile.js';
import type { PackageSource } from '../../sources/package-source.js';

/** The request and the lockfile for what a cluster has installed. */
export interface ImportedCluster {
  /**
   * The request; its roots are sorted by repository. A root has an object if it does not fit into an
   * entry of xpkg.yaml.
   */
  readonly request: Omit<Request, 'roots'> & { readonly roots: readonly PackageRoot[] };
  /** Roots that other packages also require. */
  readonly required: ReadonlySet<Repository>;
  readonly lockfile: Lockfile;
  readonly findings: readonly ClusterFinding[];
  /** Number of packages without a known digest. */
  readonly undigested: number;
}

/**
 * Converts what a cluster has installed to a request and a lockfile, without solving.
 *
 * A dump has versions, dependencies, owned objects and the first digits of digests. The rest is read
 * from the source, if there is one, and checked against those digits.
 */
export async function importCluster(
  dump: ClusterDump,
  { target, source }: { readonly target: Target; readonly source?: PackageSource },
): Promise<ImportedCluster> {
  const cluster = installedCluster(dump, target);
  const installed = [...byRepository(cluster.packages)].map(([repository, all]) =>
    preferredPackage(all, repository, target),
  );
  const reader = source === undefined ? undefined : SourceReader.of(source);
  const reads = await Promise.all(installed.map((each) => readInstalled(each, cluster, reader)));
  const required = new Set(
    reads
      .flatMap(({ meta }) => meta.requirements)
      .flatMap((each) => (each.requires === 'package' ? each.repository : [])),
  );
  const settings = userSettings(installed);
  // Other packages are as Crossplane installs dependencies.
  const isRoot = (each: InstalledPackage) =>
    !required.has(each.repository) ||
    each.isUserCreated ||
    each.name !== objectNameOf(each.repository, target) ||
    settings.of(each).isCustom;
  const roots = installed.filter(isRoot).map((each) => rootOf(each, settings, target));
  const request = {
    ...EMPTY_REQUEST,
    crossplane: { text: target.version, origin: { file: 'the dump' } },
    roots,
    defaults: settings.common,
    kept: extraManifestsOf(dump),
  };
  const { lockfile } = toLockfile(reads, request, { target, previous: undefined });
  const skips = settings.common['skipDependencyResolution'] === true;
  return {
    request,
    required: new Set(
      roots.map(({ repository }) => repository).filter((each) => required.has(each)),
    ),
    lockfile: { ...lockfile, skipDependencyResolution: skips ? [SET_IN_INPUTS] : [] },
    findings: [...reads.flatMap(({ findings }) => findings), ...clusterFindings(cluster)],
    undigested: packagesWithoutDigest(lockfile).length,
  };
}

/** The contents of an installed package, from the source or else from the dump. */
interface InstalledRead {
  readonly repository: Repository;
  readonly version: string;
  readonly meta: PackageMeta;
  readonly fetched: Pick<CheckedPackage, 'digest' | 'manifest' | 'baseLayer' | 'packageYaml'>;
  readonly findings: readonly ClusterFinding[];
}

async function readInstalled(
  installed: InstalledPackage,
  cluster: InstalledCluster,
  reader: SourceReader | undefined,
): Promise<InstalledRead> {
  const { repository, version, kind, origin } = installed;
  const { dump, target } = cluster;
  const fromDump: InstalledRead = {
    repository,
    version,
    meta: metaFrom(installed, dump),
    fetched: {
      digest: isDigest(version) ? version : undefined,
      manifest: undefined,
      baseLayer: undefined,
      packageYaml: undefined,
    },
    findings: [],
  };
  if (reader === undefined) return fromDump;
  const failed = (finding: Omit<ClusterFinding, 'origin'>): InstalledRead => {
    const text = `\`${repository}\` ${version} ${finding.text}`;
    return { ...fromDump, findings: [{ ...finding, origin, text }] };
  };
  const fetched = await reader.fetch({ repository, version }, target);
  if (fetched === undefined) {
    const text = 'is in none of the sources';
    const fix = 'name the place that has it with `--from`; the lockfile has what the dump tells';
    return failed({ rule: 'not-in-sources', severity: 'warning', text, fix });
  }
  if (fetched.digest !== undefined && isMadeOf(installed, fetched.digest, cluster) === false) {
    const text = `names other bytes (${fetched.digest.slice(0, 19)}…) than its revision \`${installed.active!.name}\` was made of: the tag was moved`;
    const fix = 'install a version whose tag stands; until then the lockfile is without its digest';
    return failed({ rule: 'moved-tag', severity: 'error', text, fix });
  }
  const meta = judge(fetched.contents, target);
  if (isRejection(meta)) {
    const first = meta.findings.find(({ severity }) => severity === 'error');
    const text = `is refused by Crossplane ${target.version}: ${first?.message ?? 'it is no package'}`;
    const fix = 'see `xpkg-resolve inspect`; the lockfile has what the dump tells';
    return failed({ rule: 'refused', severity: 'warning', text, fix });
  }
  if (meta.kind !== kind) {
    const text = `is a ${meta.kind}, and is installed as a ${kind}`;
    return failed({ rule: 'kind', severity: 'error', text, fix: `install it as a ${meta.kind}` });
  }
  return { ...fromDump, meta, fetched };
}

/** Returns the metadata that the dump has; the Crossplane constraint is unknown. */
function metaFrom(installed: InstalledPackage, { claims }: ClusterDump): PackageMeta {
  const { kind, name, rows, active } = installed;
  const row = rows.find((each) => each.name === active?.name) ?? rows.at(-1);
  return {
    kind,
    name,
    labels: {},
    crossplane: undefined,
    requirements: (row?.dependencies ?? []).flatMap(({ kind: required, ...each }) =>
      required === undefined
        ? []
        : { requires: 'package', ...each, kind: required, line: undefined },
    ),
    owns: installedObjects(installed, claims),
    findings: [],
  };
}

function rootOf(installed: InstalledPackage, settings: UserSettings, target: Target): PackageRoot {
  const { repository, kind, version, name, apiVersion, reference, origin } = installed;
  const { spec, metadata } = settings.of(installed);
  // An entry of xpkg.yaml can have neither labels nor a reference without a tag.
  const hasVersion = reference.includes('@') || splitTag(reference).tag !== undefined;
  const isObject = Object.keys(metadata).length > 0 || !hasVersion;
  const manifest = { metadata: { name, ...metadata }, spec: { package: reference, ...spec } };
  return {
    root: 'package',
    repository,
    kind,
    version: exactVersion(version),
    name: isObject || name !== objectNameOf(repository, target) ? name : undefined,
    spec: isObject ? {} : spec,
    object: isObject ? { apiVersion, kind, ...manifest } : undefined,
    ignoreCrossplaneConstraints: spec['ignoreCrossplaneConstraints'] === true,
    skipDependencyResolution: settings.common['skipDependencyResolution'] === true,
    origin,
  };
}

type UserSettings = ReturnType<typeof userSettings>;

/**
 * Returns the settings on package objects that a user made, without those that API servers and
 * tools add: `common` has the fields of `spec` with the same value on all packages that support the
 * field, `of` returns the other fields of a package.
 */
function userSettings(packages: readonly InstalledPackage[]) {
  // A project skips resolution for all packages or for none.
  const areSkipping = packages.every(skipsResolution);
  const specs = new Map(
    packages.map((each) => {
      const { skipDependencyResolution: _, ...spec } = plainSpec(each.spec);
      return [each, areSkipping ? plainSpec(each.spec) : spec];
    }),
  );
  const common = commonFields(packages, specs);
  return {
    common,
    of: (installed: InstalledPackage) => {
      const spec = Object.fromEntries(
        Object.entries(specs.get(installed)!).filter(([field]) => !(field in common)),
      );
      const metadata = userMetadata(installed.metadata);
      const isCustom = Object.keys(spec).length + Object.keys(metadata).length > 0;
      return { spec, metadata, isCustom };
    },
  };
}

/** Returns fields with the same value on at least two packages and on all that support the field. */
function commonFields(
  packages: readonly InstalledPackage[],
  specs: ReadonlyMap<InstalledPackage, JsonObject>,
): JsonObject {
  const fields = [...new Set([...specs.values()].flatMap((spec) => Object.keys(spec)))];
  const common = fields.sort().flatMap((field) => {
    const supporting = packages.filter(({ kind }) => hasSpecField(kind, field));
    const values = supporting.map((each) => specs.get(each)![field]);
    const [first] = values;
    const isCommon = values.every((each) => JSON.stringify(each) === JSON.stringify(first));
    const minimum = field === 'skipDependencyResolution' ? 1 : 2;
    return isCommon && first !== undefined && values.length >= minimum ? [[field, first]] : [];
  });
  return Object.fromEntries(common);
}

/** Labels and annotations that tools use to track the objects they applied. */
const TRACKING =
  /^(?:argocd\.argoproj\.io\/(?:tracking-id|instance)$|meta\.helm\.sh\/|(?:kustomize|helm)\.toolkit\.fluxcd\.io\/|app\.kubernetes\.io\/(?:managed-by|instance)$|objectset\.rio\.cattle\.io\/|crossplane\.io\/paused$)/;

/** Returns the labels and annotations of an object without those of tools. */
function userMetadata(metadata: JsonObject): JsonObject {
  const fields = Object.entries(metadata).flatMap(([field, value]) => {
    const own = Object.entries(mappingOf(value) ?? {}).filter(([key]) => !TRACKING.test(key));
    return own.length === 0 ? [] : [[field, Object.fromEntries(own)] as const];
  });
  return Object.fromEntries(fields);
}

/**
 * Returns the ImageConfigs that do not pin locked packages, and the runtime configs and
 * ControllerConfigs that other objects refer to.
 *
 * Leaves out the empty runtime config `default`, which Crossplane creates.
 */
export function extraManifestsOf({
  extraManifests: kept,
  packages,
}: ClusterDump): readonly KeptObject[] {
  const runtimeConfigs = namesIn([
    ...packages.map(({ spec }) => spec['runtimeConfigRef']),
    ...kept.map(({ object }) => mappingOf(mappingOf(object['spec'])?.['runtime'])?.['configRef']),
  ]);
  const controllerConfigs = namesIn(packages.map(({ spec }) => spec['controllerConfigRef']));
  return kept.filter(({ object }) => {
    if (isRenderedPin(object)) return false;
    if (object['kind'] === 'ImageConfig') return true;
    const name = nameOf(object);
    if (object['kind'] === 'ControllerConfig') return controllerConfigs.has(name);
    const isEmpty = Object.keys(mappingOf(object['spec']) ?? {}).length === 0;
    return runtimeConfigs.has(name) && !(isEmpty && name === 'default');
  });
}

function namesIn(references: readonly (JsonValue | undefined)[]): ReadonlySet<string | undefined> {
  return new Set(references.map((reference) => stringOf(mappingOf(reference)?.['name'])));
}

/** Returns the release that a dump names; else the newest known one that the dump matches. */
export function detectRelease(dump: ClusterDump) {
  if (dump.crossplane !== undefined) return { version: dump.crossplane.version, isNamed: true };
  const newestFirst = [...knownReleases()].reverse();
  const matching = newestFirst.find((version) => matchesRelease(dump, targetFor(version)!));
  return { version: matching ?? newestFirst[0]!, isNamed: false };
}

/** Whether a release can have the dumped objects. */
function matchesRelease(dump: ClusterDump, { rules, packageManager }: Target): boolean {
  const { packages, lock, extraManifests: kept, activations, revisions } = dump;
  const newest = targetFor(knownReleases().at(-1)!)!;
  const fields = new Set(packages.flatMap(({ spec }) => Object.keys(spec)));
  const settings = new Set(
    kept.flatMap(({ object }) => Object.keys(mappingOf(object['spec']) ?? {})),
  );
  const functions = packages.filter(({ kind }) => kind === 'Function');
  const rows = lock?.rows ?? [];
  const hasMrds = revisions.some(({ objects }) =>
    objects.some(({ kind }) => kind === 'ManagedResourceDefinition'),
  );
  // Since v2.4, a revision with a runtime also has the condition `RuntimeActive`.
  const conditionTypes = revisions.map(({ conditions }) => conditions.map(({ type }) => type));
  const withRuntime = conditionTypes.filter((types) => types.includes('RuntimeHealthy'));
  const hasActiveRuntimes = packageManager.revisionNames === 'digest-and-generation';
  const health = revisions
    .flatMap(({ conditions }) => conditions)
    .filter(({ type }) => type === 'Healthy' || type === 'RevisionHealthy');
  return (
    health.every(({ type }) => type === rules.revisionHealth) &&
    withRuntime.every((types) => types.includes('RuntimeActive') === hasActiveRuntimes) &&
    functions.every(({ apiVersion }) => apiVersion === rules.functionApiVersion) &&
    (rows.length === 0 || rows.every(({ hasType }) => hasType) === (rules.lockRows === 'type')) &&
    (!rules.strictReferences ||
      packages.every(({ reference }) => validPackageReference(reference, newest))) &&
    (!fields.has('controllerConfigRef') || rules.controllerConfigRef) &&
    (!fields.has('commonAnnotations') || rules.commonAnnotations) &&
    (!kept.some(({ object }) => object['kind'] === 'ImageConfig') ||
      rules.imageConfig !== undefined) &&
    (!settings.has('rewriteImage') || rules.imageConfig?.rewrite === true) &&
    (!settings.has('runtime') || rules.imageConfig?.runtime === true) &&
    (!(hasMrds || activations.length > 0) ||
      'apiextensions.crossplane.io/v1alpha1' in rules.objectKinds)
  );
}
