import type { LockedPackage } from '../lock/lockfile.js';
import { ownershipKey, type OwnedObject } from '../model/owned-object.js';
import type { PackageMove, PlanStep } from './plan-journey.js';

/** Objects that pass from one package to another. */
export interface HandOver {
  readonly from: LockedPackage;
  readonly to: LockedPackage;
  readonly objects: readonly OwnedObject[];
}

/** What a step does to objects that packages have brought. */
export interface StepObjects {
  readonly handOvers: readonly HandOver[];
  /** With each package that is removed, what is deleted. */
  readonly deleted: ReadonlyMap<PackageMove, readonly OwnedObject[]>;
  /** With each package that moves, what it no longer has: it stays, and belongs to none. */
  readonly dropped: ReadonlyMap<PackageMove, readonly OwnedObject[]>;
}

export function stepObjects({ applied, removed, after }: PlanStep): StepObjects {
  const owners = new Map(
    after.flatMap(({ locked }) => locked.owns.map((owned) => [ownershipKey(owned), locked])),
  );
  const ownerless = (move: PackageMove) =>
    move.from!.locked.owns.filter((owned) => !owners.has(ownershipKey(owned)));
  const moved = applied.filter(({ from }) => from !== undefined);
  return {
    handOvers: [...removed, ...moved].flatMap(({ from }) => handOversOf(from!.locked, owners)),
    deleted: withObjects(removed, ownerless),
    dropped: withObjects(moved, ownerless),
  };
}

function handOversOf(
  from: LockedPackage,
  owners: ReadonlyMap<string, LockedPackage>,
): readonly HandOver[] {
  const taken = new Map<LockedPackage, OwnedObject[]>();
  for (const owned of from.owns) {
    const to = owners.get(ownershipKey(owned));
    if (to === undefined || to.repository === from.repository) continue;
    taken.set(to, [...(taken.get(to) ?? []), owned]);
  }
  return Array.from(taken, ([to, objects]) => ({ from, to, objects }));
}

function withObjects(
  moves: readonly PackageMove[],
  objectsOf: (move: PackageMove) => readonly OwnedObject[],
): ReadonlyMap<PackageMove, readonly OwnedObject[]> {
  return new Map(
    moves.flatMap((move) => {
      const objects = objectsOf(move);
      return objects.length === 0 ? [] : [[move, objects] as const];
    }),
  );
}
