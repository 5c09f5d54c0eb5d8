import type { LockedPackage } from '../lock/lockfile.js';
import type { OwnedObject } from '../model/owned-object.js';
import type { Cause } from './clash.js';

/** Objects that are named; of more, only how many there are. */
const MAX_OBJECTS_NAMED = 3;

/** What breaks a rule, as a sentence without its full stop. */
export function causeText(cause: Cause): string {
  switch (cause.rule) {
    case 'version':
      return `${named(cause.requirer)} requires ${cause.required.repository} \`${cause.constraint}\`, which ${cause.required.version} does not fit`;
    case 'kind':
      return `${named(cause.requirer)} requires ${cause.required.repository} as another kind than the ${cause.required.kind} that it is`;
    case 'missing':
      return cause.required === cause.constraint
        ? `${named(cause.requirer)} requires the API \`${cause.required}\``
        : `${named(cause.requirer)} requires ${cause.required} \`${cause.constraint}\``;
    case 'owner':
      return `${named(cause.from)} and ${named(cause.to)} both own ${objectsText(cause.objects)}`;
    case 'kept':
      return `${objectsText(cause.objects)} would be deleted with ${named(cause.from)}, before ${named(cause.to)} owns ${cause.objects.length === 1 ? 'it' : 'them'}`;
    case 'crossplane':
      return `${named(cause.locked)} needs Crossplane \`${cause.locked.crossplane}\`, which ${cause.release} does not fit`;
    case 'reference':
      return `Crossplane ${cause.release} does not take ${named(cause.locked)} as a package`;
    case 'cycle':
      return `${cause.members.map(named).join(' → ')} would depend on each other in a circle`;
  }
}

function named({ repository, version }: LockedPackage): string {
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
