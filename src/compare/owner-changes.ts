import type { LockedPackage, Lockfile } from '../lock/lockfile.js';
import { byKindAndName, ownershipKey, type OwnedObject } from '../model/owned-object.js';

/** An object that comes, goes, or is another package's than before. */
export interface OwnerChange extends OwnedObject {
  readonly change: 'added' | 'removed' | 'owner';
  /** The package that brought it; undefined: none did. */
  readonly before: LockedPackage | undefined;
  /** The package that brings it; undefined: none does. */
  readonly after: LockedPackage | undefined;
}

/** What two lockfiles say differently of who owns what, by kind and name of the object. */
export function ownerChanges(before: Lockfile, after: Lockfile): OwnerChange[] {
  const [old, fresh] = [ownersIn(before), ownersIn(after)];
  const changes = [...new Set([...old.keys(), ...fresh.keys()])].flatMap((key): OwnerChange[] => {
    const [was, is] = [old.get(key), fresh.get(key)];
    const owners = { before: was?.owner, after: is?.owner };
    if (was === undefined) return [{ ...is!.object, change: 'added', ...owners }];
    if (is === undefined) return [{ ...was.object, change: 'removed', ...owners }];
    const stays = was.owner.repository === is.owner.repository;
    return stays ? [] : [{ ...is.object, change: 'owner', ...owners }];
  });
  return changes.sort(byKindAndName);
}

interface Owned {
  readonly object: OwnedObject;
  readonly owner: LockedPackage;
}

function ownersIn({ packages }: Lockfile): ReadonlyMap<string, Owned> {
  return new Map(
    packages.flatMap((owner) =>
      owner.owns.map((object) => [ownershipKey(object), { object, owner }] as const),
    ),
  );
}
