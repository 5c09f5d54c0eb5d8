import type { Lockfile } from '../../lock/lockfile.js';
import { stringOf, type JsonObject } from '../../text/json.js';
import { withObjects, type Bundle } from '../bundle.js';
import { annotated, annotationsOf } from '../annotations.js';
import { WAVE_ANNOTATION, wavesOf } from './waves.js';

const OPTIONS_ANNOTATION = 'argocd.argoproj.io/sync-options';

/** On kinds that own CRDs or XRDs: when one goes, all objects of its kinds go with it. */
const CONFIRMED_KINDS: readonly unknown[] = ['Provider', 'Configuration'];
const CONFIRMED = ['Prune=confirm', 'Delete=confirm'];

/**
 * The bundle with the waves and sync options of Argo CD. What the user gave of either stays;
 * `syncOptions` are wanted on every object.
 */
export function forArgoCd(
  bundle: Bundle,
  lockfile: Lockfile,
  syncOptions: readonly string[],
): Bundle {
  const waves = wavesOf(lockfile, bundle);
  const synced = withObjects(bundle, (object: JsonObject) => {
    const confirmed = CONFIRMED_KINDS.includes(object['kind']) ? CONFIRMED : [];
    const given = stringOf(annotationsOf(object)[OPTIONS_ANNOTATION]) ?? '';
    const options = mergedOptions(given, [...syncOptions, ...confirmed]);
    return annotated(object, {
      // A wave that the user gave stays as it is written.
      [WAVE_ANNOTATION]: annotationsOf(object)[WAVE_ANNOTATION] ?? String(waves.of.get(object)),
      ...(options === '' ? {} : { [OPTIONS_ANNOTATION]: options }),
    });
  });
  return { ...synced, warnings: [...bundle.warnings, ...waves.warnings] };
}

/** What is given, then what is wanted and has no say there yet. */
function mergedOptions(given: string, wanted: readonly string[]): string {
  const options = given.split(',').flatMap((option) => option.trim() || []);
  for (const option of wanted) {
    if (!options.some((other) => nameOf(other) === nameOf(option))) options.push(option);
  }
  return options.join(',');
}

function nameOf(option: string): string {
  return option.split('=', 1)[0]!;
}

/**
 * Tells Argo CD how a package is, in Lua, with the libraries that Argo CD opens: neither `string` nor
 * `math` is among them.
 *
 * Degraded ends a sync, and a package is unhealthy for a while whenever it is installed: its
 * Deployment has to start, what it depends on has to be there. So a condition that is not met counts
 * after five minutes. Timestamps of Kubernetes are ordered as text is.
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

/** Tells Argo CD how an activation policy is. */
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

/** Scripts by the kind that they are for, as `argocd-cm` names it. */
export const HEALTH_CHECKS: readonly (readonly [kind: string, script: string])[] = [
  ['apiextensions.crossplane.io_ManagedResourceActivationPolicy', POLICY_HEALTH],
  ['pkg.crossplane.io_Configuration', PACKAGE_HEALTH],
  ['pkg.crossplane.io_Function', PACKAGE_HEALTH],
  ['pkg.crossplane.io_Provider', PACKAGE_HEALTH],
];

/** The part of Argo CD's own settings that a bundle relies on, as YAML to merge into `argocd-cm`. */
export function argoCdSettings(): string {
  const checks = HEALTH_CHECKS.map(
    ([kind, script]) => `  resource.customizations.health.${kind}: |\n${indented(script)}`,
  );
  return `apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-cm
  namespace: argocd
data:
  application.resourceTrackingMethod: annotation
${checks.join('')}`;
}

function indented(script: string): string {
  return script.replaceAll(/^(?=.)/gm, '    ');
}
