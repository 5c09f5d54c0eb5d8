import { load, parseEvents, YAMLException } from 'js-yaml';
import {
  type CrdRefBlock,
  LOCKFILE_SCHEMA,
  type LockfileDocument,
  type PackageBlock,
  type RequirementBlock,
} from './lockfile-schema.js';
import { type LockedPackage, type Lockfile, LOCKFILE_VERSION } from './lockfile.js';
import { byCodePoint } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import { InputError } from '../../base/errors.js';
import { shellWord } from '../../base/escape.js';
import { schemaCheck, type SchemaError } from '../../base/json-schema.js';
import { formatPath, isMapping, type Path } from '../../base/json.js';
import { checkYamlSize } from '../../base/size-limits.js';
import { conflictMarkerLine, findPlace, lineAt, placesOf } from '../../base/yaml/positions.js';
import type { CrdRef } from '../../crossplane/packages/crd-ref.js';
import { isObjectName } from '../../crossplane/packages/object-names.js';
import {
  byKindAndName,
  OWNED_KINDS,
  type OwnedObject,
} from '../../crossplane/packages/owned-objects.js';
import type { Requirement } from '../../crossplane/packages/package-meta.js';
import { PACKAGE_KINDS, type PackageKind } from '../../crossplane/packages/package.js';
import { isTag, parseReference } from '../../crossplane/packages/reference.js';
import { targetFor } from '../../crossplane/releases/target.js';

/** Parses `xpkg.lock.yaml`. Throws an `InputError` with the line of a mistake. */
export function parseLockfile(text: string, file: string): Lockfile {
  const document = parseLocatedDocument(text, file);
  const { crossplane, inputs, packages, objects, indexes, skipDependencyResolution } =
    checkLockfile(document);
  const target = targetFor(crossplane);
  if (target === undefined) {
    throw document.error(['crossplane'], 'must be a Crossplane release');
  }
  refuseDuplicates(packages, document);
  const locked = packages.map((block, i) => {
    checkPackage(block, (field, what, hint) => document.error(['packages', i, field], what, hint));
    return lockedPackage(block);
  });
  return {
    crossplane: target.version,
    ...(inputs !== undefined && { inputs }),
    packages: locked.sort((a, b) => byCodePoint(a.repository, b.repository)),
    objects,
    ...(indexes !== undefined && {
      indexes: indexes.map(({ index: from, digest }) => ({ from, digest })),
    }),
    skipDependencyResolution,
  };
}

function refuseDuplicates(packages: readonly PackageBlock[], { error }: LocatedDocument): void {
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

/** Checks what the schema cannot check: tags, repositories and names. */
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
  const { apiVersion, metadata = {}, spec = {}, untagged = false } = block.object ?? {};
  return {
    repository: block.source,
    version: block.version,
    digest: block.digest,
    manifest: block.manifest,
    baseLayer: block.baseLayer,
    packageYaml: block.packageYaml,
    ...(block.signature !== undefined && { signature: block.signature }),
    ...(block.longerTags !== undefined && { longerTags: [...block.longerTags].sort(byCodePoint) }),
    kind: block.kind,
    name: block.name,
    direct: block.direct,
    crossplane: block.crossplane,
    requirements: (block.dependsOn ?? []).map(requirementOf),
    owns: ownedObjects(block.owns ?? {}),
    object: { apiVersion, metadata, spec, ...(untagged && { untagged }) },
  };
}

function requirementOf(block: RequirementBlock): Requirement {
  if ('crd' in block) {
    const { crd: text, demand } = block;
    return { requires: 'crd', demand: crdRefOf(demand ?? { crd: text }), text, line: undefined };
  }
  const [requires, line, constraint] = ['package', undefined, block.version] as const;
  if ('package' in block) {
    const { package: repository, kind, apiVersion } = block;
    return { requires, repository, kind, apiVersion, constraint, line };
  }
  const kind = PACKAGE_KINDS.find((each) => block[fieldOf(each)] !== undefined)!;
  const repository = block[fieldOf(kind)]!;
  return { requires, repository, kind, apiVersion: undefined, constraint, line };
}

function fieldOf(kind: PackageKind) {
  return kind.toLowerCase() as Lowercase<PackageKind>;
}

function crdRefOf({ crd, group, version, kind }: CrdRefBlock): CrdRef {
  if (crd === undefined) return { group: group!, version, kind: kind! };
  return version === undefined ? { crd } : { crd, version };
}

/** Groups are only for readers: the name of an object includes its group. */
function ownedObjects(groups: NonNullable<PackageBlock['owns']>): readonly OwnedObject[] {
  const objects = Object.values(groups).flatMap((kinds) =>
    OWNED_KINDS.flatMap((kind) => (kinds[kind] ?? []).map((name) => ({ kind, name }))),
  );
  return objects.sort(byKindAndName);
}

/** Advice for a file of another type, which must not be deleted. */
const OTHER_FILE_HINT = 'it is a file of another sort: let `--lock` name the lockfile';

const violations = schemaCheck(LOCKFILE_SCHEMA, { all: true });

/**
 * Validates a document. Throws an `InputError` for the first mistake.
 *
 * Loading ajv makes `render` and `tree` 40 ms slower, of 230 ms with a small lockfile.
 */
function checkLockfile(document: LocatedDocument): LockfileDocument {
  checkVersion(document);
  const errors = violations(document.value);
  // A misspelled field is both unknown and missing; the first error is more helpful.
  const error = errors.find(({ keyword }) => keyword === 'additionalProperties') ?? errors[0];
  if (error === undefined) return document.value as LockfileDocument; // checked by the schema
  const [path, what, hint] = describe(error);
  throw document.error(path, what, hint);
}

/** Checks what the schema cannot check: a newer format and a truncated file. */
function checkVersion({ value, error }: LocatedDocument): void {
  if (!isMapping(value)) throw error([], 'is not a lockfile: it must be a mapping', RESTORE_HINT);
  if (!Object.hasOwn(value, 'version')) {
    const isOtherFormat = Object.hasOwn(value, 'kind');
    const hint = isOtherFormat ? OTHER_FILE_HINT : RESTORE_HINT;
    throw error([], 'is not a lockfile: it has no `version`', hint);
  }
  const { version } = value;
  if (typeof version !== 'number' || !Number.isInteger(version)) {
    throw error(['version'], 'must be an integer');
  }
  if (version > LOCKFILE_VERSION) {
    throw error(
      ['version'],
      `is ${version}, newer than this xpkg-resolve reads (${LOCKFILE_VERSION})`,
      'use the xpkg-resolve that wrote the lockfile, or a later one',
    );
  }
  if (version < 1) throw error(['version'], `must be ${LOCKFILE_VERSION}`, RESTORE_HINT);
  if (!Object.hasOwn(value, LAST_FIELD)) {
    const what = `is not a whole lockfile: \`${LAST_FIELD}\`, its last part, is missing`;
    throw error([], what, RESTORE_HINT);
  }
}

const LAST_FIELD: keyof LockfileDocument = 'skipDependencyResolution';

function describe(error: SchemaError): [path: Path, what: string, hint?: string] {
  const { keyword, params, path, propertyName } = error;
  switch (keyword) {
    case 'additionalProperties': {
      const place = [...path, String(params['additionalProperty'])];
      if (path.at(-1) !== 'metadata') return [place, 'is not a field of this format'];
      const what = 'is not for a lockfile to set: of metadata it keeps labels and annotations';
      return [place, what, RESTORE_HINT];
    }
    case 'required':
      return [[...path, String(params['missingProperty'])], 'is missing'];
    case 'maxProperties':
      return [path, 'must name one package'];
    case 'pattern':
      return [path, 'must be `sha256:` and 64 lower-case hex digits'];
    case 'enum':
      // The key itself violates `propertyNames`.
      if (propertyName === undefined) {
        return [path, `must be one of ${[params['allowedValues']].flat().join(', ')}`];
      }
      return [[...path, propertyName], 'is not a kind of object that packages own'];
    case 'false schema':
      if (path.includes('demand')) return [path, 'does not go with `crd`'];
      return [path, 'is not for a lockfile to set', RESTORE_HINT];
    default:
      return [path, `must be ${TYPES[String(params['type'])] ?? 'of another type'}`];
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: '`true` or `false`',
  array: 'a list',
  object: 'a mapping',
};

/** Advice for a lockfile that was edited, merged or truncated. */
const RESTORE_HINT =
  'restore it from version control, or delete it and run `xpkg-resolve resolve` again';

/** The YAML document of a file, with positions for errors. */
interface LocatedDocument {
  readonly value: unknown;
  /** Returns an error with the name and line of a part of the document. */
  readonly error: (path: Path, what: string, hint?: string) => InputError;
}

/** Parses one document. Throws an `InputError` for duplicate keys, aliases and more documents. */
function parseLocatedDocument(text: string, file: string): LocatedDocument {
  return {
    value: parseLockText(text, file),
    error: (path, what, hint) => {
      // The positions are computed only for errors, because that takes as long as parsing.
      const root = placesOf(text, parseEvents(text, {}));
      const line = root === undefined ? 1 : lineAt(text, findPlace(root, path).offset);
      const subject = path.length === 0 ? '' : `\`${formatPath(path)}\` `;
      return new InputError(`${subject}${what}`, { origin: { file, line }, hint });
    },
  };
}

function parseLockText(text: string, file: string): unknown {
  checkYamlSize(text, file, RESTORE_HINT);
  const conflictLine = conflictMarkerLine(text);
  if (conflictLine !== undefined) {
    throw new InputError('has the conflict markers of a merge', {
      origin: { file, line: conflictLine },
      hint: `take one side, for example with \`git checkout --ours ${shellWord(file)}\`, and run \`xpkg-resolve resolve\``,
    });
  }
  try {
    return load(text, { maxAliases: 0 });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark?.line;
    throw new InputError(`not readable as YAML: ${error.reason}`, {
      origin: { file, line: line === undefined ? undefined : line + 1 },
      cause: error,
    });
  }
}
