import { makesCrd, type OwnedObject } from '../model/owned-object.js';
import { isNewer } from '../model/target/target.js';
import { objectsText } from './cause-text.js';
import type { PackageMove, PlanStep } from './plan-journey.js';
import { stepObjects } from './step-objects.js';

/** What must be known before a step is made: what would be deleted, and what may go wrong. */
export function stepWarnings(step: PlanStep, lockedFor: string): string[] {
  const { handOvers, deleted, dropped } = stepObjects(step);
  const removed = new Set(step.removed.map(({ repository }) => repository));
  return [
    ...releaseWarnings(step),
    ...handOvers.map(({ from, to, objects }) => {
      const taken = `${objectsText(objects)} ${objects.length === 1 ? 'passes' : 'pass'} from ${from.repository} to ${to.repository}`;
      return removed.has(from.repository)
        ? `${taken}: delete ${from.repository} only when ${to.repository} is healthy, or ${goingWith(objects)}`
        : `${taken}: until ${from.repository} has moved, ${to.repository} cannot own ${pronoun(objects)}`;
    }),
    ...Array.from(deleted, ([move, objects]) => deletion(move, objects)),
    ...Array.from(
      dropped,
      ([{ repository, to }, objects]) =>
        `${repository} ${to!.locked.version} no longer has ${objectsText(objects)}: ${objects.length === 1 ? 'it stays' : 'they stay'} in the cluster, and no package owns ${pronoun(objects)}`,
    ),
    ...step.applied.flatMap(objectWarnings),
    ...uncheckedWarnings(step, lockedFor),
  ];
}

function deletion({ repository, from }: PackageMove, objects: readonly OwnedObject[]): string {
  const text = `removing ${repository} deletes ${objectsText(objects)}`;
  if (!objects.some(makesCrd)) return text;
  const all = `${text}, with every object of ${pronoun(objects)}`;
  return from!.locked.kind === 'Provider'
    ? `${all}; what they stand for outside the cluster stays there unless they are deleted while ${repository} runs`
    : all;
}

function goingWith(objects: readonly OwnedObject[]): string {
  const [subject, verb] = objects.length === 1 ? ['it', 'is'] : ['they', 'are'];
  const also = objects.some(makesCrd) ? `, with every object of ${pronoun(objects)},` : '';
  return `${subject}${also} ${verb} deleted with it`;
}

function pronoun(objects: readonly OwnedObject[]): string {
  return objects.length === 1 ? 'it' : 'them';
}

function releaseWarnings({ release, releaseBefore }: PlanStep): string[] {
  if (releaseBefore === undefined || isNewer(release, releaseBefore)) return [];
  return [
    `Crossplane is not made to go back from ${releaseBefore.version} to ${release.version}: try it on a copy of the cluster`,
  ];
}

function objectWarnings({ repository, from, to }: PackageMove): string[] {
  if (from === undefined || to === undefined) return [];
  const [before, after] = [from.locked, to.locked];
  if (before.kind !== after.kind || before.name !== after.name) {
    return [
      `${repository} becomes the ${after.kind} ${after.name}: the ${before.kind} ${before.name} is deleted only when that is healthy`,
    ];
  }
  const isMoved = before.digest !== undefined && after.digest !== undefined;
  if (before.version !== after.version || !isMoved || before.digest === after.digest) return [];
  return [
    `${repository} keeps the tag ${after.version}, which names other bytes now: a cluster that pulled it before pulls it again only with \`packagePullPolicy: Always\``,
  ];
}

/** A lockfile is resolved for one release: of another it only tells the constraints. */
function uncheckedWarnings({ release, applied }: PlanStep, lockedFor: string): string[] {
  if (applied.length === 0 || release.version === lockedFor) return [];
  const names = applied.map(({ repository, to }) => `${repository} ${to!.locked.version}`);
  return [
    `by its constraints Crossplane ${release.version} takes ${names.join(', ')}; what is in ${names.length === 1 ? 'it' : 'them'} was looked at for ${lockedFor} alone`,
  ];
}
