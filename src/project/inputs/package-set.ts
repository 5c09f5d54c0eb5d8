import { checkPackageSet } from './check-package-set.js';
import {
  eachAt,
  errorAt,
  flagAt,
  type InputDocument,
  objectAt,
  requiredTextAt,
  textAt,
  valueAt,
} from './document.js';
import { objectNameAt } from './package-object.js';
import { type MinimumAge, parseDuration, type Policy, type PolicyEntry } from './policy.js';
import {
  checkReference,
  ANY_VERSION,
  MALFORMED_DIGEST,
  isMalformedDigest,
  splitReference,
} from './references.js';
import type {
  Contribution,
  CrdRoot,
  PackageRootDraft,
  RootVersion,
  VersionRule,
} from './request.js';
import { isDigest } from '../../base/digest.js';
import type { Path } from '../../base/json.js';
import { parseCrdRef } from '../../crossplane/packages/crd-ref.js';
import type { PackageKind, Repository } from '../../crossplane/packages/package.js';
import { isRepository } from '../../crossplane/packages/reference.js';

const SUBJECTS: readonly (readonly [field: string, kind: PackageKind | undefined])[] = [
  ['provider', 'Provider'],
  ['configuration', 'Configuration'],
  ['function', 'Function'],
  ['package', undefined],
];

/** Reads a PackageSet after validating it. */
export function readPackageSet(document: InputDocument): Contribution {
  checkPackageSet(document);
  const each = <T>(field: string, read: (path: Path) => T): T[] =>
    eachAt(document, ['spec', field], read);
  const crossplane = textAt(document, ['spec', 'crossplane']);
  const crossplanes = each('crossplanes', (path) => requiredTextAt(document, path));
  const origin = (field: string) => document.originOf(['spec', field]);
  return {
    name: textAt(document, ['metadata', 'name']),
    ...(crossplane !== undefined && {
      crossplane: { text: crossplane, origin: origin('crossplane') },
    }),
    roots: each('packages', (path) => readEntry(document, path)),
    prereleases: each('packages', (path) => path)
      .filter((path) => flagAt(document, [...path, 'prerelease']))
      .map((path) => subjectOf(document, path).repository),
    overrides: each('overrides', (path) => readRule(document, path)),
    replace: each('replace', (path) => ({
      repository: repositoryAt(document, [...path, 'package']),
      with: repositoryAt(document, [...path, 'with']),
      origin: document.originOf(path),
    })),
    exclude: each('exclude', (path) => readRule(document, path)),
    defaults: readDefaults(document),
    policies: readPolicies(document),
    include: each('include', (path) => ({
      path: requiredTextAt(document, path),
      origin: document.originOf(path),
    })),
    ...(crossplanes.length > 0 && {
      crossplanes: { texts: crossplanes, origin: origin('crossplanes') },
    }),
    ...(valueAt(document, ['spec', 'allowUndigested']) !== undefined && {
      allowUndigested: flagAt(document, ['spec', 'allowUndigested']),
    }),
  };
}

function readEntry(document: InputDocument, path: Path): PackageRootDraft | CrdRoot {
  const origin = document.originOf(path);
  const crd = valueAt(document, [...path, 'crd']);
  if (crd !== undefined) {
    const crdRef = parseCrdRef(crd);
    if (crdRef !== undefined) return { root: 'crd', demand: crdRef, origin };
    throw errorAt(
      document,
      [...path, 'crd'],
      'is neither the name of a CRD nor what one defines',
      'write `buckets.s3.aws.upbound.io` or `s3.aws.upbound.io/v1beta1/Bucket`',
    );
  }
  return {
    root: 'package',
    ...subjectOf(document, path),
    version: versionAt(document, [...path, 'version']),
    name: objectNameAt(document, [...path, 'name']),
    spec: objectAt(document, [...path, 'spec']),
    object: undefined,
    origin,
  };
}

function subjectOf(
  document: InputDocument,
  path: Path,
): Pick<PackageRootDraft, 'repository' | 'kind'> {
  const [field, kind] = SUBJECTS.find(
    ([name]) => valueAt(document, [...path, name]) !== undefined,
  )!;
  return { repository: repositoryAt(document, [...path, field]), kind };
}

function readRule(document: InputDocument, path: Path): VersionRule {
  return {
    repository: repositoryAt(document, [...path, 'package']),
    version: versionTextAt(document, [...path, 'version'])!,
    origin: document.originOf(path),
  };
}

function readDefaults(document: InputDocument): Contribution['defaults'] {
  const path = ['spec', 'defaults', 'spec'];
  const spec = objectAt(document, path);
  return Object.keys(spec).length === 0 ? undefined : { spec, origin: document.originOf(path) };
}

function versionAt(document: InputDocument, path: Path): RootVersion {
  const text = versionTextAt(document, path);
  if (text === undefined) return ANY_VERSION;
  return isDigest(text) ? { form: 'digest', digest: text } : { form: 'text', text };
}

function versionTextAt(document: InputDocument, path: Path): string | undefined {
  const text = textAt(document, path);
  if (text !== undefined && isMalformedDigest(text))
    throw errorAt(document, path, MALFORMED_DIGEST);
  return text;
}

function repositoryAt(document: InputDocument, path: Path): Repository {
  const text = requiredTextAt(document, path);
  checkReference(document, path, text);
  if (isRepository(text)) return text;
  const reference = splitReference(text);
  if (reference === undefined) throw errorAt(document, path, `is no repository: \`${text}\``);
  const version = reference.digest ?? reference.tag;
  throw errorAt(
    document,
    path,
    'holds more than a repository',
    `write \`${reference.repository}\` there, and \`version: ${version}\` beside it`,
  );
}

const POLICY: Path = ['spec', 'policy'];

/** Reads `spec.policy` of a validated PackageSet, if it has one. */
function readPolicies(document: InputDocument): readonly Policy[] {
  if ((valueAt(document, POLICY) ?? undefined) === undefined) return [];
  const registries = eachAt(document, [...POLICY, 'registries'], (path) =>
    packagesAt(document, path),
  );
  const policy: Policy = {
    ...(registries.length > 0 && {
      registries: { allowed: registries, origin: document.originOf([...POLICY, 'registries']) },
    }),
    deny: eachAt(document, [...POLICY, 'deny'], (path) => deniedAt(document, path)),
    ...readMinimumAge(document),
  };
  return [policy];
}

function deniedAt(document: InputDocument, path: Path): PolicyEntry {
  const at = [...path, 'version'];
  const version = textAt(document, at);
  if (version !== undefined && (isDigest(version) || isMalformedDigest(version))) {
    const hint = 'name the tags; a digest is not known before its image is read';
    throw errorAt(document, at, 'must be a constraint or a tag', hint);
  }
  return {
    packages: packagesAt(document, [...path, 'package']),
    version,
    reason: textAt(document, [...path, 'reason']),
    origin: document.originOf(path),
  };
}

function readMinimumAge(document: InputDocument): Pick<Policy, 'minimumAge'> {
  const path = [...POLICY, 'minimumAge'];
  const text = textAt(document, path);
  if (text === undefined) return {};
  const minimumAge: MinimumAge = {
    text,
    milliseconds: parseDuration(text)!,
    except: eachAt(document, [...POLICY, 'minimumAgeExcept'], (entry) =>
      exceptionAt(document, entry),
    ),
    unknown: textAt(document, [...POLICY, 'unknownAge']) === 'allow' ? 'allow' : 'refuse',
    origin: document.originOf(path),
  };
  return { minimumAge };
}

/** `PACKAGES` or `PACKAGES@VERSION`. */
function exceptionAt(document: InputDocument, path: Path): PolicyEntry {
  const [packages, ...version] = requiredTextAt(document, path).split('@');
  const origin = document.originOf(path);
  checkPackages(document, path, packages!);
  return {
    packages: packages!,
    version: version.length > 0 ? version.join('@') : undefined,
    origin,
  };
}

function packagesAt(document: InputDocument, path: Path): string {
  const text = requiredTextAt(document, path);
  checkPackages(document, path, text);
  return text;
}

/**
 * Throws an `InputError` for a text that is not a repository, or a prefix of one with its registry.
 */
function checkPackages(document: InputDocument, path: Path, text: string): void {
  const plain = text.replace(/\/$/, '');
  const [host = '', ...rest] = plain.split('/');
  const isNamed = /\.|:\d/.test(host) || host === 'localhost';
  if (isNamed && isRepository(rest.length === 0 ? `${plain}/any` : plain)) return;
  throw errorAt(
    document,
    path,
    `names no registry, and no packages of one: \`${text}\``,
    packagesHint(text),
  );
}

function packagesHint(text: string): string {
  if (/^[a-z]+:\/\//i.test(text)) return 'leave out what stands before `//`, and the slashes';
  if (text.includes('*')) return 'leave out `*`: all that begins with the parts given is meant';
  if (/[:@]/.test(text.slice(text.lastIndexOf('/') + 1))) return 'a version does not belong in it';
  return 'write the host, and below it as much as is meant: `xpkg.upbound.io/upbound`';
}
