import { checkPackageSet } from './check-package-set.js';
import { DocumentNode, type InputDocument } from './document.js';
import { objectNameAt } from './package-object.js';
import { parseDuration, type Policy, type PolicyEntry } from './policy.js';
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
  const root = new DocumentNode(document);
  const spec = root.at('spec');
  const items = (field: string) => spec.at(field).items();
  const crossplane = spec.at('crossplane').text();
  const crossplanes = items('crossplanes').map((item) => item.requiredText());
  return {
    name: root.at('metadata', 'name').text(),
    ...(crossplane !== undefined && {
      crossplane: { text: crossplane, origin: spec.at('crossplane').origin },
    }),
    roots: items('packages').map(readEntry),
    prereleases: items('packages')
      .filter((entry) => entry.at('prerelease').flag())
      .map((entry) => subjectOf(entry).repository),
    overrides: items('overrides').map(readRule),
    replace: items('replace').map((rule) => ({
      repository: repositoryAt(rule.at('package')),
      with: repositoryAt(rule.at('with')),
      origin: rule.origin,
    })),
    exclude: items('exclude').map(readRule),
    defaults: readDefaults(spec.at('defaults', 'spec')),
    policies: readPolicies(spec.at('policy')),
    include: items('include').map((item) => ({ path: item.requiredText(), origin: item.origin })),
    ...(crossplanes.length > 0 && {
      crossplanes: { texts: crossplanes, origin: spec.at('crossplanes').origin },
    }),
    ...(spec.at('allowUndigested').value !== undefined && {
      allowUndigested: spec.at('allowUndigested').flag(),
    }),
  };
}

function readEntry(entry: DocumentNode): PackageRootDraft | CrdRoot {
  const { origin } = entry;
  const crd = entry.at('crd');
  if (crd.value !== undefined) {
    const crdRef = parseCrdRef(crd.value);
    if (crdRef !== undefined) return { root: 'crd', demand: crdRef, origin };
    throw crd.inputError(
      'is neither the name of a CRD nor what one defines',
      'write `buckets.s3.aws.upbound.io` or `s3.aws.upbound.io/v1beta1/Bucket`',
    );
  }
  return {
    root: 'package',
    ...subjectOf(entry),
    version: versionAt(entry.at('version')),
    name: objectNameAt(entry.at('name')),
    spec: entry.at('spec').object(),
    object: undefined,
    origin,
  };
}

function subjectOf(entry: DocumentNode): Pick<PackageRootDraft, 'repository' | 'kind'> {
  const [field, kind] = SUBJECTS.find(([name]) => entry.at(name).value !== undefined)!;
  return { repository: repositoryAt(entry.at(field)), kind };
}

function readRule(rule: DocumentNode): VersionRule {
  return {
    repository: repositoryAt(rule.at('package')),
    version: versionTextAt(rule.at('version'))!,
    origin: rule.origin,
  };
}

function readDefaults(node: DocumentNode): Contribution['defaults'] {
  const spec = node.object();
  return Object.keys(spec).length === 0 ? undefined : { spec, origin: node.origin };
}

function versionAt(node: DocumentNode): RootVersion {
  const text = versionTextAt(node);
  if (text === undefined) return ANY_VERSION;
  return isDigest(text) ? { form: 'digest', digest: text } : { form: 'text', text };
}

function versionTextAt(node: DocumentNode): string | undefined {
  const text = node.text();
  if (text !== undefined && isMalformedDigest(text)) throw node.inputError(MALFORMED_DIGEST);
  return text;
}

function repositoryAt(node: DocumentNode): Repository {
  const text = node.requiredText();
  checkReference(node, text);
  if (isRepository(text)) return text;
  const reference = splitReference(text);
  if (reference === undefined) throw node.inputError(`is no repository: \`${text}\``);
  const version = reference.digest ?? reference.tag;
  throw node.inputError(
    'holds more than a repository',
    `write \`${reference.repository}\` there, and \`version: ${version}\` beside it`,
  );
}

/** Reads `spec.policy` of a validated PackageSet, if it has one. */
function readPolicies(policy: DocumentNode): readonly Policy[] {
  if ((policy.value ?? undefined) === undefined) return [];
  const registries = policy.at('registries');
  const allowed = registries.items().map(packagesAt);
  return [
    {
      ...(allowed.length > 0 && { registries: { allowed, origin: registries.origin } }),
      deny: policy.at('deny').items().map(deniedAt),
      ...readMinimumAge(policy),
    },
  ];
}

function deniedAt(entry: DocumentNode): PolicyEntry {
  const version = entry.at('version').text();
  if (version !== undefined && (isDigest(version) || isMalformedDigest(version))) {
    const hint = 'name the tags; a digest is not known before its image is read';
    throw entry.at('version').inputError('must be a constraint or a tag', hint);
  }
  return {
    packages: packagesAt(entry.at('package')),
    version,
    reason: entry.at('reason').text(),
    origin: entry.origin,
  };
}

function readMinimumAge(policy: DocumentNode): Pick<Policy, 'minimumAge'> {
  const node = policy.at('minimumAge');
  const text = node.text();
  if (text === undefined) return {};
  const minimumAge = {
    text,
    milliseconds: parseDuration(text)!,
    except: policy.at('minimumAgeExcept').items().map(exceptionAt),
    unknown: policy.at('unknownAge').text() === 'allow' ? 'allow' : 'refuse',
    origin: node.origin,
  } as const;
  return { minimumAge };
}

/** `PACKAGES` or `PACKAGES@VERSION`. */
function exceptionAt(node: DocumentNode): PolicyEntry {
  const [packages = '', ...version] = node.requiredText().split('@');
  checkPackages(node, packages);
  return {
    packages,
    version: version.length > 0 ? version.join('@') : undefined,
    origin: node.origin,
  };
}

function packagesAt(node: DocumentNode): string {
  const text = node.requiredText();
  checkPackages(node, text);
  return text;
}

/** Throws an `InputError` unless the text is a registry or the first parts of a repository. */
function checkPackages(node: DocumentNode, text: string): void {
  const plain = text.replace(/\/$/, '');
  const [host = '', ...rest] = plain.split('/');
  const isNamed = /\.|:\d/.test(host) || host === 'localhost';
  if (isNamed && isRepository(rest.length === 0 ? `${plain}/any` : plain)) return;
  throw node.inputError(
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
