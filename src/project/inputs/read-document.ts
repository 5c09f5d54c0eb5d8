import type { Contribution } from './request.js';
import { DocumentNode, type InputDocument } from './document.js';
import { dependencyEntry, readLocalPackage, readProject } from './local-package.js';
import {
  checkMetadataFields,
  metadataNotes,
  readPackageInstall,
  readPackageObject,
} from './package-object.js';
import { readPackageSet } from './package-set.js';
import { isList, isMapping } from '../../base/json.js';
import { didYouMean } from '../../base/messages.js';
import { DOT_REGISTRY } from '../../crossplane/legacy/dot-registry.js';
import { EXTRA_KINDS, isRenderedPin } from '../../crossplane/package-manager/image-config.js';
import { ownedKindOf } from '../../crossplane/packages/owned-objects.js';
import {
  definitionOf,
  readCompositionSpec,
  readDefiningSpec,
} from '../../crossplane/packages/package-contents.js';
import { isPackageKind } from '../../crossplane/packages/package.js';

interface DocumentOptions {
  /** Whether to also read formats of old design documents, which Crossplane rejects. */
  readonly compat: boolean;
}

/** Reads a document. Returns several contributions for a List. */
export async function readDocument(
  document: InputDocument,
  options: DocumentOptions,
): Promise<readonly Contribution[]> {
  const root = new DocumentNode(document);
  const type = typeOf(root);
  if (type === undefined) return [readUntyped(root, options)];
  if (type.apiVersion === 'v1' && type.kind === 'List') {
    const items = root.at('items').items().map(subdocument);
    return (await Promise.all(items.map((item) => readDocument(item, options)))).flat();
  }
  const contribution = await readObject(root, type, options);
  if (contribution.roots ?? contribution.kept) refuseMergeKeys(root);
  return [contribution];
}

function readUntyped(root: DocumentNode, { compat }: DocumentOptions): Contribution {
  if (!isAppYaml(root)) return ignoredObject(root, 'a document that is no Kubernetes object');
  if (compat) return readAppYaml(root);
  return ignoredObject(root, 'the app.yaml of a `.registry/` package, which only `--compat` reads');
}

/** Throws an `InputError` for a merge key: YAML 1.2 has none, so the merge would be lost. */
function refuseMergeKeys(node: DocumentNode): void {
  const { path, value } = node;
  if (path.at(-1) === '<<') {
    throw node.inputError('is a merge key, which YAML 1.2 does not have', 'write it out');
  }
  const steps = isList(value) ? [...value.keys()] : isMapping(value) ? Object.keys(value) : [];
  for (const step of steps) refuseMergeKeys(node.at(step));
}

interface ObjectType {
  readonly apiVersion: string;
  readonly group: string;
  readonly kind: string;
}

async function readObject(
  root: DocumentNode,
  { apiVersion, group, kind }: ObjectType,
  { compat }: DocumentOptions,
): Promise<Contribution> {
  const onlyWithCompat = () =>
    ignoredObject(root, `${apiVersion} ${kind}, which only \`--compat\` reads`);
  switch (group) {
    case 'xpkg-resolve.dev':
      if (kind === 'PackageSet') return readPackageSet(root.document);
      if (didYouMean(kind, ['PackageSet']) !== undefined) {
        throw root.at('kind').inputError(`is \`${kind}\`; did you mean \`PackageSet\`?`);
      }
      break;
    case 'pkg.crossplane.io':
      if (isPackageKind(kind)) return readPackageObject(root, kind);
      if (isRenderedPin(root.object())) {
        return ignoredObject(root, 'ImageConfig, which `--pin locked` rendered');
      }
      if (EXTRA_KINDS.includes(kind)) return extraManifest(root);
      break;
    case 'meta.pkg.crossplane.io':
      if (isPackageKind(kind)) return readLocalPackage(root, kind, compat);
      break;
    case 'meta.pkg.ibm.crossplane.io':
      if (isPackageKind(kind) && compat) return readLocalPackage(root, kind, compat);
      return onlyWithCompat();
    case 'packages.crossplane.io':
      if (!compat) return onlyWithCompat();
      if (kind === 'ClusterPackageInstall' || kind === 'PackageInstall') {
        return readPackageInstall(root);
      }
      if (kind === 'Package') {
        const what = `${apiVersion} Package, which records an install and asks for none (a PackageInstall does)`;
        return ignoredObject(root, what);
      }
      break;
    case 'dev.crossplane.io':
    case 'meta.dev.upbound.io':
      if (kind === 'Project') return readProject(root, group);
      break;
    default: {
      const owned = readOwnedObject(root, { apiVersion, group, kind });
      if (owned === undefined) break;
      // A policy outside of a local package is an object to apply.
      return isActivationPolicy(group, kind) ? { ...extraManifest(root), ...owned } : owned;
    }
  }
  return ignoredObject(root, `${apiVersion} ${kind}`);
}

function isActivationPolicy(group: string, kind: string): boolean {
  return group === 'apiextensions.crossplane.io' && kind === 'ManagedResourceActivationPolicy';
}

function extraManifest(root: DocumentNode): Contribution {
  root.at('metadata', 'name').requiredText();
  checkMetadataFields(root);
  return { kept: [{ object: root.object(), origin: root.origin }], notes: metadataNotes(root) };
}

function ignoredObject({ origin }: DocumentNode, what: string): Contribution {
  return { ignored: { what, origin } };
}

function typeOf({ value }: DocumentNode): ObjectType | undefined {
  if (!isMapping(value)) return undefined;
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const slash = apiVersion.indexOf('/');
  return { apiVersion, kind, group: slash < 0 ? '' : apiVersion.slice(0, slash) };
}

/** Returns a part of a document as a document. */
function subdocument({ document, path, value = null }: DocumentNode): InputDocument {
  return {
    number: document.number,
    value,
    originOf: (below) => document.originOf([...path, ...below]),
    spellingOf: (below) => document.spellingOf([...path, ...below]),
  };
}

/** Returns whether a document is the `.registry/app.yaml` of a legacy package. */
function isAppYaml({ origin, value }: DocumentNode): boolean {
  const path = origin.file.replaceAll('\\', '/');
  return isMapping(value) && `/${path}`.endsWith(`/${DOT_REGISTRY}/app.yaml`);
}

/** Reads an `app.yaml`. The package is a root whose requirements count, but it is not rendered. */
function readAppYaml(root: DocumentNode): Contribution {
  const dependsOn = root.at('dependsOn').items().map(dependencyEntry);
  const name = root.at('title').text() || 'app.yaml';
  // The same kind as for a legacy package from a source: only Providers install CRDs.
  const kind = 'Provider';
  const { origin } = root;
  return {
    roots: [{ root: 'local', kind, name, crossplane: undefined, dependsOn, objects: [], origin }],
  };
}

/** Reads an object that a local package would install. Returns undefined for other kinds. */
function readOwnedObject(
  root: DocumentNode,
  { apiVersion, group, kind }: ObjectType,
): Contribution | undefined {
  const name = root.at('metadata', 'name').value;
  // Other mistakes in the object are found by the linter of the package.
  if (typeof name !== 'string' || ownedKindOf(kind, group) === undefined) return undefined;
  const { origin } = root;
  const spec = root.at('spec').value;
  const content =
    kind === 'Composition'
      ? { composition: readCompositionSpec(spec) }
      : definitionOf(kind, readDefiningSpec(apiVersion, spec));
  return { owned: { object: { apiVersion, kind, name, line: origin.line, ...content }, origin } };
}
