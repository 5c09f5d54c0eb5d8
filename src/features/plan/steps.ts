import { type Cause, CROSSPLANE, type Journey, type Leg, type Stop } from './journey.js';
import { type Impasse, type Ordering, orderLegs } from './ordering.js';
import { changedSettingsText, renamedRevisionsText } from '../diff/new-revisions.js';
import { getOrCreate } from '../../base/collections.js';
import {
  isCrdOwner,
  type OwnedObject,
  ownershipKey,
} from '../../crossplane/packages/owned-objects.js';
import type { Repository } from '../../crossplane/packages/package.js';
import {
  isNewer,
  isUpgradeToV2,
  minorsBetween,
  renamesRevisions,
  type Target,
} from '../../crossplane/releases/target.js';
import { inApplyOrder } from '../../project/lockfile/lock-graph.js';
import {
  hasOtherSettings,
  isActivatedManually,
  isSameInstallation,
  type LockedPackage,
  usesControllerConfig,
} from '../../project/lockfile/lockfile.js';

/** The change of one package in a step. */
export interface PackageMove {
  readonly repository: Repository;
  /** undefined: the package is added. */
  readonly from: Stop | undefined;
  /** undefined: the package is removed. */
  readonly to: Stop | undefined;
  /** Why the change cannot be part of the previous step. */
  readonly because: Cause | undefined;
}

/** Changes that are made together. Everything must be healthy before the next step. */
export interface PlanStep {
  /** Release after the step. */
  readonly release: Target;
  /** Release before the step; undefined: the step does not change Crossplane. */
  readonly releaseBefore: Target | undefined;
  /** Causes for which the previous step must come before the change of Crossplane. */
  readonly releaseBecause?: readonly Cause[] | undefined;
  /** Applied packages, dependencies first. */
  readonly applied: readonly PackageMove[];
  /** Removed packages, dependents first. */
  readonly removed: readonly PackageMove[];
  /** Installed packages before the step. */
  readonly before: readonly Stop[];
  /** Installed packages after the step. */
  readonly after: readonly Stop[];
}

export interface SolvedJourney {
  readonly status: 'planned';
  readonly steps: readonly PlanStep[];
  /** Rules that the cluster violates before the first step. */
  readonly brokenBefore: readonly Cause[];
}

export type PlannedJourney = SolvedJourney | Impasse;

/** Returns the steps of a journey, with all rules satisfied before and after each. */
export function planJourney(journey: Journey): PlannedJourney {
  const ordering = orderLegs(journey);
  if (ordering.status !== 'ordered') return ordering;
  const { brokenBefore } = ordering;
  return { status: 'planned', steps: stepsOf(journey, ordering), brokenBefore };
}

function stepsOf(journey: Journey, { layers: grouped, precedences }: Ordering): PlanStep[] {
  const layers = grouped.map((groups) => groups.flat());
  const layerOf = new Map(layers.flatMap((legs, layer) => legs.map((leg) => [leg, layer])));
  const reasons = new Map<Leg, Cause>();
  for (const { before, after, causes } of precedences) {
    const follows = layerOf.get(before)! + 1 === layerOf.get(after);
    if (follows && causes[0] !== undefined) reasons.set(after, causes[0]);
  }
  const current = journey.routes.map(() => 0);
  let release = journey.releases[0]!;
  return layers.map((legs): PlanStep => {
    const before = currentStops(journey, current);
    const releaseBefore = release;
    for (const { route, to } of legs) {
      if (route === CROSSPLANE) release = journey.releases[to]!;
      else current[route] = to;
    }
    const after = currentStops(journey, current);
    const upgrades = legs.filter(({ route }) => route === CROSSPLANE);
    const moves = legs.flatMap((leg): PackageMove[] => {
      if (leg.route === CROSSPLANE) return [];
      const { repository, stops } = journey.routes[leg.route]!;
      return [
        { repository, from: stops[leg.to - 1], to: stops[leg.to], because: reasons.get(leg) },
      ];
    });
    return {
      release,
      releaseBefore: release === releaseBefore ? undefined : releaseBefore,
      releaseBecause: upgrades.flatMap((leg) => reasons.get(leg) ?? []),
      applied: sortMoves(moves, 'to'),
      removed: sortMoves(moves, 'from')
        .filter(({ to }) => to === undefined)
        .reverse(),
      before,
      after,
    };
  });
}

function currentStops({ routes }: Journey, current: readonly number[]): Stop[] {
  return routes.flatMap(({ stops }, route) => stops[current[route]!] ?? []);
}

/** Returns the moves that have a stop at one end, in dependency order of the packages there. */
function sortMoves(moves: readonly PackageMove[], end: 'from' | 'to'): PackageMove[] {
  const byPackage = new Map(
    moves.flatMap((move) => (move[end] ? [[move[end].locked, move] as const] : [])),
  );
  return inApplyOrder([...byPackage.keys()]).map((locked) => byPackage.get(locked)!);
}

/** Objects that change from one package to another. */
interface HandOver {
  readonly from: LockedPackage;
  readonly to: LockedPackage;
  readonly objects: readonly OwnedObject[];
}

/** Objects of a package that no package owns after its move. */
interface OwnerlessObjects {
  readonly move: PackageMove;
  readonly objects: readonly OwnedObject[];
}

/**
 * Returns the objects that change owners in a step, those that are deleted with a removed package
 * object, and those that an updated package no longer contains, which stay.
 */
export function stepObjects({ applied, removed, after }: PlanStep) {
  const owners = new Map(
    after.flatMap(({ locked }) => locked.owns.map((owned) => [ownershipKey(owned), locked])),
  );
  const moves = [...removed, ...applied.filter(({ from }) => from !== undefined)];
  const ownerless = moves
    .map((move) => {
      const { owns } = move.from!.locked;
      return { move, objects: owns.filter((owned) => !owners.has(ownershipKey(owned))) };
    })
    .filter(({ objects }) => objects.length > 0);
  return {
    handOvers: moves.flatMap(({ from }) => handOversOf(from!.locked, owners)),
    deleted: ownerless.filter(isDeleted),
    dropped: ownerless.filter((each) => !isDeleted(each)),
  };
}

function isDeleted({ move }: OwnerlessObjects): boolean {
  return move.to === undefined || isRenamed(move);
}

/** Whether the move replaces the object of the package, so that the old one is deleted. */
export function isRenamed({ from, to }: PackageMove): boolean {
  if (from === undefined || to === undefined) return false;
  return !isSameInstallation(from.locked, to.locked);
}

function handOversOf(
  from: LockedPackage,
  owners: ReadonlyMap<string, LockedPackage>,
): readonly HandOver[] {
  const objectsOf = new Map<LockedPackage, OwnedObject[]>();
  for (const owned of from.owns) {
    const to = owners.get(ownershipKey(owned));
    if (to === undefined || to.repository === from.repository) continue;
    getOrCreate(objectsOf, to, () => []).push(owned);
  }
  return Array.from(objectsOf, ([to, objects]) => ({ from, to, objects }));
}

/** Packages whose contents were checked. */
export interface CheckedPackages {
  /** Release for which the lockfile was resolved. */
  readonly lockedFor: string;
  /** Returns whether the contents of a package were checked against all releases of the journey. */
  readonly isRead: (locked: LockedPackage) => boolean;
}

/** Returns the warnings for a step: deleted objects and other risks. */
export function stepWarnings(step: PlanStep, checked: CheckedPackages): string[] {
  return [
    ...releaseWarnings(step),
    ...ownerWarnings(step),
    ...step.applied.flatMap((move) => [...moveWarnings(move)]),
    ...runtimeWarnings(step, checked),
  ];
}

function* ownerWarnings(step: PlanStep): Iterable<string> {
  const { handOvers, deleted, dropped } = stepObjects(step);
  const removed = new Set(step.removed.map(({ repository }) => repository));
  for (const { from, to, objects } of handOvers) {
    const handOver = `${objectsText(objects)} ${objects.length === 1 ? 'passes' : 'pass'} from ${from.repository} to ${to.repository}`;
    yield removed.has(from.repository)
      ? `${handOver}: delete ${from.repository} only when ${to.repository} is healthy, or ${deletionText(objects)}`
      : `${handOver}: until ${from.repository} has moved, ${to.repository} cannot own ${pronoun(objects)}`;
  }
  yield* deleted.map(deletionWarning);
  for (const { move, objects } of dropped) {
    const text = `${move.repository} ${move.to!.locked.version} no longer has ${objectsText(objects)}`;
    yield `${text}: ${objects.length === 1 ? 'it stays' : 'they stay'} in the cluster, and no package owns ${pronoun(objects)}`;
  }
}

function deletionWarning({ move, objects }: OwnerlessObjects): string {
  const { repository, from } = move;
  const { kind, name } = from!.locked;
  const removed = isRenamed(move) ? `the ${kind} ${name}` : repository;
  const text = `removing ${removed} deletes ${objectsText(objects)}`;
  if (!objects.some(isCrdOwner)) return text;
  const all = `${text}, with every object of ${pronoun(objects)}`;
  return kind === 'Provider'
    ? `${all}; what they stand for outside the cluster stays there unless they are deleted while ${repository} runs`
    : all;
}

function deletionText(objects: readonly OwnedObject[]): string {
  const [subject, verb] = objects.length === 1 ? ['it', 'is'] : ['they', 'are'];
  const deletionNote = objects.some(isCrdOwner)
    ? `, with every object of ${pronoun(objects)},`
    : '';
  return `${subject}${deletionNote} ${verb} deleted with it`;
}

function pronoun(objects: readonly OwnedObject[]): string {
  return objects.length === 1 ? 'it' : 'them';
}

/** Yields warnings on a change of Crossplane. Lockfiles show only some features that v2 removed. */
function* releaseWarnings(step: PlanStep): Iterable<string> {
  const { release, releaseBefore, before, after } = step;
  if (releaseBefore === undefined) return;
  if (renamesRevisions(releaseBefore, release)) {
    yield renamedRevisionsText(releaseBefore, release);
    const manual = after.map(({ locked }) => locked).filter(isActivatedManually);
    if (manual.length > 0) {
      const names = manual.map(({ repository }) => repository).join(', ');
      yield `${names}: with \`revisionActivationPolicy: Manual\` the upgrade stops the running revision, and nothing runs until the new revision is activated, as this step does`;
    }
  }
  if (isNewer(releaseBefore, release)) {
    yield `Crossplane is not made to go back from ${releaseBefore.version} to ${release.version}: try it on a copy of the cluster`;
  }
  const skipped = minorsBetween(releaseBefore, release);
  if (skipped.length > 0) {
    yield `this skips ${skipped.join(', ')}, and Crossplane supports one minor version at a time; this tool does not know which releases to pass through here, so name them: \`--via crossplane@${skipped[0]!}.PATCH\``;
  }
  if (!isUpgradeToV2(releaseBefore, release)) return;
  yield `Crossplane v2 has no ControllerConfig, no Compositions with \`mode: Resources\`, no external secret stores and no default registry: replace what you have of these before this step`;
  for (const { locked } of before) {
    if (!usesControllerConfig(locked)) continue;
    yield `${packageText(locked)} has a \`controllerConfigRef\`, which Crossplane ${release.version} ignores: its runtime falls back to the default settings until it has a \`runtimeConfigRef\``;
  }
}

function* moveWarnings(move: PackageMove): Iterable<string> {
  if (move.from === undefined || move.to === undefined) return;
  const [before, after] = [move.from.locked, move.to.locked];
  const areKnown = before.digest !== undefined && after.digest !== undefined;
  if (isRenamed(move)) {
    yield `${move.repository} becomes the ${after.kind} ${after.name}: the ${before.kind} ${before.name} is deleted only when that is healthy`;
  } else if (before.version === after.version && areKnown && before.digest !== after.digest) {
    yield `${move.repository} keeps the tag ${after.version}, which names other bytes now: a cluster that pulled it before pulls it again only with \`packagePullPolicy: Always\``;
  }
}

function isMoved({ from, to }: PackageMove): boolean {
  return from !== undefined && from.locked.version !== to!.locked.version;
}

function isSpecChanged({ from, to }: PackageMove): boolean {
  if (from === undefined) return false;
  return from.skips !== to!.skips || hasOtherSettings(from.locked, to!.locked);
}

/** Yields warnings on manual activation, and on packages that only their lockfile's release checked. */
function* runtimeWarnings(
  { release, applied }: PlanStep,
  { lockedFor, isRead }: CheckedPackages,
): Iterable<string> {
  const hasRevisionForEachSpec = release.packageManager.revisionNames === 'digest-and-generation';
  const changed = applied.filter(
    (move) => isMoved(move) || (hasRevisionForEachSpec && isSpecChanged(move)),
  );
  const manual = changed.filter(({ to }) => isActivatedManually(to!.locked));
  const settings = changed.filter((move) => !isMoved(move));
  if (settings.length > 0) yield changedSettingsText(settings, release);
  if (manual.length > 0) {
    const names = manual.map(({ repository }) => repository).join(', ');
    yield `${names}: with \`revisionActivationPolicy: Manual\` the running revision stops when the change is applied, and nothing runs until the new revision is activated, as this step does`;
  }
  const unread = applied.map(({ to }) => to!.locked).filter((locked) => !isRead(locked));
  if (unread.length > 0 && release.version !== lockedFor) {
    yield `by its constraints Crossplane ${release.version} takes ${unread.map(packageText).join(', ')}; what is in ${unread.length === 1 ? 'it' : 'them'} was looked at for ${lockedFor} alone`;
  }
}

/** Maximum number of objects that a message names. */
const MAX_OBJECTS_NAMED = 3;

/** Formats a cause as a sentence without a full stop. */
export function causeText(cause: Cause): string {
  switch (cause.rule) {
    case 'version':
      return `${packageText(cause.requirer)} requires ${cause.required.repository} \`${cause.constraint}\`, which ${cause.required.version} does not fit`;
    case 'kind':
      return `${packageText(cause.requirer)} requires ${cause.required.repository} as another kind than the ${cause.required.kind} that it is`;
    case 'missing':
      return cause.required === cause.constraint
        ? `${packageText(cause.requirer)} requires the API \`${cause.required}\``
        : `${packageText(cause.requirer)} requires ${cause.required} \`${cause.constraint}\``;
    case 'owner':
      return `${packageText(cause.from)} and ${packageText(cause.to)} both own ${objectsText(cause.objects)}`;
    case 'kept':
      return `${objectsText(cause.objects)} would be deleted with ${packageText(cause.from)}, before ${packageText(cause.to)} owns ${pronoun(cause.objects)}`;
    case 'crossplane':
      return `${packageText(cause.locked)} needs Crossplane \`${cause.locked.crossplane}\`, which ${cause.release} does not fit`;
    case 'reference':
      return `Crossplane ${cause.release} does not take ${packageText(cause.locked)} as a package`;
    case 'content':
      return `Crossplane ${cause.release} would refuse ${packageText(cause.locked)} (${cause.reason})`;
    case 'controller-config':
      return `${packageText(cause.locked)} has a \`controllerConfigRef\`, which Crossplane ${cause.release} ignores`;
    case 'cycle':
      return `${cause.members.map(packageText).join(' → ')} would depend on each other in a circle`;
  }
}

function packageText({ repository, version }: LockedPackage): string {
  return `${repository} ${version}`;
}

/** `CRD a.example.org and 2 more`. */
export function objectsText(objects: readonly OwnedObject[]): string {
  const texts = objects.slice(0, MAX_OBJECTS_NAMED).map(({ kind, name }) => `${kind} ${name}`);
  const more = objects.length - texts.length;
  if (more > 0) return `${texts.join(', ')} and ${more} more`;
  const last = texts.pop()!;
  return texts.length === 0 ? last : `${texts.join(', ')} and ${last}`;
}
