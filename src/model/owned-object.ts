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

/** Their instances become a CRD of their own name: two of one name are two owners of one CRD. */
const MAKES_CRD: ReadonlySet<OwnedKind> = new Set(['CRD', 'XRD', 'claim', 'MRD']);

/** Equal for objects that only one package of a set may own. */
export function ownershipKey({ kind, name }: OwnedObject): string {
  return MAKES_CRD.has(kind) ? `crd:${name}` : `${kind.toLowerCase()}:${name}`;
}
