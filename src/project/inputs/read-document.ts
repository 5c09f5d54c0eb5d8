import type { Contribution } from './request.js';
import {
  eachAt,
  errorAt,
  type InputDocument,
  objectAt,
  requiredTextAt,
  textAt,
  valueAt,
} from './document.js';
import { dependencyEntries, readLocalPackage, readProject } from './local-package.js';
import {
  checkMetadataFields,
  metadataNotes,
  readPackageInstall,
  readPackageObject,
} from './package-object.js';
import { readPackageSet } from './package-set.js';
import { isList, isMapping, type Path } from '../../base/json.js';
import { didYouMean } from '../../base/messages.js';
import { DOT_REGISTRY } from '../../crossplane/legacy/dot-registry.js';
import { isRenderedPin } from '../../crossplane/package-manager/image-config.js';
import { ownedKindOf } from '../../crossplane/packages/owned-objects.js';
import {
  definitionOf,
  readCompositionSpec,
  readDefiningSpec,
} from '../../crossplane/packages/package-contents.js';
import { isPackageKind } from '../../crossplane/packages/package.js';

/** Kinds of pkg.crossplane.io, besides packages, that are rendered unchanged. */
const EXTRA_KINDS: ReadonlySet<string> = new Set([
  'ImageConfig',
  'DeploymentRuntimeConfig',
  'ControllerConfig',
]);

interface DocumentOptions {
  /** Whether to also read formats of old design documents, which Crossplane rejects. */
  readonly compat: boolean;
}

/** Reads a document. Returns several contributions for a List. */
export async function readDocument(
  document: InputDocument,
  options: DocumentOptions,
): Promise<readonly Contribution[]> {
  const type = typeOf(document);
  if (type === undefined) return [readUntyped(document, options)];
  if (type.apiVersion === 'v1' && type.kind === 'List') {
    const items = eachAt(document, ['items'], (path) => subdocument(document, path));
    return (await Promise.all(items.map((item) => readDocument(item, options)))).flat();
  }
  const contribution = await readObject(document, type, options);
  if (contribution.roots ?? contribution.kept) refuseMergeKeys(document, []);
  return [contribution];
}

function readUntyped(document: InputDocument, { compat }: DocumentOptions): Contribution {
  if (!isAppYaml(document)) return ignored(document, 'a document that is no Kubernetes object');
  if (compat) return readAppYaml(document);
  return ignored(document, 'the app.yaml of a `.registry/` package, which only `--compat` reads');
}

/** Throws an `InputError` for a merge key: YAML 1.2 has none, so the merge would be lost. */
function refuseMergeKeys(document: InputDocument, path: Path): void {
  const value = valueAt(document, path);
  if (path.at(-1) === '<<') {
    throw errorAt(document, path, 'is a merge key, which YAML 1.2 does not have', 'write it out');
  }
  const steps = isList(value) ? [...value.keys()] : isMapping(value) ? Object.keys(value) : [];
  for (const step of steps) refuseMergeKeys(document, [...path, step]);
}

interface ObjectType {
  readonly apiVersion: string;
  readonly group: string;
  readonly kind: string;
}

async function readObject(
  document: InputDocument,
  { apiVersion, group, kind }: ObjectType,
  options: DocumentOptions,
): Promise<Contribution> {
  switch (group) {
    case 'xpkg-resolve.dev':
      if (kind === 'PackageSet') return readPackageSet(document);
      if (didYouMean(kind, ['PackageSet']) !== undefined) {
        throw errorAt(document, ['kind'], `is \`${kind}\`; did you mean \`PackageSet\`?`);
      }
      break;
    case 'pkg.crossplane.io':
      if (isPackageKind(kind)) return readPackageObject(document, kind);
      if (isRenderedPin(objectAt(document, []))) {
        return ignored(document, 'ImageConfig, which `--pin locked` rendered');
      }
      if (EXTRA_KINDS.has(kind)) return extraManifest(document);
      break;
    case 'meta.pkg.crossplane.io':
      if (isPackageKind(kind)) return readLocalPackage(document, kind, options);
      break;
    case 'meta.pkg.ibm.crossplane.io':
      if (isPackageKind(kind) && options.compat) return readLocalPackage(document, kind, options);
      return ignored(document, `${apiVersion} ${kind}, which only \`--compat\` reads`);
    case 'packages.crossplane.io':
      if (!options.compat) {
        return ignored(document, `${apiVersion} ${kind}, which only \`--compat\` reads`);
      }
      if (kind === 'ClusterPackageInstall' || kind === 'PackageInstall') {
        return readPackageInstall(document);
      }
      if (kind === 'Package') {
        const what = `${apiVersion} Package, which records an install and asks for none (a PackageInstall does)`;
        return ignored(document, what);
      }
      break;
    case 'dev.crossplane.io':
    case 'meta.dev.upbound.io':
      if (kind === 'Project') return readProject(document, group);
      break;
    default: {
      const owned = readOwnedObject(document, apiVersion, kind);
      if (owned === undefined) break;
      // A policy outside of a local package is an object to apply.
      return isActivationPolicy(group, kind) ? { ...extraManifest(document), ...owned } : owned;
    }
  }
  return ignored(document, `${apiVersion} ${kind}`);
}

function isActivationPolicy(group: string, kind: string): boolean {
  return group === 'apiextensions.crossplane.io' && kind === 'ManagedResourceActivationPolicy';
}

function extraManifest(document: InputDocument): Contribution {
  requiredTextAt(document, ['metadata', 'name']);
  checkMetadataFields(document);
  return {
    kept: [{ object: objectAt(document, []), origin: document.originOf([]) }],
    notes: metadataNotes(document),
  };
}

function ignored(document: InputDocument, what: string): Contribution {
  return { ignored: { what, origin: document.originOf([]) } };
}

function typeOf(document: InputDocument): ObjectType | undefined {
  if (!isMapping(document.value)) return undefined;
  const apiVersion = valueAt(document, ['apiVersion']);
  const kind = valueAt(document, ['kind']);
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const slash = apiVersion.indexOf('/');
  return { apiVersion, kind, group: slash < 0 ? '' : apiVersion.slice(0, slash) };
}

/** Returns a part of a document as a document. */
function subdocument(document: InputDocument, path: Path): InputDocument {
  return {
    number: document.number,
    value: valueAt(document, path) ?? null,
    originOf: (below) => document.originOf([...path, ...below]),
    spellingOf: (below) => document.spellingOf([...path, ...below]),
  };
}

/** Returns whether a document is the `.registry/app.yaml` of a legacy package. */
function isAppYaml(document: InputDocument): boolean {
  const path = document.originOf([]).file.replaceAll('\\', '/');
  return isMapping(document.value) && `/${path}`.endsWith(`/${DOT_REGISTRY}/app.yaml`);
}

/** Reads an `app.yaml`. The package is a root whose requirements count, but it is not rendered. */
function readAppYaml(document: InputDocument): Contribution {
  const dependsOn = dependencyEntries(document, ['dependsOn']);
  const name = textAt(document, ['title']) || 'app.yaml';
  // The same kind as for a legacy package from a source: only Providers install CRDs.
  const kind = 'Provider';
  const origin = document.originOf([]);
  return {
    roots: [{ root: 'local', kind, name, crossplane: undefined, dependsOn, objects: [], origin }],
  };
}

/** Reads an object that a local package would install. Returns undefined for other kinds. */
function readOwnedObject(
  document: InputDocument,
  apiVersion: string,
  kind: string,
): Contribution | undefined {
  const [group = ''] = apiVersion.split('/');
  const name = valueAt(document, ['metadata', 'name']);
  // Other mistakes in the object are found by the linter of the package.
  if (typeof name !== 'string' || ownedKindOf(kind, group) === undefined) return undefined;
  const origin = document.originOf([]);
  const spec = valueAt(document, ['spec']);
  const content =
    kind === 'Composition'
      ? { composition: readCompositionSpec(spec) }
      : definitionOf(kind, readDefiningSpec(apiVersion, spec));
  return { owned: { object: { apiVersion, kind, name, line: origin.line, ...content }, origin } };
}
