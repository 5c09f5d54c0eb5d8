import { plainSpec } from '../../../bundle/api-defaults.js';
import type { LockedPackage } from '../../../lock/lockfile.js';
import { revisionName } from '../../../model/name.js';
import { ownershipKey } from '../../../model/owned-object.js';
import { mappingOf, stringOf, type JsonObject, type JsonValue } from '../../../text/json.js';
import {
  digestDigits,
  kubectlName,
  type InstalledCluster,
  type InstalledPackage,
} from '../installed-cluster.js';
import { installedObjects } from '../installed-objects.js';
import { APPLY, type Difference } from './difference.js';

interface Expected {
  readonly cluster: InstalledCluster;
  /** The object that rendering gives for the package. */
  readonly object: JsonObject;
}

/** How a locked package is otherwise in the cluster. */
export function packageDifferences(locked: LockedPackage, expected: Expected): Difference[] {
  const { repository, version, kind, name } = locked;
  const all = expected.cluster.packages.filter((each) => each.repository === repository);
  const installed = all.find((each) => each.name === name) ?? all[0];
  if (installed === undefined) {
    const text = `\`${repository}\` ${version} is locked and not installed`;
    return [{ kind: 'missing', repository, text, locked: version, fix: APPLY }];
  }
  const about = { repository, origin: installed.origin };
  const subject = `${installed.kind} \`${installed.name}\``;
  const told: Difference[] = [];
  if (installed.kind !== kind) {
    const text = `\`${repository}\` is locked as a ${kind} and installed as a ${installed.kind}`;
    const fix = `\`kubectl delete ${kubectlName(installed)}\`, then ${APPLY}`;
    told.push({ kind: 'kind', ...about, text, locked: kind, found: installed.kind, fix });
  }
  if (installed.name !== name) {
    const text = `\`${repository}\` is locked as \`${name}\` and installed as \`${installed.name}\`: applied, it would be there twice`;
    const fix = `write \`name: ${installed.name}\` in its entry in xpkg.yaml, and resolve`;
    told.push({ kind: 'name', ...about, text, locked: name, found: installed.name, fix });
  }
  const settings = settingDifferences(installed, expected.object).map(
    ({ field, locked: wanted, found }): Difference => ({
      kind: 'setting',
      ...about,
      text: `${subject}: \`${field}\` is ${shown(found)}, and locked as ${shown(wanted)}`,
      locked: shown(wanted),
      found: shown(found),
      fix: `${APPLY}; to keep what is there, write it in xpkg.yaml, and resolve`,
    }),
  );
  const other = otherVersion(locked, installed, expected.object);
  const bytes =
    other === undefined ? byteDifferences(locked, installed, expected.cluster) : [other];
  return [...told, ...bytes, ...settings].map((each) => ({ ...about, ...each }));
}

function otherVersion(
  { version }: LockedPackage,
  installed: InstalledPackage,
  object: JsonObject,
): Difference | undefined {
  const wanted = stringOf(mappingOf(object['spec'])?.['package']);
  const { reference, repository, active } = installed;
  const fix = `${APPLY}; to keep what is there, \`xpkg-resolve update ${repository}@${installed.version}\``;
  if (reference !== wanted) {
    const text = `\`${repository}\` is locked at ${version}, and \`${reference}\` is installed`;
    return { kind: 'version', text, locked: version, found: installed.version, fix };
  }
  if (active === undefined || active.image === reference) return undefined;
  const text = `\`${repository}\` is locked at ${version}, and its active revision \`${active.name}\` runs \`${active.image}\``;
  return {
    kind: 'version',
    text,
    locked: version,
    found: active.image,
    fix: 'activate the revision of the locked version',
  };
}

/** What differs although the version is the locked one. */
function byteDifferences(
  locked: LockedPackage,
  installed: InstalledPackage,
  cluster: InstalledCluster,
): Difference[] {
  const { repository, version, digest } = locked;
  const { active, revisions } = installed;
  if (active === undefined) {
    if (revisions.length === 0 && cluster.dump.revisions.length === 0) return [];
    const text = `\`${repository}\` ${version} has no active revision: nothing of it runs`;
    return [
      { kind: 'inactive', text, fix: `\`kubectl describe ${kubectlName(installed)}\` says why` },
    ];
  }
  const digits = digestDigits(installed);
  if (
    digits !== undefined &&
    digest !== undefined &&
    active.name !== revisionName(installed.name, digest)
  ) {
    const text = `\`${repository}\` ${version} is locked as ${digest.slice(0, 19)}…, and its revision \`${active.name}\` was made of other bytes`;
    const fix =
      '`xpkg-resolve verify` says whether the tag was moved; `update --accept-moved` takes what it names now';
    return [{ kind: 'digest', text, locked: digest, found: `sha256:${digits}…`, fix }];
  }
  return objectDifferences(locked, installed, cluster);
}

function objectDifferences(
  locked: LockedPackage,
  installed: InstalledPackage,
  { target, dump }: InstalledCluster,
): Difference[] {
  const running = dump.crossplane?.version;
  const isOtherRelease = running !== undefined && running !== target.version;
  const installsNone = locked.kind === 'Function' && !target.rules.functionObjectsInstalled;
  if (isOtherRelease || installsNone) return [];
  // A revision does not list the CRDs of claims, which their XRDs bring about.
  const wanted = locked.owns.filter(({ kind }) => kind !== 'claim');
  const listed = installedObjects(installed);
  const keys = (objects: typeof listed) => new Set(objects.map(ownershipKey));
  const [there, here] = [keys(listed), keys(wanted)];
  const missing = wanted.filter((each) => !there.has(ownershipKey(each)));
  const more = listed.filter((each) => !here.has(ownershipKey(each)));
  if (missing.length + more.length === 0) return [];
  const named = (objects: typeof listed) => {
    const [first] = objects;
    return `${first!.kind} \`${first!.name}\`${objects.length === 1 ? '' : ` and ${objects.length - 1} more`}`;
  };
  const parts = [
    ...(missing.length === 0 ? [] : [`does not list ${named(missing)}`]),
    ...(more.length === 0 ? [] : [`lists ${named(more)}, which the lockfile does not have`]),
  ];
  return [
    {
      kind: 'objects',
      text: `the revision \`${installed.active!.name}\` of \`${locked.repository}\` ${parts.join(' and ')}`,
      fix: 'see its conditions; if the lockfile is not true, `xpkg-resolve verify` says so',
    },
  ];
}

interface SettingDifference {
  readonly field: string;
  readonly locked: JsonValue | undefined;
  readonly found: JsonValue | undefined;
}

/** Fields of `spec` that differ, and labels and annotations that are wanted and not so. */
function settingDifferences(installed: InstalledPackage, object: JsonObject): SettingDifference[] {
  const { package: _package, ...spec } = mappingOf(object['spec']) ?? {};
  const [wanted, found] = [plainSpec(spec), plainSpec(installed.spec)];
  const fields = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].sort();
  const ofSpec = fields.map((field) => ({
    field: `spec.${field}`,
    locked: wanted[field],
    found: found[field],
  }));
  const metadata = mappingOf(object['metadata']) ?? {};
  const ofMetadata = ['labels', 'annotations'].flatMap((part) =>
    Object.entries(mappingOf(metadata[part]) ?? {}).map(([key, value]) => ({
      field: `metadata.${part}[${key}]`,
      locked: value,
      found: mappingOf(installed.metadata[part])?.[key],
    })),
  );
  return [...ofSpec, ...ofMetadata].filter(
    (each) => JSON.stringify(each.locked) !== JSON.stringify(each.found),
  );
}

function shown(value: JsonValue | undefined): string {
  return value === undefined ? 'not set' : `\`${JSON.stringify(value)}\``;
}
