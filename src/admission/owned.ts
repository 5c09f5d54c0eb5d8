import { meetsDemand, type CrdDemand } from '../model/crd-demand.js';
import { isPackageKind, type PackageKind } from '../model/package.js';
import type { PackageContents, PackageObject } from '../model/package-contents.js';
import { byKindAndName, ownedAs, type OwnedObject } from '../model/owned-object.js';
import type { Target, TargetRules } from '../model/target/target.js';

/**
 * What a package of this kind would install and control: sorted by kind, then name, each once.
 *
 * An XRD counts twice where it offers a claim: for the composite's CRD and for the claim's.
 */
export function ownedObjects(
  objects: readonly PackageObject[],
  kind: PackageKind,
  target: Target,
): readonly OwnedObject[] {
  const lists = made.get(objects) ?? new Map<string, readonly OwnedObject[]>();
  made.set(objects, lists);
  const key = keyOf(kind, target.rules);
  const known = lists.get(key) ?? ownedUnder(objects, kind, target);
  lists.set(key, known);
  return known;
}

/** Equal for kinds and rules that own the same of any list. */
function keyOf(kind: PackageKind, rules: TargetRules): string {
  const keys = keysOfRules.get(rules) ?? new Map<PackageKind, string>();
  keysOfRules.set(rules, keys);
  const { functionObjectsInstalled, filtersObjects, allowedObjects } = rules;
  const read = [kind, functionObjectsInstalled, filtersObjects, allowedObjects[kind]];
  const key = keys.get(kind) ?? JSON.stringify(read);
  keys.set(kind, key);
  return key;
}

const keysOfRules = new WeakMap<TargetRules, Map<PackageKind, string>>();

/** What was found of a list of objects, by the kind of the package and the rules that matter. */
const made = new WeakMap<readonly PackageObject[], Map<string, readonly OwnedObject[]>>();

function ownedUnder(
  objects: readonly PackageObject[],
  kind: PackageKind,
  target: Target,
): readonly OwnedObject[] {
  const owned = new Map<string, OwnedObject>();
  for (const object of objects) {
    const as = ownedAs(object.kind);
    // Nothing without a name is ever installed; two of them are no conflict.
    if (as === undefined || object.name === '' || !isInstalled(object, kind, target)) continue;
    add(owned, { kind: as, name: object.name });
    if (as === 'XRD' && object.claimCrd !== undefined) {
      add(owned, { kind: 'claim', name: object.claimCrd });
    }
  }
  return [...owned.values()].sort(byKindAndName);
}

function add(owned: Map<string, OwnedObject>, object: OwnedObject): void {
  owned.set(`${object.kind} ${object.name}`, object);
}

function isInstalled(object: PackageObject, kind: PackageKind, { rules }: Target): boolean {
  if (kind === 'Function' && !rules.functionObjectsInstalled) return false;
  return !rules.filtersObjects || (rules.allowedObjects[kind]?.includes(object.kind) ?? true);
}

/** Whether installing the package on the target brings about the CRD that is demanded. */
export function bringsCrd(contents: PackageContents, demand: CrdDemand, target: Target): boolean {
  const kind = contents.metas[0]?.kind;
  return (
    kind !== undefined &&
    isPackageKind(kind) &&
    contents.objects.some((o) => isInstalled(o, kind, target) && meetsDemand(o, demand))
  );
}
