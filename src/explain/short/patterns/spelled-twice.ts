import { sameRepository } from '../../../model/reference.js';
import type { OwnershipClash } from '../ownership-clash.js';

/** One repository under two names, as Docker Hub has them. */
export function spelledTwice({ one, other, count }: OwnershipClash): string | undefined {
  if (one.repository === undefined || other.repository === undefined) return undefined;
  if (!sameRepository(one.repository, other.repository)) return undefined;
  return `${one.repository} and ${other.repository} are one repository spelled two ways, and a cluster takes them for two packages that own the same ${count}`;
}
