import { pinNames } from '../../../bundle/image-pins.js';
import { nameOf } from '../../../bundle/object-label.js';
import { installedVersion, type Pin } from '../../../bundle/package-object.js';
import type { LockedPackage } from '../../../lock/lockfile.js';
import { makesCrd } from '../../../model/owned-object.js';
import { joinReference } from '../../../model/reference.js';
import type { PackageMove } from '../../../plan/plan-journey.js';
import { stepObjects } from '../../../plan/step-objects.js';
import { stringOf, type JsonObject } from '../../../text/json.js';
import { stepFolder } from '../../../usecases/plan/render-plan.js';
import { stepBundle } from '../../../usecases/plan/step-bundle.js';
import { PACKAGES_FILE } from '../../../usecases/layouts/object-files.js';
import type { LockfilePlan, PlannedStep } from '../../../usecases/plan/plan.js';
import { shellLine } from '../shell-line.js';

/** Characters of a command that is shown: one that names hundreds of CRDs is for scripts. */
const MAX_LINE = 1_000;
/** How long a package may take to be seen, and then to become healthy: kubectl waits for 30 s by itself. */
const TIMEOUT = '--timeout=15m';

interface CommandOptions {
  /** Folder of the plan, as commands name it. */
  readonly folder: string;
  readonly pin: Pin;
}

/** A command of a step. */
export interface StepCommand {
  /** For a script, which has to be sure. */
  readonly script: string;
  /** For a person, who sees what happens; undefined: there is nothing to do. */
  readonly byHand: string | undefined;
}

/** The commands of each step, in the order to run them. */
export function planCommands(plan: LockfilePlan, { folder, pin }: CommandOptions): StepCommand[][] {
  const { steps, kept } = plan;
  return steps.map((step, n) => {
    const bundle = stepBundle(plan, n, pin);
    const renamed = step.applied.filter(isRenamed).map(({ from }) => from!.locked);
    const path = `${folder}/${stepFolder(n)}`;
    return [
      ...looks(step),
      ...releaseCommands(step),
      ...[...renamed, ...givers(step)].flatMap(letGo),
      ...(pin === 'locked' ? step.applied.flatMap(passing) : []),
      ...(bundle.kept.length + bundle.packages.length > 0
        ? [line(['kubectl', 'apply', '-k', path])]
        : []),
      ...waitCommands(step, path, pin),
      ...[...renamed, ...step.removed.map(({ from }) => from!.locked)].flatMap((locked) => [
        deletion(locked),
        ...(pin === 'locked' ? [unpinning(pinNames(locked))] : []),
      ]),
      ...(n === steps.length - 1 ? kept.removed.map(deletedObject) : []),
    ];
  });
}

/** The commands as a person runs them. */
export function byHand(commands: readonly StepCommand[]): string[] {
  return commands.flatMap(({ byHand: line }) =>
    line === undefined || line.length > MAX_LINE ? [] : [line],
  );
}

/** The commands as a script runs them. */
export function inScript(commands: readonly StepCommand[]): string[] {
  return commands.map(({ script }) => script);
}

/** What scripts and people run alike. */
function line(words: readonly string[]): StepCommand {
  const script = shellLine(words);
  return { script, byHand: script };
}

/** Everything is to be as healthy on the new release as it was on the one before. */
function releaseCommands({ release, releaseBefore, after }: PlannedStep): StepCommand[] {
  if (releaseBefore === undefined) return [];
  const version = release.version.replace(/^v/, '');
  const [chart, namespace] = /-up\./.test(version)
    ? ['upbound-stable/universal-crossplane', 'upbound-system']
    : ['crossplane-stable/crossplane', 'crossplane-system'];
  return [
    line(['helm', 'upgrade', 'crossplane', chart, '-n', namespace, '--version', version]),
    line(['kubectl', 'rollout', 'status', 'deployment/crossplane', '-n', namespace, TIMEOUT]),
    ...(after.length === 0
      ? []
      : [
          line([
            'kubectl',
            'wait',
            HEALTHY,
            TIMEOUT,
            ...after.map(({ locked }) => resource(locked)),
          ]),
        ]),
  ];
}

/** Removed packages of which others take over objects. */
function givers(step: PlannedStep): readonly LockedPackage[] {
  const giving = new Set(stepObjects(step).handOvers.map(({ from }) => from));
  return step.removed.flatMap(({ from }) => (giving.has(from!.locked) ? [from!.locked] : []));
}

/** A revision that is made inactive lets go of its objects; they stay. */
function letGo(locked: LockedPackage): StepCommand[] {
  const manual = mergePatch({ spec: { revisionActivationPolicy: 'Manual' } });
  const inactive = mergePatch({ spec: { desiredState: 'Inactive' } });
  const revisions = `${locked.kind.toLowerCase()}revisions.pkg.crossplane.io`;
  const label = `pkg.crossplane.io/package=${locked.name}`;
  const all = `${shellLine(['kubectl', 'get', revisions, '-l', label, '-o', 'name'])} | ${shellLine(['xargs', '-I{}', 'kubectl', 'patch', '{}', ...inactive])}`;
  return [line(['kubectl', 'patch', resource(locked), ...manual]), { script: all, byHand: all }];
}

function mergePatch(value: JsonObject): string[] {
  return ['--type', 'merge', '-p', JSON.stringify(value)];
}

const HEALTHY = '--for=condition=Healthy';

/** A script first waits until the cluster has seen what was applied: till then it tells of the version before. */
function waitCommands({ applied }: PlannedStep, path: string, pin: Pin): StepCommand[] {
  if (applied.length === 0) return [];
  const seen = applied.map(({ to }): StepCommand => {
    const reference = joinReference(to!.locked.repository, installedVersion(to!.locked, pin));
    const condition = `--for=jsonpath={.status.currentIdentifier}=${reference}`;
    const script = shellLine(['kubectl', 'wait', condition, TIMEOUT, resource(to!.locked)]);
    return { script, byHand: undefined };
  });
  return [...seen, line(['kubectl', 'wait', HEALTHY, TIMEOUT, '-f', `${path}/${PACKAGES_FILE}`])];
}

/**
 * Stop a script where objects exist that the step would delete. Of CRDs that are not there, such as those
 * of types that are not activated, no objects can be asked for: `kubectl get` of several would fail as a whole.
 */
function looks(step: PlannedStep): StepCommand[] {
  const crds = [...stepObjects(step).deleted.values()]
    .flat()
    .filter(makesCrd)
    .map(({ name }) => name);
  if (crds.length === 0) return [];
  const there = shellLine(['kubectl', 'get', 'crd', ...crds, '--ignore-not-found', '-o', 'name']);
  const objects = 'kubectl get "${crd##*/}" --all-namespaces -o name';
  return [
    {
      script: `(crds=$(${there}) || exit 1; for crd in $crds; do objects=$(${objects}) || exit 1; test -z "$objects" || { echo "objects exist: $objects" >&2; exit 1; }; done)`,
      byHand: shellLine(['kubectl', 'get', crds.join(','), '--all-namespaces']),
    },
  ];
}

function deletion(locked: LockedPackage): StepCommand {
  return line(['kubectl', 'delete', resource(locked)]);
}

/** What let through tags of the version before might have the prefix of the new pin: it goes first. */
function passing({ from, to }: PackageMove): readonly StepCommand[] {
  if (from === undefined || to === undefined) return [];
  const kept = new Set(pinNames(to.locked));
  const [, ...passes] = pinNames(from.locked);
  const gone = passes.filter((name) => !kept.has(name));
  return gone.length === 0 ? [] : [unpinning(gone)];
}

function unpinning(names: readonly string[]): StepCommand {
  const configs = names.map((name) => `imageconfig.pkg.crossplane.io/${name}`);
  return line(['kubectl', 'delete', ...configs, '--ignore-not-found']);
}

function deletedObject(object: JsonObject): StepCommand {
  const kind = stringOf(object['kind'])!.toLowerCase();
  return line(['kubectl', 'delete', `${kind}.pkg.crossplane.io/${nameOf(object)}`]);
}

function resource({ kind, name }: LockedPackage): string {
  return `${kind.toLowerCase()}.pkg.crossplane.io/${name}`;
}

function isRenamed({ from, to }: PackageMove): boolean {
  if (from === undefined || to === undefined) return false;
  return from.locked.name !== to.locked.name || from.locked.kind !== to.locked.kind;
}
