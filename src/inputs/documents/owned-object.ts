import { definedBy, readDefiningSpec } from '../../model/definition.js';
import { ownedAs } from '../../model/owned-object.js';
import type { Contribution } from '../contribution.js';
import type { InputDocument } from '../document.js';
import { valueAt } from '../field.js';

/** An object that the local package beside it would install; undefined: of no such kind. */
export function readOwnedObject(
  document: InputDocument,
  apiVersion: string,
  kind: string,
): Contribution | undefined {
  const [group = ''] = apiVersion.split('/');
  const name = valueAt(document, ['metadata', 'name']);
  // What else is wrong with the object is for the package's own lint to find.
  if (typeof name !== 'string' || ownedAs(kind, group) === undefined) return undefined;
  const origin = document.originOf([]);
  const defined = definedBy(kind, readDefiningSpec(apiVersion, valueAt(document, ['spec'])));
  return { owned: { object: { apiVersion, kind, name, line: origin.line, ...defined }, origin } };
}
