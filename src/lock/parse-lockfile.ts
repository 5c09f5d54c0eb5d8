import { byCodePoint } from '../text/code-point-order.js';
import type { CrdDemand } from '../model/crd-demand.js';
import type { InputError } from '../model/input-error.js';
import { isObjectName } from '../model/name.js';
import { byKindAndName, OWNED_KINDS, type OwnedObject } from '../model/owned-object.js';
import { PACKAGE_KINDS, type PackageKind } from '../model/package.js';
import type { Requirement } from '../model/package-meta.js';
import { isTag, parseReference } from '../model/reference.js';
import { targetFor } from '../model/target/target.js';
import { isDigest, type Digest } from '../text/digest.js';
import { checkLockfile, RESTORE_HINT } from './check-lockfile.js';
import { parseLocatedDocument, type LocatedDocument } from './located-document.js';
import type { LockedPackage, LockedSigner, Lockfile } from './lockfile.js';
import type {
  DemandBlock,
  PackageBlock,
  RequirementBlock,
  SignatureBlock,
} from './lockfile-schema.js';

/** Reads `xpkg.lock.yaml`; what is wrong with it is an `InputError` that says where. */
export function parseLockfile(text: string, file: string): Lockfile {
  const document = parseLocatedDocument(text, file);
  const { crossplane, packages, objects, indexes, skipDependencyResolution } =
    checkLockfile(document);
  if (targetFor(crossplane) === undefined) {
    throw document.error(['crossplane'], 'must be a Crossplane release');
  }
  refuseSecond(packages, document);
  const locked = packages.map((block, i) => {
    checkPackage(block, (field, what, hint) => document.error(['packages', i, field], what, hint));
    return lockedPackage(block);
  });
  return {
    crossplane,
    packages: locked.sort((a, b) => byCodePoint(a.repository, b.repository)),
    objects,
    ...(indexes !== undefined && {
      indexes: indexes.map(({ index: from, digest }) => ({ from, digest: checkedDigest(digest)! })),
    }),
    skipDependencyResolution,
  };
}

function refuseSecond(packages: readonly PackageBlock[], { error }: LocatedDocument): void {
  const sources = new Set<string>();
  const names = new Set<string>();
  for (const [i, { source, name }] of packages.entries()) {
    if (sources.has(source)) {
      throw error(['packages', i], `locks \`${source}\` a second time`, RESTORE_HINT);
    }
    if (names.has(name)) {
      throw error(['packages', i], `takes the name \`${name}\` a second time`, RESTORE_HINT);
    }
    sources.add(source);
    names.add(name);
  }
}

/** What the schema leaves open: which texts are tags, repositories and names. */
function checkPackage(
  { source, version, digest, longerTags = [], name }: PackageBlock,
  error: (field: keyof PackageBlock, what: string, hint?: string) => InputError,
): void {
  if (!isDigest(version) && !isTag(version)) throw error('version', 'must be a tag or a digest');
  if (isDigest(version) && digest !== undefined && digest !== version) {
    throw error('digest', 'is not the digest that `version` names', RESTORE_HINT);
  }
  const isLonger = (tag: string) =>
    isTag(tag) && tag.startsWith(version) && tag.length === version.length + 1;
  if (!longerTags.every(isLonger)) {
    const what = 'must be tags that begin as `version` does, and are a character longer';
    throw error('longerTags', what, RESTORE_HINT);
  }
  if (parseReference(`${source}:v0`) === undefined) throw error('source', 'must be a repository');
  if (!isObjectName(name)) throw error('name', 'cannot be the name of an object', RESTORE_HINT);
}

function lockedPackage(block: PackageBlock): LockedPackage {
  const { apiVersion, metadata = {}, spec = {} } = block.object ?? {};
  return {
    repository: block.source,
    version: block.version,
    digest: checkedDigest(block.digest),
    manifest: checkedDigest(block.manifest),
    baseLayer: checkedDigest(block.baseLayer),
    packageYaml: checkedDigest(block.packageYaml),
    ...(block.signature !== undefined && { signature: signer(block.signature) }),
    ...(block.longerTags !== undefined && { longerTags: [...block.longerTags].sort(byCodePoint) }),
    kind: block.kind,
    name: block.name,
    direct: block.direct,
    crossplane: block.crossplane,
    requirements: (block.dependsOn ?? []).map(requirementOf),
    owns: ownedObjects(block.owns ?? {}),
    object: { apiVersion, metadata, spec },
  };
}

function signer({ key, digest, ...rest }: SignatureBlock): LockedSigner {
  return { ...rest, key: checkedDigest(key), digest: checkedDigest(digest)! };
}

/** The schema holds every digest to its pattern. */
function checkedDigest(text: string | undefined): Digest | undefined {
  return text as Digest | undefined;
}

function requirementOf(block: RequirementBlock): Requirement {
  if ('crd' in block) {
    const { crd: text, demand } = block;
    return { requires: 'crd', demand: demandOf(demand ?? { crd: text }), text, line: undefined };
  }
  const { version: constraint } = block;
  return { requires: 'package', ...requiredPackage(block), constraint, line: undefined };
}

type PackageRequirementBlock = Exclude<RequirementBlock, { readonly crd: string }>;

function requiredPackage(
  block: PackageRequirementBlock,
): Pick<Extract<Requirement, { requires: 'package' }>, 'repository' | 'kind' | 'apiVersion'> {
  if ('package' in block) {
    const { package: repository, kind, apiVersion } = block;
    return { repository, kind, apiVersion };
  }
  const kind = PACKAGE_KINDS.find((each) => block[fieldOf(each)] !== undefined)!;
  return { repository: block[fieldOf(kind)]!, kind, apiVersion: undefined };
}

function fieldOf(kind: PackageKind) {
  return kind.toLowerCase() as Lowercase<PackageKind>;
}

function demandOf({ crd, group, version, kind }: DemandBlock): CrdDemand {
  if (crd === undefined) return { group: group!, version, kind: kind! };
  return version === undefined ? { crd } : { crd, version };
}

/** Groups are for people: an object's name says all there is to know. */
function ownedObjects(groups: NonNullable<PackageBlock['owns']>): readonly OwnedObject[] {
  const objects = Object.values(groups).flatMap((kinds) =>
    OWNED_KINDS.flatMap((kind) => (kinds[kind] ?? []).map((name) => ({ kind, name }))),
  );
  return objects.sort(byKindAndName);
}
