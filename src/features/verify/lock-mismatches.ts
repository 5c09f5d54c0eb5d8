import { isDeepStrictEqual } from 'node:util';
import { byCodePoint } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import { shortList } from '../../base/messages.js';
import { objectNameOf } from '../../crossplane/packages/object-names.js';
import { createsCrd } from '../../crossplane/packages/owned-objects.js';
import type { PackageMeta, Requirement } from '../../crossplane/packages/package-meta.js';
import type { Target } from '../../crossplane/releases/target.js';
import { EMPTY_REQUEST, lockedRoot, type Request } from '../../project/inputs/request.js';
import {
  byRepository,
  type LockedPackage,
  type Lockfile,
} from '../../project/lockfile/lockfile.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import { suffixedName } from '../../project/manifests/object-names.js';
import type { CheckedPackage } from '../../resolver/driver/source-reader.js';
import type { Solved } from '../../resolver/resolve/answer.js';
import { resolve } from '../../resolver/resolve/resolve.js';
import type { ProblemOptions } from '../../resolver/resolve/to-problem.js';
import type { FetchedPackage, PackageSource } from '../../sources/package-source.js';

/** A compared field and its value; a list has its entries in order. */
type Field = readonly [
  name: string,
  valueOf: (locked: LockedPackage) => string | readonly string[] | undefined,
];

const IMAGE_FIELDS: readonly Field[] = [
  ['manifest', ({ manifest }) => manifest],
  ['baseLayer', ({ baseLayer }) => baseLayer],
  ['packageYaml', ({ packageYaml }) => packageYaml],
];

const METADATA_FIELDS: readonly Field[] = [
  ['kind', ({ kind }) => kind],
  ['crossplane', ({ crossplane }) => crossplane],
  ['dependsOn', ({ requirements }) => requirements.map(requirementText)],
  ['owns', ({ owns }) => owns.map(({ kind, name }) => `${kind} ${name}`)],
];

const INPUT_FIELDS: readonly Field[] = [
  ['direct', ({ direct }) => String(direct)],
  ['object', ({ object }) => exactJson(object)],
];

/** Returns the differences between a locked package and its contents. */
export function contentMismatches(
  locked: LockedPackage,
  fetched: CheckedPackage,
  { kind, crossplane, requirements, owns }: PackageMeta,
): Mismatch[] {
  const found = { ...locked, ...pinsOf(fetched, locked), kind, crossplane, requirements, owns };
  // A lockfile without digests may lack the image fields, too: `--allow-undigested` covers them.
  const image = IMAGE_FIELDS.filter(
    ([, valueOf]) => locked.digest !== undefined || valueOf(locked) !== undefined,
  );
  return differences([...image, ...METADATA_FIELDS], locked, found, (field) => ({
    kind: 'content',
    text: `the lockfile does not say what the package says: \`${field}\``,
  }));
}

type Pins = Pick<LockedPackage, 'manifest' | 'baseLayer' | 'packageYaml'>;

/** Returns the digests of the image, or the locked ones if the source does not provide them. */
function pinsOf({ manifest, baseLayer, packageYaml }: Pins, locked: Pins): Pins {
  const readImage = baseLayer !== undefined;
  return {
    // An image without a separate manifest has no index.
    manifest: readImage ? manifest : (manifest ?? locked.manifest),
    baseLayer: baseLayer ?? locked.baseLayer,
    packageYaml: packageYaml ?? locked.packageYaml,
  };
}

/** Returns the differences in the user's inputs between two lockfiles of the same versions. */
function inputMismatches(lockfile: Lockfile, derived: Lockfile): Mismatch[] {
  const needed = byRepository(derived.packages);
  const packageMismatches = lockfile.packages.flatMap((locked): Mismatch[] => {
    const { repository, version } = locked;
    const found = needed.get(repository);
    if (found === undefined) {
      const text = 'it is locked, and nothing requires it';
      return [{ kind: 'input', repository, version, text }];
    }
    return differences(INPUT_FIELDS, locked, found, inputMismatch);
  });
  const fields = ['objects', 'skipDependencyResolution'] as const;
  const projectMismatches = fields.flatMap((field): Mismatch | [] => {
    const [locked, found] = [exactJson(lockfile[field]), exactJson(derived[field])];
    return locked === found ? [] : { ...inputMismatch(field), locked, found };
  });
  return [...packageMismatches, ...projectMismatches];
}

function inputMismatch(field: string) {
  return { kind: 'input', text: `\`${field}\` is not what is asked for` } as const;
}

function differences(
  fields: readonly Field[],
  locked: LockedPackage,
  found: LockedPackage,
  mismatchOf: (field: string) => Pick<Mismatch, 'kind' | 'text'>,
): Mismatch[] {
  const { repository, version } = locked;
  return fields.flatMap(([field, valueOf]) => {
    const [a = [], b = []] = [locked, found].map((each) => [valueOf(each) ?? []].flat());
    if (isDeepStrictEqual(a, b)) return [];
    const [onlyLocked, onlyFound] = [entriesWithout(a, b), entriesWithout(b, a)];
    const isReordered = onlyLocked.length + onlyFound.length === 0;
    const [left, right] = (isReordered ? [a, b] : [onlyLocked, onlyFound]).map(listedEntries);
    return { ...mismatchOf(field), repository, version, locked: left, found: right };
  });
}

function entriesWithout(entries: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return entries.filter((entry) => !known.has(entry));
}

/** Maximum number of entries in a list. */
export const MAX_LISTED = 5;

function listedEntries(entries: readonly string[]): string {
  return entries.length === 0 ? 'nothing' : shortList(entries, MAX_LISTED);
}

function requirementText(requirement: Requirement): string {
  if (requirement.requires === 'crd') {
    const { demand, text } = requirement;
    const { version } = demand;
    const named = 'crd' in demand ? [demand.crd, version] : [demand.group, version, demand.kind];
    return named[0] === text && version === undefined
      ? `crd ${text}`
      : `crd ${text} ${exactJson(named)}`;
  }
  const { apiVersion, kind, repository, constraint } = requirement;
  const as = apiVersion === undefined ? kind : `${apiVersion} ${kind}`;
  return `${as} ${repository} \`${constraint}\``;
}

/** Formats a value as unambiguous JSON: plain JSON writes infinity as `null`. */
function exactJson(value: object): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'number' && !Number.isFinite(part) ? String(part) : part,
  );
}

interface ReResolveOptions extends Pick<ProblemOptions, 'prereleases' | 'allowCycles' | 'compat'> {
  /** undefined: exactly the locked packages are requested. */
  readonly request: Request | undefined;
}

interface LockFindings {
  readonly mismatches: readonly Mismatch[];
  readonly notes: readonly string[];
}

/** A locked package and its contents in the source. */
interface LockedContent {
  readonly locked: LockedPackage;
  readonly fetched: FetchedPackage;
}

/**
 * Resolves again from a source that has only the locked versions, and compares the result with the
 * lockfile. `resolve` does not get the lockfile, so that it cannot confirm itself.
 */
export async function reResolve(
  lockfile: Lockfile,
  reads: readonly LockedContent[],
  { request, compat, prereleases, allowCycles }: ReResolveOptions,
): Promise<LockFindings> {
  const exactRequest = {
    ...EMPTY_REQUEST,
    roots: lockfile.packages.map((locked) => lockedRoot(locked, lockfile)),
  };
  const answer = await resolve(request ? withoutMinimumAge(request) : exactRequest, {
    source: lockedSource(reads),
    crossplane: lockfile.crossplane,
    compat,
    prereleases,
    allowCycles,
  });
  if (answer.status === 'solved') {
    if (request === undefined) return { mismatches: [], notes: [] };
    const { mismatches, notes } = lockedNames(lockfile, answer);
    return { mismatches: [...inputMismatches(lockfile, answer.lockfile), ...mismatches], notes };
  }
  const why = answer.status === 'unsolvable' ? answer.explanation : 'it takes too long to tell';
  const text = `what is locked does not satisfy everything on Crossplane ${lockfile.crossplane}`;
  return { mismatches: [{ kind: 'constraint', text, found: why }], notes: [] };
}

/** Removes the minimum ages of policies, because locked packages were accepted before. */
function withoutMinimumAge(request: Request): Request {
  const policies = request.policies?.map((policy) => ({ ...policy, minimumAge: undefined }));
  return { ...request, policies };
}

/** Returns a source that has only the locked versions. */
function lockedSource(reads: readonly LockedContent[]): PackageSource {
  const byRepository = new Map(reads.map((read) => [read.locked.repository, read]));
  const repositories = [...byRepository.keys()].sort(byCodePoint);
  return {
    tags: async (repository) => {
      const version = byRepository.get(repository)?.locked.version;
      if (version === undefined) return undefined;
      return isDigest(version) ? [] : [version];
    },
    fetch: async ({ repository, version }) => {
      const read = byRepository.get(repository);
      return read?.locked.version === version ? read.fetched : undefined;
    },
    owners: async (crdRef, target) =>
      repositories
        .map((repository) => byRepository.get(repository)!)
        .filter(({ fetched }) => createsCrd(fetched.contents, crdRef, target))
        .map(({ locked }) => ({ repository: locked.repository, versions: [locked.version] })),
    repositories: async () => repositories,
  };
}

const UNREQUESTED_NAME =
  'its `name` is given by the lockfile alone: give it in the inputs or, to have the object ' +
  'renamed, take its block out of the lockfile and resolve again';

/**
 * Returns object names in the lockfile that do not follow from the inputs.
 *
 * `resolve` keeps the names of an existing lockfile, and a pull request may edit them. So a name
 * must be set in the inputs, or be one that Crossplane or this tool derives. If several
 * repositories derive the same name, any one of them may have it.
 */
function lockedNames(lockfile: Lockfile, { lockfile: derived, target }: Solved): LockFindings {
  const names = new Map(derived.packages.map(({ repository, name }) => [repository, name]));
  const mismatches: Mismatch[] = [];
  const notes: string[] = [];
  for (const { repository, version, name } of lockfile.packages) {
    const found = names.get(repository);
    if (found === undefined || found === name) continue;
    const base = objectNameOf(repository, target);
    const isDerived = [base, suffixedName(base, repository)].includes(found);
    if (isDerived && areDerivedNames(lockfile.packages, base, target)) {
      const text = `its object is named \`${name}\`, not \`${found}\`, by the lockfile alone`;
      notes.push(`${repository} ${version}: ${text}`);
    } else {
      const text = UNREQUESTED_NAME;
      mismatches.push({ kind: 'input', repository, version, text, locked: name, found });
    }
  }
  return { mismatches, notes };
}

/** Whether one package has the shared derived name, and the others have a hash suffix. */
function areDerivedNames(
  packages: readonly LockedPackage[],
  base: string,
  target: Target,
): boolean {
  const withSameDerivedName = packages.filter(
    ({ repository }) => objectNameOf(repository, target) === base,
  );
  const others = withSameDerivedName.filter(({ name }) => name !== base);
  return (
    withSameDerivedName.length > 1 &&
    others.length === withSameDerivedName.length - 1 &&
    others.every(({ repository, name }) => name === suffixedName(base, repository))
  );
}
