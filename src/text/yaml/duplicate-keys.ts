import type { Place } from './places.js';

/** The first `most` keys written more than once in one mapping, where `descend` goes on. */
export function duplicateKeys(
  root: Place,
  descend: (path: readonly string[]) => boolean,
  most: number,
): readonly { readonly path: string; readonly offset: number }[] {
  const found: { path: string; offset: number }[] = [];
  const visit = (place: Place, path: readonly string[]) => {
    const seen = new Set<string>();
    for (const { key, offset, value } of place.entries) {
      if (found.length >= most) return;
      const inner = [...path, key];
      if (seen.has(key)) found.push({ path: inner.join('.'), offset });
      seen.add(key);
      if (descend(inner)) visit(value, inner);
    }
    for (const item of place.items) if (descend(path)) visit(item, path);
  };
  visit(root, []);
  return found;
}
