import type { PackageObject } from '../../model/package-contents.js';
import type { Contribution } from '../contribution.js';
import type { InputDocument } from '../document.js';
import { valueAt } from '../field.js';
import { isMapping } from '../../text/json.js';

/** Kinds a package installs and is then the only owner of, by group. */
const OWNABLE: ReadonlyMap<string, readonly string[]> = new Map([
  ['apiextensions.k8s.io', ['CustomResourceDefinition']],
  [
    'apiextensions.crossplane.io',
    [
      'CompositeResourceDefinition',
      'Composition',
      'ManagedResourceDefinition',
      'ManagedResourceActivationPolicy',
    ],
  ],
  ['ops.crossplane.io', ['Operation', 'CronOperation', 'WatchOperation']],
]);

/** An object that the local package beside it would install; undefined: of no such kind. */
export function readOwnedObject(
  document: InputDocument,
  apiVersion: string,
  kind: string,
): Contribution | undefined {
  const [group = ''] = apiVersion.split('/');
  const name = textOr(document, ['metadata', 'name']);
  if (name === undefined || !(OWNABLE.get(group)?.includes(kind) ?? false)) return undefined;
  const origin = document.originOf([]);
  const object: PackageObject = {
    apiVersion,
    kind,
    name,
    claimCrd: claimCrdOf(document),
    claimKind: textOr(document, ['spec', 'claimNames', 'kind']),
    defines: definitionOf(document),
    line: origin.line,
  };
  return { owned: { object, origin } };
}

function claimCrdOf(document: InputDocument): string | undefined {
  const plural = textOr(document, ['spec', 'claimNames', 'plural']);
  const group = textOr(document, ['spec', 'group']);
  return plural === undefined || group === undefined ? undefined : `${plural}.${group}`;
}

function definitionOf(document: InputDocument): PackageObject['defines'] {
  const group = textOr(document, ['spec', 'group']);
  const kind = textOr(document, ['spec', 'names', 'kind']);
  if (group === undefined || kind === undefined) return undefined;
  const listed = valueAt(document, ['spec', 'versions']);
  const names = (Array.isArray(listed) ? listed : []).map((version) =>
    isMapping(version) ? version['name'] : undefined,
  );
  return { group, kind, versions: names.filter((name) => typeof name === 'string') };
}

/** Identity is all that counts here: what is not text is for the package's own lint to find. */
function textOr(document: InputDocument, path: readonly string[]): string | undefined {
  const value = valueAt(document, path);
  return typeof value === 'string' ? value : undefined;
}
