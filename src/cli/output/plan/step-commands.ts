import { pinName } from '../../../bundle/image-pins.js';
import { nameOf } from '../../../bundle/object-label.js';
import { installedVersion, type Pin } from '../../../bundle/package-object.js';
import type { LockedPackage } from '../../../lock/lockfile.js';
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

/** The commands of each step, in the order to run them. */
export function planCommands(plan: LockfilePlan, { folder, pin }: CommandOptions): string[][] {
  const { steps, kept } = plan;
  return steps.map((step, n) => {
    const bundle = stepBundle(plan, n, pin);
    const renamed = step.applied.filter(isRenamed).map(({ from }) => from!.locked);
    const path = `${folder}/${stepFolder(n)}`;
    return [
      ...looks(step),
      ...releaseCommands(step),
      ...[...renamed, ...givers(step)].flatMap(letGo),
      ...(bundle.kept.length + bundle.packages.length > 0
        ? [shellLine(['kubectl', 'apply', '-k', path])]
        : []),
      ...waitCommands(step, path, pin),
      ...[...renamed, ...step.removed.map(({ from }) => from!.locked)].flatMap((locked) => [
        deletion(locked),
        ...(pin === 'locked' ? [unpinning(locked)] : []),
      ]),
      ...(n === steps.length - 1 ? kept.removed.map(deletedObject) : []),
    ];
  });
}

/** Waits until the cluster has seen what was applied: till then it tells of the version before. */
const SEEN = '--for=jsonpath={.status.currentIdentifier}=';

/** Around a command that must print nothing. */
const UNLESS_ANY = ['test -z "$(', ' -o name)"'] as const;

/** The commands as a person runs them, who sees what a script has to ask about. */
export function byHand(commands: readonly string[]): string[] {
  return commands
    .filter((line) => !line.includes(SEEN))
    .map((line) =>
      line.startsWith(UNLESS_ANY[0])
        ? line.slice(UNLESS_ANY[0].length, -UNLESS_ANY[1].length)
        : line,
    )
    .filter((line) => line.length <= MAX_LINE);
}

function releaseCommands({ release, releaseBefore }: PlannedStep): string[] {
  if (releaseBefore === undefined) return [];
  const version = release.version.replace(/^v/, '');
  const [chart, namespace] = /-up\./.test(version)
    ? ['upbound-stable/universal-crossplane', 'upbound-system']
    : ['crossplane-stable/crossplane', 'crossplane-system'];
  return [
    shellLine(['helm', 'upgrade', 'crossplane', chart, '-n', namespace, '--version', version]),
    shellLine(['kubectl', 'rollout', 'status', 'deployment/crossplane', '-n', namespace]),
  ];
}

/** Removed packages of which others take over objects. */
function givers(step: PlannedStep): readonly LockedPackage[] {
  const giving = new Set(stepObjects(step).handOvers.map(({ from }) => from));
  return step.removed.flatMap(({ from }) => (giving.has(from!.locked) ? [from!.locked] : []));
}

/** A revision that is made inactive lets go of its objects; they stay. */
function letGo(locked: LockedPackage): string[] {
  const manual = mergePatch({ spec: { revisionActivationPolicy: 'Manual' } });
  const inactive = mergePatch({ spec: { desiredState: 'Inactive' } });
  const revisions = `${locked.kind.toLowerCase()}revisions.pkg.crossplane.io`;
  const label = `pkg.crossplane.io/package=${locked.name}`;
  return [
    shellLine(['kubectl', 'patch', resource(locked), ...manual]),
    `${shellLine(['kubectl', 'get', revisions, '-l', label, '-o', 'name'])} | ${shellLine(['xargs', '-I{}', 'kubectl', 'patch', '{}', ...inactive])}`,
  ];
}

function mergePatch(value: JsonObject): string[] {
  return ['--type', 'merge', '-p', JSON.stringify(value)];
}

function waitCommands({ applied }: PlannedStep, path: string, pin: Pin): string[] {
  if (applied.length === 0) return [];
  const seen = applied.map(({ to }) => {
    const reference = joinReference(to!.locked.repository, installedVersion(to!.locked, pin));
    return shellLine(['kubectl', 'wait', `${SEEN}${reference}`, TIMEOUT, resource(to!.locked)]);
  });
  const healthy = ['--for=condition=Healthy', TIMEOUT];
  return [...seen, shellLine(['kubectl', 'wait', ...healthy, '-f', `${path}/${PACKAGES_FILE}`])];
}

/** Stop a script where objects exist that the step would delete. */
function looks(step: PlannedStep): string[] {
  const crds = [...stepObjects(step).deleted.values()]
    .flat()
    .filter(({ kind }) => kind !== 'Composition')
    .map(({ name }) => name);
  if (crds.length === 0) return [];
  const look = shellLine(['kubectl', 'get', crds.join(','), '--all-namespaces']);
  return [UNLESS_ANY.join(look)];
}

function deletion(locked: LockedPackage): string {
  return shellLine(['kubectl', 'delete', resource(locked)]);
}

function unpinning(locked: LockedPackage): string {
  const name = `imageconfig.pkg.crossplane.io/${pinName(locked)}`;
  return shellLine(['kubectl', 'delete', name, '--ignore-not-found']);
}

function deletedObject(object: JsonObject): string {
  const kind = stringOf(object['kind'])!.toLowerCase();
  return shellLine(['kubectl', 'delete', `${kind}.pkg.crossplane.io/${nameOf(object)}`]);
}

function resource({ kind, name }: LockedPackage): string {
  return `${kind.toLowerCase()}.pkg.crossplane.io/${name}`;
}

function isRenamed({ from, to }: PackageMove): boolean {
  if (from === undefined || to === undefined) return false;
  return from.locked.name !== to.locked.name || from.locked.kind !== to.locked.kind;
}
