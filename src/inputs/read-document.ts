import type { Contribution } from './contribution.js';
import type { InputDocument } from './document.js';
import type { Path } from '../text/yaml/path.js';
import { didYouMean } from '../text/did-you-mean.js';
import { errorAt, listAt, objectAt, requiredTextAt, valueAt } from './field.js';
import { isAppYaml, readAppYaml } from './documents/app-yaml.js';
import { notesOnMetadata, refuseUnknownMetadata } from './documents/object-metadata.js';
import { readLocalPackage } from './documents/local-package.js';
import { readOwnedObject } from './documents/owned-object.js';
import { isRenderedPin } from '../model/cluster/image-config.js';
import { isPackageKind } from '../model/package.js';
import { readPackageInstall } from './documents/package-install.js';
import { readPackageObject } from './documents/package-object.js';
import { readPackageSet } from './documents/package-set.js';
import { readProject } from './documents/project.js';
import { isList, isMapping } from '../text/json.js';

interface DocumentOptions {
  /** Also read what old design documents describe and Crossplane rejects. */
  readonly compat: boolean;
}

/** What a document asks for: nothing, one thing, or, for a List, many. */
export async function readDocument(
  document: InputDocument,
  options: DocumentOptions,
): Promise<readonly Contribution[]> {
  const type = typeOf(document);
  if (type === undefined) return [readUntyped(document, options)];
  if (type.apiVersion === 'v1' && type.kind === 'List') {
    const items = listAt(document, ['items']).map((_, i) => inside(document, ['items', i]));
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

/** YAML 1.2 has no `<<`; taken as a field, it would silently lose what it was to bring in. */
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
      if (kind === 'ImageConfig' || kind === 'DeploymentRuntimeConfig') return keep(document);
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
      // One that is part of no package given is an object to apply with them.
      return isActivationPolicy(group, kind) ? { ...keep(document), ...owned } : owned;
    }
  }
  return ignored(document, `${apiVersion} ${kind}`);
}

function isActivationPolicy(group: string, kind: string): boolean {
  return group === 'apiextensions.crossplane.io' && kind === 'ManagedResourceActivationPolicy';
}

function keep(document: InputDocument): Contribution {
  requiredTextAt(document, ['metadata', 'name']);
  refuseUnknownMetadata(document);
  return {
    kept: [{ object: objectAt(document, []), origin: document.originOf([]) }],
    notes: notesOnMetadata(document),
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

/** A part of a document, read as a document of its own. */
function inside(document: InputDocument, path: Path): InputDocument {
  return {
    number: document.number,
    value: valueAt(document, path) ?? null,
    originOf: (below) => document.originOf([...path, ...below]),
    spellingOf: (below) => document.spellingOf([...path, ...below]),
  };
}
