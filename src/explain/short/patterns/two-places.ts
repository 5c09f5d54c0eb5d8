import type { OwnershipClash } from '../ownership-clash.js';
import { isFamilyPackage, lastPart } from './family.js';

/** The same package from two registries or two organisations; or a family whose members are. */
export function twoPlaces({ one, other, count }: OwnershipClash): string | undefined {
  if (one.repository === undefined || other.repository === undefined) return undefined;
  const name = lastPart(one.repository);
  if (name !== lastPart(other.repository)) return undefined;
  const [host, otherHost] = [one, other].map(({ repository }) => repository!.split('/')[0]);
  const both = `${one.name} and ${other.name}`;
  if (isFamilyPackage(one.repository)) {
    const place = host === otherHost ? 'organisation' : 'registry';
    return `a family has to come from one ${place}: ${both} own the same ${count}, and only one package can`;
  }
  const places = host === otherHost ? 'organisations' : 'registries';
  return `${both} are one package from two ${places}, and own the same ${count}: only one can be installed`;
}
