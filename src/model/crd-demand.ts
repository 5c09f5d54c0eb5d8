import type { PackageObject } from './package-contents.js';
import type { CrdDemand } from './package-source.js';

const DEFINING = new Set([
  'CustomResourceDefinition',
  'CompositeResourceDefinition',
  'ManagedResourceDefinition',
]);

/** Whether the object brings about what is demanded: its CRD, or the CRD of its claim. */
export function meetsDemand(object: PackageObject, demand: CrdDemand): boolean {
  if (!DEFINING.has(object.kind)) return false;
  if ('crd' in demand) return object.name === demand.crd || object.claimCrd === demand.crd;
  const { defines } = object;
  return (
    defines !== undefined &&
    defines.kind === demand.kind &&
    (demand.group === '*' || defines.group === demand.group) &&
    (demand.version === undefined || defines.versions.includes(demand.version))
  );
}
