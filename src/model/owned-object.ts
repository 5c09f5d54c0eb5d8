import { byCodePoint } from '../text/code-point-order.js';

/** Kinds of object that a package owns, as a lockfile calls them; a claim is the CRD an XRD adds. */
export type OwnedKind =
  | 'CRD'
  | 'XRD'
  | 'claim'
  | 'MRD'
  | 'Composition'
  | 'MRAP'
  | 'Operation'
  | 'CronOperation'
  | 'WatchOperation';

export interface OwnedObject {
  readonly kind: OwnedKind;
  readonly name: string;
}

/**
 * The objects that a package installs and is then the only owner of, with their group.
 *
 * Webhook configurations are not here: they are renamed after their package, so never clash.
 */
const OWNED: Readonly<Record<Exclude<OwnedKind, 'claim'>, { kind: string; group: string }>> = {
  CRD: { kind: 'CustomResourceDefinition', group: 'apiextensions.k8s.io' },
  XRD: { kind: 'CompositeResourceDefinition', group: 'apiextensions.crossplane.io' },
  MRD: { kind: 'ManagedResourceDefinition', group: 'apiextensions.crossplane.io' },
  Composition: { kind: 'Composition', group: 'apiextensions.crossplane.io' },
  MRAP: { kind: 'ManagedResourceActivationPolicy', group: 'apiextensions.crossplane.io' },
  Operation: { kind: 'Operation', group: 'ops.crossplane.io' },
  CronOperation: { kind: 'CronOperation', group: 'ops.crossplane.io' },
  WatchOperation: { kind: 'WatchOperation', group: 'ops.crossplane.io' },
};

const BY_KIND = new Map(
  Object.entries(OWNED).map(([as, { kind, group }]) => [kind, { as: as as OwnedKind, group }]),
);

/** What a package owns by an object of this kind; undefined: nothing, or not in that group. */
export function ownedAs(kind: string, group?: string): OwnedKind | undefined {
  const owned = BY_KIND.get(kind);
  return group === undefined || group === owned?.group ? owned?.as : undefined;
}

/** The kind and group of the object; of a claim, those of the XRD that brings it about. */
export function objectTypeOf(owned: OwnedKind): { readonly kind: string; readonly group: string } {
  return OWNED[owned === 'claim' ? 'XRD' : owned];
}

export const OWNED_KINDS: readonly OwnedKind[] = [
  'claim',
  ...(Object.keys(OWNED) as (keyof typeof OWNED)[]),
];

/** Their instances become a CRD of their own name: two of one name are two owners of one CRD. */
const MAKES_CRD: ReadonlySet<OwnedKind> = new Set(['CRD', 'XRD', 'claim', 'MRD']);

/** Whether objects of it can exist, as those of a CRD do. */
export function makesCrd({ kind }: OwnedObject): boolean {
  return MAKES_CRD.has(kind);
}

/** Equal for objects that only one package of a set may own. */
export function ownershipKey({ kind, name }: OwnedObject): string {
  return MAKES_CRD.has(kind) ? `crd:${name}` : `${kind.toLowerCase()}:${name}`;
}

/** API group: of the resource an object defines, `<plural>.<group>` by name, or else its own. */
export function groupOf({ kind, name }: OwnedObject): string {
  return MAKES_CRD.has(kind) ? name.slice(name.indexOf('.') + 1) : objectTypeOf(kind).group;
}

/** Orders what a package owns, in lockfiles and metas alike. */
export function byKindAndName(a: OwnedObject, b: OwnedObject): number {
  return byCodePoint(a.kind, b.kind) || byCodePoint(a.name, b.name);
}
