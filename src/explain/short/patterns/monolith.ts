import type { OwnershipClash } from '../ownership-clash.js';
import { lastPart } from './family.js';

/** `provider-aws` beside `provider-aws-ec2` or `provider-family-aws`: all of a family beside a part of it. */
export function monolith({ one, other, count }: OwnershipClash): string | undefined {
  if (one.repository === undefined || other.repository === undefined) return undefined;
  const [whole, part] = [lastPart(one.repository), lastPart(other.repository)];
  const family = whole.replace(/^provider-/, 'provider-family-');
  if (!whole.startsWith('provider-')) return undefined;
  if (!part.startsWith(`${whole}-`) && part !== family) return undefined;
  const brought = other.broughtInBy === undefined ? '' : `, which ${other.broughtInBy} brings in`;
  return `${one.name} owns the same ${count} as ${other.name}${brought}: ${whole} is all of the family in one package, and cannot stand beside its members`;
}
