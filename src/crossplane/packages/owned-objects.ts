import { type CrdRef, definesCrd } from './crd-ref.js';
import type { PackageContents, PackageObject } from './package-contents.js';
import { isPackageKind, type PackageKind } from './package.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import type { ReleaseRules, TargetRules } from '../releases/release-facts.js';

/** Objects with one owner. Webhook configurations are renamed, so they never conflict. */
const OWNED = {
  CRD: { kind: 'CustomResourceDefinition', group: 'apiextensions.k8s.io' },
  XRD: { kind: 'CompositeResourceDefinition', group: 'apiextensions.crossplane.io' },
  MRD: { kind: 'ManagedResourceDefinition', group: 'apiextensions.crossplane.io' },
  Composition: { kind: 'Composition', group: 'apiextensions.crossplane.io' },
  MRAP: { kind: 'ManagedResourceActivationPolicy', group: 'apiextensions.crossplane.io' },
  Operation: { kind: 'Operation', group: 'ops.crossplane.io' },
  CronOperation: { kind: 'CronOperation', group: 'ops.crossplane.io' },
  WatchOperation: { kind: 'WatchOperation', group: 'ops.crossplane.io' },
};

/** Owned objects as a lockfile names them. A claim is the CRD that an XRD adds. */
export type OwnedKind = keyof typeof OWNED | 'claim';

export interface OwnedObject {
  readonly kind: OwnedKind;
  readonly name: string;
}

const BY_KIND = new Map(
  Object.entries(OWNED).map(([as, { kind, group }]) => [kind, { as: as as OwnedKind, group }]),
);

/** Returns the owned kind for a kind of object, or undefined if it is not owned. */
export function ownedKindOf(kind: string, group?: string): OwnedKind | undefined {
  const owned = BY_KIND.get(kind);
  return group === undefined || group === owned?.group ? owned?.as : undefined;
}

/** Returns the kind and group of the object; for a claim, those of its XRD. */
export function objectTypeOf(owned: OwnedKind): { readonly kind: string; readonly group: string } {
  return OWNED[owned === 'claim' ? 'XRD' : owned];
}

export const OWNED_KINDS = ['claim', ...Object.keys(OWNED)] as readonly OwnedKind[];

/** Kinds whose objects become a CRD of the same name, which can have only one owner. */
const CREATES_CRD: ReadonlySet<OwnedKind> = new Set(['CRD', 'XRD', 'claim', 'MRD']);

/** Whether the object creates a CRD. */
export function isCrdOwner({ kind }: OwnedObject): boolean {
  return CREATES_CRD.has(kind);
}

/** Returns equal keys for objects that only one package can own. */
export function ownershipKey({ kind, name }: OwnedObject): string {
  return CREATES_CRD.has(kind) ? `crd:${name}` : `${kind.toLowerCase()}:${name}`;
}

/** Returns the API group of the resource that an object defines, or else its own. */
export function groupOf({ kind, name }: OwnedObject): string {
  return CREATES_CRD.has(kind) ? name.slice(name.indexOf('.') + 1) : objectTypeOf(kind).group;
}

export function byKindAndName(a: OwnedObject, b: OwnedObject): number {
  return byCodePoint(a.kind, b.kind) || byCodePoint(a.name, b.name);
}

/**
 * Returns the objects that a package installs and controls: sorted by kind, then name, each once.
 *
 * An XRD with a claim counts twice: for the composite's CRD and for the claim's.
 */
export function ownedObjects(
  objects: readonly PackageObject[],
  kind: PackageKind,
  target: ReleaseRules,
): readonly OwnedObject[] {
  const ownedByRules = getOrCreate(ownedCache, objects, () => new Map());
  return getOrCreate(ownedByRules, cacheKey(kind, target.rules), () =>
    findOwned(objects, kind, target),
  );
}

/** Returns equal keys for kinds and rules that give the same owned objects for any list. */
function cacheKey(kind: PackageKind, rules: TargetRules): string {
  const keys = getOrCreate(keysOfRules, rules, () => new Map());
  const { functionObjectsInstalled, filtersObjects, allowedObjects } = rules;
  return getOrCreate(keys, kind, () =>
    JSON.stringify([kind, functionObjectsInstalled, filtersObjects, allowedObjects[kind]]),
  );
}

const keysOfRules = new WeakMap<TargetRules, Map<PackageKind, string>>();
/** Owned objects of a list, by the key of the package kind and the rules. */
const ownedCache = new WeakMap<readonly PackageObject[], Map<string, readonly OwnedObject[]>>();

function findOwned(
  objects: readonly PackageObject[],
  kind: PackageKind,
  target: ReleaseRules,
): readonly OwnedObject[] {
  const owned: OwnedObject[] = [];
  for (const object of objects) {
    const as = ownedKindOf(object.kind);
    // An object without a name is never installed, so two of them are no conflict.
    if (as === undefined || object.name === '' || !installsKind(object, kind, target)) continue;
    owned.push({ kind: as, name: object.name });
    if (as === 'XRD' && object.claimCrd !== undefined) {
      owned.push({ kind: 'claim', name: object.claimCrd });
    }
  }
  owned.sort(byKindAndName);
  return owned.filter((object, i) => i === 0 || byKindAndName(owned[i - 1]!, object) !== 0);
}

/** Whether a package of this kind installs objects of a kind on the target. */
export function installsKind(
  object: Pick<PackageObject, 'kind'>,
  kind: PackageKind,
  { rules }: ReleaseRules,
): boolean {
  if (kind === 'Function' && !rules.functionObjectsInstalled) return false;
  return !rules.filtersObjects || (rules.allowedObjects[kind]?.includes(object.kind) ?? true);
}

/** Whether installing the package on the target creates the referenced CRD. */
export function createsCrd(
  contents: PackageContents,
  crdRef: CrdRef,
  target: ReleaseRules,
): boolean {
  const kind = contents.metas[0]?.kind;
  return (
    kind !== undefined &&
    isPackageKind(kind) &&
    contents.objects.some((o) => installsKind(o, kind, target) && definesCrd(o, crdRef))
  );
}
