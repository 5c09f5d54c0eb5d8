import { byCodePoint } from '../text/code-point-order.js';
import type { Requirement } from '../model/package-meta.js';
import { type OwnedObject, byKindAndName, isOwnedKind } from '../model/owned-object.js';
import type { CrdDemand } from '../model/crd-demand.js';
import { PACKAGE_KINDS, type PackageKind, type Repository } from '../model/package.js';
import { isDigest, type Digest } from '../text/digest.js';
import { isObjectName } from '../model/name.js';
import { isTag, parseReference } from '../model/reference.js';
import { targetFor } from '../model/target/target.js';
import { Located } from './located.js';
import {
  LOCKFILE_VERSION,
  type LockedPackage,
  type Lockfile,
  type ObjectTemplate,
} from './lockfile.js';

const AGAIN = 'restore it from version control, or delete it and run `xpkg-resolve resolve` again';

/** Reads `xpkg.lock.yaml`; what is wrong with it is an `InputError` that says where. */
export function parseLockfile(text: string, file: string): Lockfile {
  const root = Located.parse(text, file);
  if (!root.isMapping) root.fail('is not a lockfile: it must be a mapping', AGAIN);
  checkVersion(root);
  const part = root.members([
    'version',
    'crossplane',
    'packages',
    'objects',
    'skipDependencyResolution',
  ]);
  const reasons =
    part('skipDependencyResolution').optional((list) => list.items()) ??
    root.fail(
      'is not a whole lockfile: `skipDependencyResolution`, its last part, is missing',
      AGAIN,
    );
  return {
    crossplane: release(part('crossplane')),
    packages: packages(part('packages').items()),
    objects: part('objects')
      .items()
      .map((object) => object.object()),
    skipDependencyResolution: reasons.map((reason) => reason.string()),
  };
}

/** First of all: a newer format may be different in every other respect. */
function checkVersion(root: Located): void {
  const found = root.entries().find(([key]) => key === 'version')?.[1];
  if (found === undefined) root.fail('is not a lockfile: it has no `version`', AGAIN);
  const version = found.integer();
  if (version > LOCKFILE_VERSION) {
    found.fail(
      `is ${version}, newer than this xpkg-resolve reads (${LOCKFILE_VERSION})`,
      'use the xpkg-resolve that wrote the lockfile, or a later one',
    );
  }
  if (version < 1) found.fail(`must be ${LOCKFILE_VERSION}`, AGAIN);
}

function release(part: Located): string {
  const text = part.string();
  return targetFor(text) === undefined ? part.fail('must be a Crossplane release') : text;
}

function packages(blocks: readonly Located[]): readonly LockedPackage[] {
  const sources = new Set<string>();
  const names = new Set<string>();
  const locked = blocks.map((block) => {
    const read = lockedPackage(block);
    if (sources.has(read.repository))
      block.fail(`locks \`${read.repository}\` a second time`, AGAIN);
    if (names.has(read.name)) block.fail(`takes the name \`${read.name}\` a second time`, AGAIN);
    sources.add(read.repository);
    names.add(read.name);
    return read;
  });
  return locked.sort((a, b) => byCodePoint(a.repository, b.repository));
}

const PACKAGE_FIELDS = [
  'source',
  'version',
  'digest',
  'manifest',
  'baseLayer',
  'packageYaml',
  'kind',
  'name',
  'direct',
  'crossplane',
  'dependsOn',
  'owns',
  'object',
] as const;

function lockedPackage(block: Located): LockedPackage {
  const part = block.members(PACKAGE_FIELDS);
  const version = part('version').string();
  const digest = part('digest').optional(digestOf);
  if (!isDigest(version) && !isTag(version)) part('version').fail('must be a tag or a digest');
  if (isDigest(version) && digest !== undefined && digest !== version) {
    part('digest').fail(`is not the digest that \`version\` names`, AGAIN);
  }
  return {
    repository: repositoryOf(part('source')),
    version,
    digest,
    manifest: part('manifest').optional(digestOf),
    baseLayer: part('baseLayer').optional(digestOf),
    packageYaml: part('packageYaml').optional(digestOf),
    kind: kindOf(part('kind')),
    name: nameOf(part('name')),
    direct: part('direct').boolean(),
    crossplane: part('crossplane').optional((constraint) => constraint.string()),
    requirements: part('dependsOn').optional((list) => list.items().map(requirement)) ?? [],
    owns: part('owns').optional(owned) ?? [],
    object: part('object').optional(template) ?? { apiVersion: undefined, metadata: {}, spec: {} },
  };
}

function repositoryOf(part: Located): Repository {
  const text = part.string();
  const bare = parseReference(`${text}:v0`);
  return bare === undefined ? part.fail('must be a repository') : text;
}

function digestOf(part: Located): Digest {
  const text = part.string();
  return isDigest(text) ? text : part.fail('must be `sha256:` and 64 lower-case hex digits');
}

function nameOf(part: Located): string {
  const text = part.string();
  return isObjectName(text) ? text : part.fail('cannot be the name of an object', AGAIN);
}

function kindOf(part: Located): PackageKind {
  const text = part.string();
  return (
    PACKAGE_KINDS.find((kind) => kind === text) ??
    part.fail(`must be one of ${PACKAGE_KINDS.join(', ')}`)
  );
}

const SHORT_FORMS = new Map(PACKAGE_KINDS.map((kind) => [kind.toLowerCase(), kind]));

function requirement(entry: Located): Requirement {
  const keys = entry.entries().map(([key]) => key);
  if (keys.includes('crd')) return crdRequirement(entry);
  const short = keys.find((key) => SHORT_FORMS.has(key));
  if (short === undefined) return explicitRequirement(entry);
  const part = entry.members([short, 'version']);
  return {
    requires: 'package',
    repository: part(short).string(),
    kind: SHORT_FORMS.get(short)!,
    apiVersion: undefined,
    constraint: part('version').string(),
    line: undefined,
  };
}

function explicitRequirement(entry: Located): Requirement {
  const part = entry.members(['apiVersion', 'kind', 'package', 'version']);
  return {
    requires: 'package',
    repository: part('package').string(),
    kind: kindOf(part('kind')),
    apiVersion: part('apiVersion').string(),
    constraint: part('version').string(),
    line: undefined,
  };
}

function crdRequirement(entry: Located): Requirement {
  const part = entry.members(['crd', 'demand']);
  const text = part('crd').string();
  const demand = part('demand').optional(demandOf) ?? { crd: text };
  return { requires: 'crd', demand, text, line: undefined };
}

function demandOf(block: Located): CrdDemand {
  const part = block.members(['crd', 'group', 'version', 'kind']);
  const crd = part('crd').optional((name) => name.string());
  if (crd !== undefined) return { crd };
  return {
    group: part('group').string(),
    version: part('version').optional((version) => version.string()),
    kind: part('kind').string(),
  };
}

/** Groups are for the reader: an object's name says all there is to know. */
function owned(block: Located): readonly OwnedObject[] {
  const objects = block.entries().flatMap(([, kinds]) =>
    kinds.entries().flatMap(([kind, names]) => {
      if (!isOwnedKind(kind)) return names.fail('is not a kind of object that packages own');
      return names.items().map((name) => ({ kind, name: name.string() }));
    }),
  );
  return objects.sort(byKindAndName);
}

function template(block: Located): ObjectTemplate {
  const part = block.members(['apiVersion', 'metadata', 'spec']);
  return {
    apiVersion: part('apiVersion').optional((text) => text.string()),
    metadata: part('metadata').optional((object) => object.object()) ?? {},
    spec: part('spec').optional((object) => object.object()) ?? {},
  };
}
