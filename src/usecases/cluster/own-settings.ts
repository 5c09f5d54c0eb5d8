import { plainSpec } from '../../bundle/api-defaults.js';
import { takesField } from '../../bundle/spec-fields.js';
import { isMapping, type JsonObject } from '../../text/json.js';
import { skipsResolution, type InstalledPackage } from './installed-cluster.js';

/** What the user wants on the objects of a cluster, told from what API servers and tools add. */
export interface OwnSettings {
  /** In `spec` of every package that has such a field. */
  readonly common: JsonObject;
  /** Of one package, beside what is common. */
  of(installed: InstalledPackage): PackageSettings;
}

interface PackageSettings {
  readonly spec: JsonObject;
  /** Labels and annotations. */
  readonly metadata: JsonObject;
  /** Whether there are any. */
  readonly isCustom: boolean;
}

export function ownSettings(packages: readonly InstalledPackage[]): OwnSettings {
  const skips = packages.every(skipsResolution);
  const specs = new Map(packages.map((each) => [each, specOf(each, skips)]));
  const common = commonFields(packages, specs);
  return {
    common,
    of: (installed) => {
      const spec = Object.fromEntries(
        Object.entries(specs.get(installed)!).filter(([field]) => !(field in common)),
      );
      const metadata = ownMarks(installed.metadata);
      const isCustom = Object.keys(spec).length + Object.keys(metadata).length > 0;
      return { spec, metadata, isCustom };
    },
  };
}

/** Skipping is for all packages or for none: what only some do is not taken over. */
function specOf({ spec }: InstalledPackage, skips: boolean): JsonObject {
  const { skipDependencyResolution, ...rest } = plainSpec(spec);
  return skips
    ? { ...rest, ...(skipDependencyResolution === true && { skipDependencyResolution }) }
    : rest;
}

/** Fields that have the same value on two packages or more, and on all that have such a field. */
function commonFields(
  packages: readonly InstalledPackage[],
  specs: ReadonlyMap<InstalledPackage, JsonObject>,
): JsonObject {
  const fields = [...new Set([...specs.values()].flatMap((spec) => Object.keys(spec)))];
  const common = fields.sort().flatMap((field) => {
    const taking = packages.filter(({ kind }) => takesField(kind, field));
    const values = taking.map((each) => specs.get(each)![field]);
    const [first] = values;
    const isCommon =
      first !== undefined && values.every((each) => JSON.stringify(each) === JSON.stringify(first));
    const counts = field === 'skipDependencyResolution' ? 1 : 2;
    return isCommon && values.length >= counts ? [[field, first] as const] : [];
  });
  return Object.fromEntries(common);
}

/** Labels and annotations by which tools find what they applied: of no use to the next one. */
const TRACKING =
  /^(?:argocd\.argoproj\.io\/(?:tracking-id|instance)$|meta\.helm\.sh\/|(?:kustomize|helm)\.toolkit\.fluxcd\.io\/|app\.kubernetes\.io\/(?:managed-by|instance)$|objectset\.rio\.cattle\.io\/|crossplane\.io\/paused$)/;

function ownMarks(metadata: JsonObject): JsonObject {
  const marks = Object.entries(metadata).flatMap(([field, value]) => {
    const own = isMapping(value)
      ? Object.entries(value).filter(([key]) => !TRACKING.test(key))
      : [];
    return own.length === 0 ? [] : [[field, Object.fromEntries(own)] as const];
  });
  return Object.fromEntries(marks);
}
