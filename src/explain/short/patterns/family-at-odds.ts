import type { OwnershipClash } from '../ownership-clash.js';
import { familyOf, placeOf } from './family.js';

/** Two members of a family, of releases between which an object has moved. */
export function familyAtOdds({ one, other, objects }: OwnershipClash): string | undefined {
  if (one.repository === undefined || other.repository === undefined) return undefined;
  const family = familyOf(one.repository);
  if (family === undefined || family !== familyOf(other.repository)) return undefined;
  if (placeOf(one.repository) !== placeOf(other.repository)) return undefined;
  return `${one.name} and ${other.name} are of one family, at versions that do not go together: both own ${objects}`;
}
