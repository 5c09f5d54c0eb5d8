import {
  withAnnotations,
  annotationsOf,
  type Bundle,
  type BundleObjects,
  withObjects,
} from './bundle.js';
import { labelOf } from './object-names.js';
import { type JsonObject, stringOf } from '../../base/json.js';
import { dependencyDepths, inApplyOrder, lockGraph } from '../lockfile/lock-graph.js';
import type { LockedPackage, Lockfile } from '../lockfile/lockfile.js';

const OPTIONS_ANNOTATION = 'argocd.argoproj.io/sync-options';

/** Kinds that own CRDs or XRDs. Deleting one deletes all custom resources. */
const CONFIRMED_KINDS: readonly unknown[] = ['Provider', 'Configuration'];
const CONFIRMED = ['Prune=confirm', 'Delete=confirm'];

/** Adds sync waves and sync options of Argo CD to all objects. Existing waves and options stay. */
export function withSyncAnnotations(
  bundle: Bundle,
  lockfile: Lockfile,
  syncOptions: readonly string[],
): Bundle {
  const waves = wavesOf(lockfile, bundle);
  const synced = withObjects(bundle, (object: JsonObject) => {
    const confirmed = CONFIRMED_KINDS.includes(object['kind']) ? CONFIRMED : [];
    const given = stringOf(annotationsOf(object)[OPTIONS_ANNOTATION]) ?? '';
    const options = mergedOptions(given, [...syncOptions, ...confirmed]);
    return withAnnotations(object, {
      // Kept verbatim.
      [WAVE_ANNOTATION]: annotationsOf(object)[WAVE_ANNOTATION] ?? String(waves.of.get(object)),
      ...(options === '' ? {} : { [OPTIONS_ANNOTATION]: options }),
    });
  });
  return { ...synced, warnings: [...bundle.warnings, ...waves.warnings] };
}

/** Appends the wanted options that `given` does not set. */
function mergedOptions(given: string, wanted: readonly string[]): string {
  const options = given.split(',').flatMap((option) => option.trim() || []);
  for (const option of wanted) {
    const [name] = option.split('=', 1);
    if (!options.some((other) => other.split('=', 1)[0] === name)) options.push(option);
  }
  return options.join(',');
}

/**
 * Health check for packages in Lua. It uses only the libraries that Argo CD loads, without `string`
 * and `math`.
 *
 * `Degraded` ends a sync, but a package is always unhealthy for a while during its installation. So
 * a false condition counts after five minutes. Timestamps of Kubernetes sort as text.
 */
export const PACKAGE_HEALTH = `local os = require("os")
local annotations = obj.metadata.annotations or {}
if annotations["crossplane.io/paused"] == "true" then
  return { status = "Suspended", message = "Reconciliation is paused" }
end
local status = obj.status or {}
if status.conditions == nil then
  return { status = "Progressing", message = "Waiting for Crossplane" }
end
if status.currentIdentifier ~= nil and status.currentIdentifier ~= obj.spec.package then
  status = { conditions = status.conditions, isBefore = true }
end
local patience = os.date("!%Y-%m-%dT%H:%M:%SZ", os.time() - 300)
local found = {}
for _, condition in ipairs(status.conditions) do
  found[condition.type] = condition
end
for _, wanted in ipairs({ "Installed", "Healthy" }) do
  local condition = found[wanted]
  if condition == nil then
    return { status = "Progressing", message = "Waiting for the condition " .. wanted }
  end
  if condition.status ~= "True" then
    local message = wanted .. ": " .. (condition.message or condition.reason or condition.status)
    if condition.reason == "InactivePackageRevision" and obj.spec.revisionActivationPolicy == "Manual" then
      return { status = "Suspended", message = message }
    end
    if condition.status == "Unknown" or (condition.lastTransitionTime or "") > patience then
      return { status = "Progressing", message = message }
    end
    return { status = "Degraded", message = message }
  end
end
if status.isBefore then
  return { status = "Progressing", message = "Waiting for Crossplane to unpack " .. obj.spec.package }
end
return { status = "Healthy", message = "Installed and healthy" }
`;

/** Health check for activation policies in Lua. */
export const POLICY_HEALTH = `for _, condition in ipairs((obj.status or {}).conditions or {}) do
  if condition.type == "Healthy" and condition.status == "False" then
    return { status = "Degraded", message = condition.message or condition.reason }
  end
  if condition.type == "Healthy" and condition.status == "True" then
    return { status = "Healthy", message = "Activated" }
  end
end
return { status = "Progressing", message = "Waiting for Crossplane" }
`;

/** Scripts by kind, in the notation of `argocd-cm`. */
export const HEALTH_CHECKS: readonly (readonly [kind: string, script: string])[] = [
  ['apiextensions.crossplane.io_ManagedResourceActivationPolicy', POLICY_HEALTH],
  ['pkg.crossplane.io_Configuration', PACKAGE_HEALTH],
  ['pkg.crossplane.io_Function', PACKAGE_HEALTH],
  ['pkg.crossplane.io_Provider', PACKAGE_HEALTH],
];

/** Returns the settings of Argo CD that the manifests rely on, to merge into `argocd-cm`. */
export function argoCdSettings(): string {
  const checks = HEALTH_CHECKS.map(([kind, script]) => {
    const indented = script.replaceAll(/^(?=.)/gm, '    ');
    return `  resource.customizations.health.${kind}: |\n${indented}`;
  });
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-cm
  namespace: argocd
data:
  application.resourceTrackingMethod: annotation
${checks.join('')}`;
}

/** Annotation with the sync wave of an object. */
export const WAVE_ANNOTATION = 'argocd.argoproj.io/sync-wave';

/** Wave of ImageConfigs, runtime configs and activation policies, which packages rely on. */
const FIRST_WAVE = -20;
/** First wave that is free for other objects, such as ProviderConfigs. */
const FREE_WAVE = 0;

/**
 * Returns the sync waves of all objects: extra manifests first, then each package after its
 * dependencies. A wave that the user set stays, and later objects move up. A warning is added if it
 * conflicts with the order.
 *
 * Waves count up from the first wave by depth, so that they change little when a project grows.
 */
export function wavesOf(lockfile: Pick<Lockfile, 'packages'>, objects: BundleObjects) {
  const depths = dependencyDepths(lockfile.packages);
  const deepest = Math.max(0, ...depths.values());
  const first = Math.min(FIRST_WAVE, FREE_WAVE - 2 - deepest);
  const waves = new Map<JsonObject, number>();
  const warnings: string[] = [];
  for (const object of objects.kept) waves.set(object, givenWave(object, warnings) ?? first);
  const graph = lockGraph(lockfile);
  const isBelow = ({ repository }: LockedPackage, other: LockedPackage) =>
    depths.get(other.repository)! < depths.get(repository)!;
  for (const locked of inApplyOrder(lockfile.packages)) {
    const object = objects.packages.get(locked.repository)!;
    const needed = graph
      .requirementsOf(locked.repository)
      .filter(({ to }) => isBelow(locked, to))
      .map(({ to }) => objects.packages.get(to.repository)!);
    const before = [...objects.kept, ...needed];
    const given = givenWave(object, warnings);
    const last = Math.max(...before.map((each) => waves.get(each)!), -Infinity);
    const own = Math.max(first + 1 + depths.get(locked.repository)!, last + 1);
    waves.set(object, given ?? own);
    if (given === undefined || given > last) continue;
    const lastBefore = before.find((each) => waves.get(each) === last)!;
    warnings.push(
      `${labelOf(object)} has wave ${given}, and ${labelOf(lastBefore)}, which must be there first, has wave ` +
        `${last}: Argo CD does not wait for it`,
    );
  }
  return { of: waves, warnings };
}

function givenWave(object: JsonObject, warnings: string[]): number | undefined {
  const text = annotationsOf(object)[WAVE_ANNOTATION];
  if (text === undefined) return undefined;
  const given = stringOf(text) ?? '';
  if (/^[+-]?\d{1,9}$/.test(given)) return Number(given);
  warnings.push(
    `${labelOf(object)}: \`${WAVE_ANNOTATION}: ${given}\` is no integer; Argo CD takes it for 0`,
  );
  return 0;
}
