import { clusterFindings } from './findings.js';
import {
  type ClusterFinding,
  isMadeOf,
  installedCluster,
  type InstalledCluster,
  installedObjects,
  type InstalledPackage,
  kubectlName,
  objectLabel,
} from './installed-cluster.js';
import type { Origin } from '../../base/errors.js';
import { shellWord } from '../../base/escape.js';
import { shortList } from '../../base/messages.js';
import {
  isList,
  isMapping,
  type JsonObject,
  type JsonValue,
  mappingOf,
  stringOf,
} from '../../base/json.js';
import type { ClusterDump, DumpedRow } from '../../crossplane/package-manager/cluster-dump.js';
import { isRenderedPin } from '../../crossplane/package-manager/image-config.js';
import { type OwnedObject, ownershipKey } from '../../crossplane/packages/owned-objects.js';
import { PACKAGE_KINDS, type Repository } from '../../crossplane/packages/package.js';
import { targetFor } from '../../crossplane/releases/target.js';
import { packagesWithoutDigest } from '../../project/lockfile/lock-graph.js';
import {
  byRepository,
  type LockedPackage,
  type Lockfile,
  lockedIn,
} from '../../project/lockfile/lockfile.js';
import { bundleOf } from '../../project/manifests/bundle.js';
import { labelOf } from '../../project/manifests/object-names.js';
import { plainSpec } from '../../crossplane/packages/object-spec.js';
import { withoutClusterState } from '../../project/manifests/object-template.js';

/** A difference between a cluster and the lockfile. */
interface Difference {
  /** What differs. `missing`: only in the lockfile; `unlocked`: only in the cluster. */
  readonly kind:
    | 'missing'
    | 'unlocked'
    | 'version'
    | 'digest'
    | 'inactive'
    | 'kind'
    | 'name'
    | 'setting'
    | 'objects'
    | 'lock-row'
    | 'crossplane';
  /** undefined: the difference concerns no package. */
  readonly repository?: Repository | undefined;
  /** undefined: the dump has no matching object. */
  readonly origin?: Origin | undefined;
  readonly text: string;
  readonly locked?: string | undefined;
  readonly found?: string | undefined;
  readonly fix: string;
}

export interface Drift {
  /** Grouped by kind, in lockfile order. */
  readonly differences: readonly Difference[];
  /** Problems of the cluster that do not depend on the lockfile. */
  readonly findings: readonly ClusterFinding[];
  readonly notes: readonly string[];
}

/** Whether the cluster differs from the lockfile or has a problem. Information is not a problem. */
export function hasDrifted({ differences, findings }: Drift): boolean {
  return differences.length > 0 || findings.some(({ severity }) => severity !== 'info');
}

/** Compares a cluster with its lockfile. */
export function findDrift(lockfile: Lockfile, dump: ClusterDump): Drift {
  const target = targetFor(lockfile.crossplane)!;
  const cluster = installedCluster(
    dump,
    target,
    (repository) => lockedIn(lockfile, repository)?.digest,
  );
  const expected = expectedObjects(lockfile, cluster);
  const differencesOf = (locked: LockedPackage) =>
    packageDifferences(locked, expected.get(objectLabel(locked))!, cluster);
  return {
    differences: [
      ...otherRelease(lockfile, dump),
      ...lockfile.packages.flatMap(differencesOf),
      ...unlockedPackages(lockfile, cluster),
      ...rowDifferences(lockfile, cluster),
      ...extraManifestDifferences([...expected.values()], dump),
    ],
    findings: clusterFindings(cluster),
    notes: [...absentKinds(lockfile, dump), ...uncheckedBytes(lockfile, cluster)],
  };
}

/** Renders the lockfile as the cluster was: with tags, with digests, or with pinning ImageConfigs. */
function expectedObjects(
  lockfile: Lockfile,
  { packages, target, dump }: InstalledCluster,
): ReadonlyMap<string, JsonObject> {
  const locked = byRepository(lockfile.packages);
  const usesDigests =
    packages.every(({ repository, version }) => locked.get(repository)?.digest === version) &&
    packages.some(({ repository, version }) => locked.get(repository)?.version !== version);
  const hasPins =
    target.rules.imageConfig?.rewrite === true &&
    packagesWithoutDigest(lockfile).length === 0 &&
    dump.extraManifests.some(({ object }) => isRenderedPin(object));
  const pin = usesDigests ? 'digest' : hasPins ? 'locked' : 'tag';
  return new Map(
    bundleOf(lockfile, target, pin).objects.map((object) => [labelOf(object), object]),
  );
}

function otherRelease({ crossplane }: Lockfile, dump: ClusterDump): Difference[] {
  const { version, origin } = dump.crossplane ?? {};
  if (version === undefined || version === crossplane) return [];
  const text = `the cluster runs Crossplane ${version}, and the lockfile is for ${crossplane}`;
  const fix = `\`xpkg-resolve set crossplane ${shellWord(version)}\` locks for the release that runs`;
  return [{ kind: 'crossplane', origin, text, locked: crossplane, found: version, fix }];
}

/** Returns installed packages that the lockfile does not have. */
function unlockedPackages({ packages }: Lockfile, cluster: InstalledCluster): Difference[] {
  return cluster.packages.flatMap((each) => {
    const { repository, version, origin } = each;
    const locked = packages.find((one) => one.repository === repository);
    if (locked !== undefined && each === installedAs(locked, cluster)) return [];
    const text = `${objectLabel(each)} (\`${each.reference}\`) is installed and not locked`;
    const removal = `\`kubectl delete ${kubectlName(each)}\``;
    const add = `\`xpkg-resolve add ${shellWord(`${repository}@${version}`)}\` locks it`;
    const fix = locked === undefined ? `${add}; if it should not be there, ${removal}` : removal;
    return { kind: 'unlocked', repository, origin, text, found: version, fix };
  });
}

/** Returns notes on kinds of locked packages that the dump does not have at all. */
function absentKinds({ packages }: Lockfile, dump: ClusterDump): string[] {
  const absent = PACKAGE_KINDS.filter(
    (kind) =>
      packages.some((locked) => locked.kind === kind) &&
      !dump.packages.some((each) => each.kind === kind),
  );
  return absent.map((kind) => `the dump holds no ${kind}: was it left out of \`kubectl get\`?`);
}

/** Returns a note on packages of which the dump does not show whether they run the locked bytes. */
function uncheckedBytes({ packages }: Lockfile, cluster: InstalledCluster): string[] {
  if (cluster.revisionNames === 'digest') return [];
  const unchecked = packages.filter((locked) => {
    const installed = installedAs(locked, cluster);
    if (installed?.active === undefined || locked.digest === undefined) return false;
    return isMadeOf(installed, locked.digest, cluster) === undefined;
  });
  if (unchecked.length === 0) return [];
  const names = shortList(
    unchecked.map(({ name }) => `\`${name}\``),
    3,
  );
  const reason =
    cluster.revisionNames === undefined
      ? 'the dump does not state the release of Crossplane that runs, which decides how revisions are named; add its Deployment (`kubectl get deployment crossplane -n crossplane-system -o yaml`)'
      : 'the name of a revision shows them only with `metadata.generation` of its package, which the dump lacks';
  return [`not checked whether the locked bytes run: ${names}; ${reason}`];
}

/** The fix if the lockfile is right. */
const APPLY = '`kubectl apply -k rendered` makes it so';

/**
 * Returns the installed package that a locked package is compared with. If several objects install
 * its repository, prefers the one with the locked name.
 */
function installedAs(
  { repository, name }: LockedPackage,
  { packages }: InstalledCluster,
): InstalledPackage | undefined {
  const all = packages.filter((each) => each.repository === repository);
  return all.find((each) => each.name === name) ?? all[0];
}

/** Returns the differences of a locked package; `object` is its rendered object. */
function packageDifferences(
  locked: LockedPackage,
  object: JsonObject,
  cluster: InstalledCluster,
): Difference[] {
  const { repository, version, kind, name } = locked;
  const installed = installedAs(locked, cluster);
  if (installed === undefined) {
    const text = `\`${repository}\` ${version} is locked and not installed`;
    return [{ kind: 'missing', repository, text, locked: version, fix: APPLY }];
  }
  const differences: Difference[] = [];
  if (installed.kind !== kind) {
    const text = `\`${repository}\` is locked as a ${kind} and installed as a ${installed.kind}`;
    const fix = `\`kubectl delete ${kubectlName(installed)}\`, then ${APPLY}`;
    differences.push({ kind: 'kind', text, locked: kind, found: installed.kind, fix });
  }
  if (installed.name !== name) {
    const text = `\`${repository}\` is locked as \`${name}\` and installed as \`${installed.name}\`: applied, it would be there twice`;
    // A dependency gets a new entry, without a version, so that its locked version stays.
    const edit = locked.direct
      ? `write \`name: ${installed.name}\` in its entry in xpkg.yaml`
      : `add the entry \`{package: ${repository}, name: ${installed.name}}\` to \`spec.packages\` in xpkg.yaml`;
    const fix = `${edit}, and resolve`;
    differences.push({ kind: 'name', text, locked: name, found: installed.name, fix });
  }
  const difference =
    versionDifference(locked, installed, object) ?? contentDifference(locked, installed, cluster);
  if (difference !== undefined) differences.push(difference);
  differences.push(...settingDifferences(installed, object));
  return differences.map((each) => ({ repository, origin: installed.origin, ...each }));
}

function versionDifference(
  { version }: LockedPackage,
  installed: InstalledPackage,
  object: JsonObject,
): Difference | undefined {
  const wanted = stringOf(mappingOf(object['spec'])?.['package']);
  const { reference, repository, active } = installed;
  const fix = `${APPLY}; to keep what is there, \`xpkg-resolve update ${shellWord(`${repository}@${installed.version}`)}\``;
  if (reference !== wanted) {
    const text = `\`${repository}\` is locked at ${version}, and \`${reference}\` is installed`;
    return { kind: 'version', text, locked: version, found: installed.version, fix };
  }
  if (active === undefined || active.image === reference) return undefined;
  const text = `\`${repository}\` is locked at ${version}, and its active revision \`${active.name}\` runs \`${active.image}\``;
  const activation = 'activate the revision of the locked version';
  return { kind: 'version', text, locked: version, found: active.image, fix: activation };
}

/** Compares the active revision of a package that has the locked version. */
function contentDifference(
  locked: LockedPackage,
  installed: InstalledPackage,
  cluster: InstalledCluster,
): Difference | undefined {
  const { repository, version, digest } = locked;
  const { active, revisions } = installed;
  if (active === undefined) {
    if (revisions.length === 0 && cluster.dump.revisions.length === 0) return undefined;
    const text = `\`${repository}\` ${version} has no active revision: nothing of it runs`;
    const fix = `\`kubectl describe ${kubectlName(installed)}\` says why`;
    return { kind: 'inactive', text, fix };
  }
  if (digest !== undefined && isMadeOf(installed, digest, cluster) === false) {
    const text = `\`${repository}\` ${version} is locked as ${digest.slice(0, 19)}…, and its revision \`${active.name}\` was made of other bytes`;
    const fix =
      '`xpkg-resolve verify` says whether the tag was moved; `update --accept-moved` takes what it names now';
    return { kind: 'digest', text, locked: digest, found: active.name, fix };
  }
  const { target, dump } = cluster;
  const isOtherRelease = (dump.crossplane?.version ?? target.version) !== target.version;
  const ownsNothing = locked.kind === 'Function' && !target.rules.functionObjectsInstalled;
  if (isOtherRelease || ownsNothing) return undefined;
  // A revision lists XRDs, but not the claim CRDs that Crossplane creates for them.
  const expected = locked.owns.filter(({ kind }) => kind !== 'claim');
  const installedList = installedObjects(installed);
  const missing = objectsOnlyIn(expected, installedList);
  const extra = objectsOnlyIn(installedList, expected);
  const parts: string[] = [];
  if (missing.length > 0) parts.push(`does not list ${summaryOf(missing)}`);
  if (extra.length > 0) parts.push(`lists ${summaryOf(extra)}, which the lockfile does not have`);
  if (parts.length === 0) return undefined;
  const text = `the revision \`${active.name}\` of \`${repository}\` ${parts.join(' and ')}`;
  const fix = 'see its conditions; if the lockfile is not true, `xpkg-resolve verify` says so';
  return { kind: 'objects', text, fix };
}

function objectsOnlyIn(objects: readonly OwnedObject[], others: readonly OwnedObject[]) {
  const keys = new Set(others.map(ownershipKey));
  return objects.filter((each) => !keys.has(ownershipKey(each)));
}

function summaryOf([first, ...more]: readonly OwnedObject[]): string {
  return `${objectLabel(first!)}${more.length === 0 ? '' : ` and ${more.length} more`}`;
}

/** Compares all fields of `spec`, and the labels and annotations that rendering sets. */
function settingDifferences(installed: InstalledPackage, object: JsonObject): Difference[] {
  const { package: _package, ...spec } = mappingOf(object['spec']) ?? {};
  const [wanted, found] = [plainSpec(spec), plainSpec(installed.spec)];
  const fields = Object.keys({ ...wanted, ...found }).sort();
  const metadata = mappingOf(object['metadata']);
  const values = [
    ...fields.map((field) => [`spec.${field}`, wanted[field], found[field]] as const),
    ...['labels', 'annotations'].flatMap((part) => {
      const present = mappingOf(installed.metadata[part]);
      return Object.entries(mappingOf(metadata?.[part]) ?? {}).map(
        ([key, value]) => [`metadata.${part}[${key}]`, value, present?.[key]] as const,
      );
    }),
  ];
  return values.flatMap(([field, lockedValue, foundValue]): Difference | [] => {
    const [locked, actual] = [valueText(lockedValue), valueText(foundValue)];
    if (locked === actual) return [];
    const text = `${objectLabel(installed)}: \`${field}\` is ${actual}, and locked as ${locked}`;
    const fix = `${APPLY}; to keep what is there, write it in xpkg.yaml, and resolve`;
    return { kind: 'setting', text, locked, found: actual, fix };
  });
}

function valueText(value: JsonValue | undefined): string {
  return value === undefined ? 'not set' : `\`${JSON.stringify(value)}\``;
}

/**
 * Compares rendered ImageConfigs and runtime configs with those of the cluster.
 *
 * An API server adds defaults, so fields that only the cluster has are not differences.
 */
function extraManifestDifferences(
  objects: readonly JsonObject[],
  { extraManifests: kept }: ClusterDump,
): Difference[] {
  // A kind without any object was probably not dumped.
  const kinds = new Set(kept.map(({ object }) => object['kind']));
  return objects.flatMap((locked) => {
    const label = labelOf(locked);
    if (!kinds.has(locked['kind'])) return [];
    const found = kept.find(({ object }) => labelOf(object) === label);
    if (found === undefined) {
      return { kind: 'missing', text: `${label} is locked and not in the cluster`, fix: APPLY };
    }
    if (includes(withoutClusterState(found.object), withoutClusterState(locked))) return [];
    const text = `${label} is otherwise in the cluster than it is locked`;
    const fix = `${APPLY}; to keep what is there, change the file that it is from, and resolve`;
    return { kind: 'setting', origin: found.origin, text, fix };
  });
}

/** Whether a value has every field of the expected value; it may have more. */
function includes(found: JsonValue | undefined, expected: JsonValue): boolean {
  if (isList(expected)) {
    return (
      isList(found) &&
      found.length === expected.length &&
      expected.every((each, i) => includes(found[i], each))
    );
  }
  if (isMapping(expected)) {
    // An API server may drop an empty mapping.
    if (found === undefined) return Object.keys(expected).length === 0;
    return (
      isMapping(found) &&
      Object.entries(expected).every(([key, each]) => includes(found[key], each))
    );
  }
  return found === expected;
}

/** Compares the dependencies in Lock rows of the locked version. Rules check the rest of a row. */
function rowDifferences({ packages }: Lockfile, { rows }: InstalledCluster): Difference[] {
  return packages.flatMap((locked): Difference[] => {
    const { repository } = locked;
    const wanted = locked.requirements.flatMap((each) =>
      each.requires === 'package' ? dependencyText(each) : [],
    );
    return rows
      .filter(({ source, version }) => source === repository && version === locked.version)
      .flatMap((row): Difference | [] => {
        const found = row.dependencies.map(dependencyText);
        if (found.join() === wanted.join()) return [];
        return {
          kind: 'lock-row',
          repository,
          origin: row.origin,
          text: `the Lock row of \`${repository}\` has other dependencies than ${locked.version} is locked with`,
          locked: wanted.join(', ') || 'none',
          found: found.join(', ') || 'none',
          fix: '`xpkg-resolve verify` says which of them the package has',
        };
      });
  });
}

function dependencyText({ kind, repository, constraint }: DumpedRow['dependencies'][number]) {
  return `${kind ?? 'unknown'} ${repository} \`${constraint}\``;
}
