import { mappingOf, stringOf, type JsonValue } from '../../text/json.js';
import type { CompositeDefinition, PackageObject } from '../../model/package-contents.js';
import type { Identity } from '../identity.js';
import { composedBy } from './composed.js';

const GROUP = 'apiextensions.crossplane.io/';

/** Whether more is read of an object than who it is: of XRDs and Compositions, part of the spec. */
export function isComposing({ apiVersion, kind }: Pick<Identity, 'apiVersion' | 'kind'>): boolean {
  const kinds = ['CompositeResourceDefinition', 'Composition'];
  return kinds.includes(kind) && apiVersion.startsWith(GROUP);
}

/** What the spec of an XRD or a Composition says beyond what it defines. */
export function composingSpec(
  identity: Identity,
  spec: JsonValue | undefined,
): Pick<PackageObject, 'composite' | 'composes'> {
  if (!isComposing(identity)) return {};
  const read =
    identity.kind === 'Composition'
      ? { composes: composedBy(spec) }
      : { composite: compositeDefinition(spec) };
  // A copy: V8 keeps the whole document alive for as long as a slice of it is.
  return JSON.parse(JSON.stringify(read)) as typeof read; // of strings, booleans and undefined
}

function compositeDefinition(spec: JsonValue | undefined): CompositeDefinition {
  const { names, scope, connectionSecretKeys, claimNames } = mappingOf(spec) ?? {};
  return {
    plural: stringOf(mappingOf(names)?.['plural']),
    scope: stringOf(scope),
    connectionSecretKeys: (connectionSecretKeys ?? null) !== null,
    claimNames: (claimNames ?? null) !== null,
  };
}
