import type { LockfilePlan, PlannedStep } from './plan.js';
import { isRenamed, type PackageMove, stepObjects } from './steps.js';
import { isDnsSubdomain } from '../../base/dns-name.js';
import { shellCommand } from '../../base/escape.js';
import { type JsonObject, stringOf } from '../../base/json.js';
import { writeYaml, writeYamlStream } from '../../base/yaml/write-yaml.js';
import { isCrdOwner } from '../../crossplane/packages/owned-objects.js';
import { isUpboundBuild, renamesRevisions, type Target } from '../../crossplane/releases/target.js';
import { isActivatedManually, type LockedPackage } from '../../project/lockfile/lockfile.js';
import { adaptToTarget, servesKind } from '../../project/manifests/extra-manifests.js';
import { pinImages, pinNames } from '../../project/manifests/image-pins.js';
import { kustomization, PACKAGES_FILE } from '../../project/manifests/bundle.js';
import { labelOf, nameOf } from '../../project/manifests/object-names.js';
import {
  packageObject,
  type Pin,
  renderedReference,
} from '../../project/manifests/package-object.js';
import { KUSTOMIZATION_FILE, RENDERED_MARK } from '../../project/manifests/render.js';

const OBJECTS_FILE = 'objects.yaml';
const COMMANDS_FILE = 'commands.sh';
/** All files that the folder of a step can contain. */
export const STEP_FILES: readonly string[] = [
  OBJECTS_FILE,
  PACKAGES_FILE,
  KUSTOMIZATION_FILE,
  COMMANDS_FILE,
];
/** Page beside the folders of the steps, which describes the plan. */
export const PLAN_PAGE = 'README.md';

function stepFolder(step: number): string {
  return String(step + 1).padStart(2, '0');
}

interface PlanTexts {
  readonly commands: readonly (readonly string[])[];
  readonly page: string;
  readonly pin: Pin;
}

/** Returns the files of a plan by path: a folder for each step, and a page. */
export function renderPlan(
  plan: LockfilePlan,
  { commands, page, pin }: PlanTexts,
): ReadonlyMap<string, string> {
  const files = new Map([[PLAN_PAGE, page]]);
  for (const [step, { warnings }] of plan.steps.entries()) {
    const { extraManifests, packages } = stepBundle(plan, step, pin);
    const write = (name: string, text: string) => files.set(`${stepFolder(step)}/${name}`, text);
    const names: string[] = [];
    for (const [name, objects] of Object.entries({
      [OBJECTS_FILE]: extraManifests,
      [PACKAGES_FILE]: packages,
    })) {
      if (objects.length === 0) continue;
      names.push(name);
      write(name, writeYamlStream(objects));
    }
    if (names.length > 0) write(KUSTOMIZATION_FILE, writeYaml(kustomization(names)));
    const comments = warnings.map((text) => `# Warning: ${text.replaceAll('\n', ' ')}`);
    write(COMMANDS_FILE, [...comments, 'set -eu', ...commands[step]!, ''].join('\n'));
  }
  return new Map(Array.from(files, ([name, text]) => [name, RENDERED_MARK + text]));
}

/**
 * Returns the objects that a step applies: ImageConfigs and runtime configs of the user, and changed
 * packages, dependencies first. The user's own objects are applied with the first step, and again
 * after each Crossplane upgrade, because the new release may support more of them.
 */
export function stepBundle(plan: LockfilePlan, step: number, pin: Pin) {
  const { release, releaseBefore, applied } = plan.steps[step]!;
  const appliesObjects = step === 0 || releaseBefore !== undefined;
  const own = appliesObjects
    ? plan.kept.applied.flatMap((each) => convertedFor(release, each))
    : [];
  return {
    extraManifests: pin === 'locked' ? withPins(own, plan, step) : own,
    packages: applied.map(({ to }) => {
      const skipDependencyResolution = to!.skips || pin === 'digest';
      return packageObject(to!.locked, release, { pin, skipDependencyResolution }).object;
    }),
  };
}

/** Adds pins: each with its package, or in the first step if the package does not change. */
function withPins(own: readonly JsonObject[], plan: LockfilePlan, step: number): JsonObject[] {
  const { release, applied } = plan.steps[step]!;
  const { packages, objects } = plan.wanted;
  const inputObjects = objects.flatMap((each) => convertedFor(release, each));
  const changedRepositories = new Set(
    plan.steps.flatMap((each) => each.applied.map(({ to }) => to!.locked.repository)),
  );
  const unchangedPackages = packages.filter(
    ({ repository }) => step === 0 && !changedRepositories.has(repository),
  );
  const pinned = [...unchangedPackages, ...applied.map(({ to }) => to!.locked)];
  const labels = new Set(own.map(labelOf));
  const { kept } = pinImages(packages, inputObjects, release);
  return [
    ...kept.filter((each) => labels.has(labelOf(each))),
    ...pinImages(pinned, inputObjects, release).pins,
  ];
}

/** Converts an object for a release. Empty if the release does not have its kind yet. */
function convertedFor(release: Target, object: JsonObject): readonly JsonObject[] {
  const converted = servesKind(release, object) && adaptToTarget(object, release).object;
  return converted ? [converted] : [];
}

/** Maximum length of a command that is shown to people. Longer ones are only in scripts. */
const MAX_LINE = 1_000;
/** Timeout for a package to be reconciled and to become healthy. The default of kubectl is 30 s. */
const TIMEOUT = '--timeout=15m';

export interface StepCommand {
  /** Version for scripts, which checks more. */
  readonly script: string;
  /** Version for people; undefined: not needed. */
  readonly manualCommand: string | undefined;
}

/** Returns the commands of each step, in order. `folder`: the folder of the plan in commands. */
export function planCommands(
  plan: LockfilePlan,
  { folder, pin }: { readonly folder: string; readonly pin: Pin },
): StepCommand[][] {
  const { steps, kept } = plan;
  return steps.map((step, n) => {
    const { extraManifests, packages } = stepBundle(plan, n, pin);
    const renamed = step.applied.filter(isRenamed).map(({ from }) => from!.locked);
    const path = `${folder}/${stepFolder(n)}`;
    return [
      ...deletionChecks(step),
      ...migrations(step),
      ...releaseCommands(step),
      ...[...renamed, ...previousOwners(step)].flatMap(deactivation),
      ...(pin === 'locked' ? step.applied.flatMap(exceptionDeletion) : []),
      ...(extraManifests.length + packages.length > 0 ? [kubectl('apply', '-k', path)] : []),
      ...waitCommands(step, path, pin),
      ...[...renamed, ...step.removed.map(({ from }) => from!.locked)].flatMap((locked) => [
        kubectl('delete', resource(locked)),
        ...(pin === 'locked' ? [unpinCommand(pinNames(locked))] : []),
      ]),
      ...(n === steps.length - 1 ? kept.removed.map(deletedObject) : []),
    ];
  });
}

export function manualCommands(commands: readonly StepCommand[]): string[] {
  return commands
    .flatMap(({ manualCommand }) => manualCommand ?? [])
    .filter((line) => line.length <= MAX_LINE);
}

export function scriptCommands(commands: readonly StepCommand[]): string[] {
  return commands.map(({ script }) => script);
}

function forScriptAndPeople(script: string): StepCommand {
  return { script, manualCommand: script };
}

function kubectlText(...words: readonly string[]): string {
  return shellCommand(['kubectl', ...words]);
}

function kubectl(...words: readonly string[]): StepCommand {
  return forScriptAndPeople(kubectlText(...words));
}

/** Upgrades Crossplane, and waits until all packages are healthy again. */
function releaseCommands({ release, releaseBefore, before, after }: PlannedStep): StepCommand[] {
  if (releaseBefore === undefined) return [];
  const version = release.version.replace(/^v/, '');
  const chart = isUpboundBuild(release)
    ? 'upbound-stable/universal-crossplane'
    : 'crossplane-stable/crossplane';
  const namespace = ['-n', namespaceOf(release)];
  const packages = after.map(({ locked }) => resource(locked));
  const installed = new Set(before.map(({ locked }) => resource(locked)));
  const renamed = renamesRevisions(releaseBefore, release)
    ? after.map(({ locked }) => locked).filter((locked) => installed.has(resource(locked)))
    : [];
  const manual = renamed.filter(isActivatedManually);
  return [
    ...(renamed.length > 0 ? [recordRevisions(renamed)] : []),
    forScriptAndPeople(
      shellCommand(['helm', 'upgrade', 'crossplane', chart, ...namespace, '--version', version]),
    ),
    kubectl('rollout', 'status', 'deployment/crossplane', ...namespace, TIMEOUT),
    ...(renamed.length > 0 ? [waitForOtherRevisions(renamed)] : []),
    ...manual.map(activation),
    ...manual.flatMap((locked) => activeWaits(locked, release)),
    ...(packages.length === 0 ? [] : [kubectl('wait', HEALTHY, TIMEOUT, ...packages)]),
  ];
}

const CURRENT_REVISION = shellCommand(['-o', 'jsonpath={.status.currentRevision}{" "}']);

/** Remembers the current revisions, before an upgrade that gives every package another one. */
function recordRevisions(packages: readonly LockedPackage[]): StepCommand {
  const list = packages.map(resource).join(' ');
  return forScriptAndPeople(
    `before=" $(for package in ${list}; do kubectl get "$package" ${CURRENT_REVISION}; done)"`,
  );
}

/** Waits until every package has another revision than before: old conditions stay true until then. */
function waitForOtherRevisions(packages: readonly LockedPackage[]): StepCommand {
  const current = `current=$(kubectl get "$package" ${CURRENT_REVISION})`;
  const isOther = `${current} && case "$before" in *" $current"*) false;; esac`;
  return forScriptAndPeople(
    `(for package in ${packages.map(resource).join(' ')}; do tries=0; until ${isOther}; do ${RETRY}; done; done)`,
  );
}

/** Waits 15 seconds, and fails after 15 minutes. */
const RETRY = 'tries=$((tries+1)); test "$tries" -lt 60 || exit 1; sleep 15';

function namespaceOf(release: Target): string {
  return isUpboundBuild(release) ? 'upbound-system' : 'crossplane-system';
}

/** Returns removed packages whose objects other packages take over. */
function previousOwners(step: PlannedStep): readonly LockedPackage[] {
  const owners = new Set(stepObjects(step).handOvers.map(({ from }) => from));
  return step.removed.map(({ from }) => from!.locked).filter((locked) => owners.has(locked));
}

/** Deactivates the revisions of a package. They release their objects, which stay. */
function deactivation(locked: LockedPackage): StepCommand[] {
  const manual = mergePatch({ spec: { revisionActivationPolicy: 'Manual' } });
  const inactive = mergePatch({ spec: { desiredState: 'Inactive' } });
  const revisions = `${locked.kind.toLowerCase()}revisions.pkg.crossplane.io`;
  const label = `pkg.crossplane.io/package=${locked.name}`;
  const names = kubectlText('get', revisions, '-l', label, '-o', 'name');
  const patch = shellCommand(['xargs', '-I{}', 'kubectl', 'patch', '{}', ...inactive]);
  return [kubectl('patch', resource(locked), ...manual), forScriptAndPeople(`${names} | ${patch}`)];
}

function mergePatch(value: JsonObject): string[] {
  return ['--type', 'merge', '-p', JSON.stringify(value)];
}

const HEALTHY = '--for=condition=Healthy';

/**
 * Waits for the applied packages. A script first waits until the cluster has seen them, because
 * until then it reports the status of the previous version.
 */
function waitCommands({ applied, release }: PlannedStep, path: string, pin: Pin): StepCommand[] {
  if (applied.length === 0) return [];
  const seen = applied.flatMap(({ to }): StepCommand[] => {
    const reference = renderedReference(to!.locked, pin);
    const condition = `--for=jsonpath={.status.currentIdentifier}=${reference}`;
    const script = kubectlText('wait', condition, TIMEOUT, resource(to!.locked));
    if (!isActivatedManually(to!.locked)) return [{ script, manualCommand: undefined }];
    const isNamedByGeneration = release.packageManager.revisionNames === 'digest-and-generation';
    return [
      forScriptAndPeople(script),
      ...(isNamedByGeneration ? [generationWait(to!.locked)] : []),
    ];
  });
  const manual = applied.map(({ to }) => to!.locked).filter(isActivatedManually);
  return [
    ...seen,
    ...manual.map(activation),
    ...manual.flatMap((locked) => activeWaits(locked, release)),
    kubectl('wait', HEALTHY, TIMEOUT, '-f', `${path}/${PACKAGES_FILE}`),
  ];
}

/**
 * Waits until a revision belongs to the generation of a package that was applied, where each one has
 * a revision of its own, even if the version stays. While the package is read, the current revision
 * is still the one before.
 */
function generationWait(locked: LockedPackage): StepCommand {
  const get = kubectlText('get', resource(locked), '-o', GENERATIONS);
  const isCurrent = `state=$(${get}) && case "\${state#* }" in "\${state%% *} "*ctivePackageRevision) ;; *) false;; esac`;
  return forScriptAndPeople(`(tries=0; until ${isCurrent}; do ${RETRY}; done)`);
}

/** Prints the generation, and the generation and reason of the condition `Installed`. */
const GENERATIONS =
  'jsonpath={.metadata.generation}{range .status.conditions[?(@.type=="Installed")]} {.observedGeneration} {.reason}{end}';

/** Activates the revision of the applied version, which Crossplane leaves inactive with `Manual`. */
function activation(locked: LockedPackage): StepCommand {
  const active = mergePatch({ spec: { desiredState: 'Active' } });
  return forScriptAndPeople(`kubectl patch ${currentRevision(locked)} ${shellCommand(active)}`);
}

/**
 * Waits until the package reports its current revision as active, and then until that revision is
 * healthy. Inactive revisions are reported as healthy, too. From v2.0 on, conditions name the
 * generation that they describe, so kubectl ignores conditions from before the activation. Before
 * v2.0, only the pods of the revision prove that it runs.
 */
function activeWaits(locked: LockedPackage, release: Target): StepCommand[] {
  const { revisionHealth } = release.rules;
  const hasRuntime = locked.kind !== 'Configuration';
  const isV1 = revisionHealth === 'Healthy';
  const conditions = [revisionHealth, ...(hasRuntime && !isV1 ? ['RuntimeHealthy'] : [])];
  return [
    kubectl('wait', '--for=condition=Installed', TIMEOUT, resource(locked)),
    ...(hasRuntime && isV1 ? [podWait(locked, release)] : []),
    ...conditions.map((condition) => {
      const wait = kubectlText('wait', `--for=condition=${condition}`, TIMEOUT);
      return forScriptAndPeople(`${wait} ${currentRevision(locked)}`);
    }),
  ];
}

/** Waits for the pods of the current revision. `kubectl wait` fails at once while there are none. */
function podWait(locked: LockedPackage, release: Target): StepCommand {
  const namespace = ['-n', namespaceOf(release)];
  const wait = (timeout: string) =>
    `${kubectlText('wait', '--for=condition=Ready', timeout, 'pods', ...namespace)} -l "pkg.crossplane.io/revision=${currentRevisionName(locked)}"`;
  return {
    script: `(tries=0; until ${wait('--timeout=15s')}; do ${RETRY}; done)`,
    manualCommand: wait(TIMEOUT),
  };
}

/** Returns the current revision as a shell argument. */
function currentRevision(locked: LockedPackage): string {
  return `"${locked.kind.toLowerCase()}revision.pkg.crossplane.io/${currentRevisionName(locked)}"`;
}

/** Returns the name of the current revision as part of a quoted shell argument. */
function currentRevisionName(locked: LockedPackage): string {
  return `$(${kubectlText('get', resource(locked), '-o', 'jsonpath={.status.currentRevision}')})`;
}

/**
 * Stops a script if objects exist that the step would delete. CRDs that do not exist, such as those
 * of types that are not activated, are skipped, because `kubectl get` would fail for all. Names
 * that are not DNS subdomains are left out: no CRD has them, and kubectl would read `--server=…` as
 * a flag.
 */
function deletionChecks(step: PlannedStep): StepCommand[] {
  const crds = stepObjects(step)
    .deleted.flatMap(({ objects }) => objects)
    .filter(isCrdOwner)
    .map(({ name }) => name)
    .filter(isDnsSubdomain);
  if (crds.length === 0) return [];
  const objects = 'kubectl get "${crd##*/}" --all-namespaces -o name';
  return [
    {
      script: `(crds=$(${existingCrds(crds)}) || exit 1; for crd in $crds; do objects=$(${objects}) || exit 1; test -z "$objects" || { echo "objects exist: $objects" >&2; exit 1; }; done)`,
      manualCommand: kubectlText('get', crds.join(','), '--all-namespaces'),
    },
  ];
}

/** Prints lines of `NAME NAMESPACE`. The namespace is empty for cluster-scoped objects. */
const OBJECT_NAMES =
  'go-template={{range .items}}{{.metadata.name}} {{with .metadata.namespace}}{{.}}{{end}}{{"\\n"}}{{end}}';

/**
 * Rewrites the objects of CRDs in the storage version, and then removes all other versions from the
 * list of stored versions. An empty patch makes the API server write an object again if it is
 * stored in another version. CRDs that do not exist are skipped.
 */
function migrations({ migratedCrds: crds }: PlannedStep): StepCommand[] {
  if (crds.length === 0) return [];
  const storage = shellCommand(['-o', 'jsonpath={.spec.versions[?(@.storage==true)].name}']);
  const objects = `kubectl get "\${crd##*/}" --all-namespaces ${shellCommand(['-o', OBJECT_NAMES])}`;
  const rewrite = `kubectl patch "\${crd##*/}" "$name" \${namespace:+-n "$namespace"} ${shellCommand(mergePatch({}))}`;
  const list = `kubectl patch "$crd" --subresource=status --type merge -p "{\\"status\\":{\\"storedVersions\\":[\\"$stored\\"]}}"`;
  const script = [
    `(crds=$(${existingCrds(crds)}) || exit 1; for crd in $crds; do`,
    `stored=$(kubectl get "$crd" ${storage}) || exit 1;`,
    `objects=$(${objects}) || exit 1;`,
    `echo "$objects" | while read -r name namespace; do test -z "$name" || ${rewrite} || exit 1; done || exit 1;`,
    `${list} || exit 1; done)`,
  ].join(' ');
  return [forScriptAndPeople(script)];
}

function existingCrds(names: readonly string[]): string {
  return kubectlText('get', 'crd', ...names, '--ignore-not-found', '-o', 'name');
}

/** Deletes exceptions of the previous pin, which might match the new pin. */
function exceptionDeletion({ from, to }: PackageMove): readonly StepCommand[] {
  if (from === undefined || to === undefined) return [];
  const newNames = new Set(pinNames(to.locked));
  const [, ...exceptions] = pinNames(from.locked);
  const removed = exceptions.filter((name) => !newNames.has(name));
  return removed.length === 0 ? [] : [unpinCommand(removed)];
}

function unpinCommand(names: readonly string[]): StepCommand {
  const configs = names.map((name) => `imageconfig.pkg.crossplane.io/${name}`);
  return kubectl('delete', ...configs, '--ignore-not-found');
}

function deletedObject(object: JsonObject): StepCommand {
  const kind = stringOf(object['kind'])!.toLowerCase();
  const [group] = stringOf(object['apiVersion'])!.split('/');
  return kubectl('delete', `${kind}.${group}/${nameOf(object)}`);
}

function resource({ kind, name }: LockedPackage): string {
  return `${kind.toLowerCase()}.pkg.crossplane.io/${name}`;
}
