import type { IndexVersion, IndexXrd } from '../../src/model/index-file.js';
import type { JsonObject } from '../../src/text/json.js';

const SCHEMA: JsonObject = {
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } },
};

/** A package.yaml that says what an index entry says, and that an API server takes. */
export function packageText(kind: string, name: string, entry: IndexVersion): string {
  const { crossplane, dependsOn = [], crds = [], xrds = [], compositions = [] } = entry;
  const own = entry.kind ?? kind;
  // Functions of `v1` are refused by v1.17.1; all releases take these.
  const version = own === 'Function' ? 'v1beta1' : 'v1';
  const meta = {
    apiVersion: entry.apiVersion ?? `meta.pkg.crossplane.io/${version}`,
    kind: own,
    metadata: { name },
    spec: { ...(crossplane !== undefined && { crossplane: { version: crossplane } }), dependsOn },
  };
  const objects = [...crds.map(crdOf), ...xrds.map(xrdOf), ...compositions.map(compositionOf)];
  return [meta, ...objects].map((each) => `---\n${JSON.stringify(each)}\n`).join('');
}

function crdOf(name: string): JsonObject {
  const { plural, group, kind } = partsOf(name);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group,
      scope: 'Cluster',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [{ name: 'v1', served: true, storage: true, schema: SCHEMA }],
    },
  };
}

function xrdOf({ name, claim }: IndexXrd): JsonObject {
  const { plural, group, kind } = partsOf(name);
  const claimed = claim === undefined ? undefined : partsOf(claim);
  return {
    apiVersion: 'apiextensions.crossplane.io/v1',
    kind: 'CompositeResourceDefinition',
    metadata: { name },
    spec: {
      group,
      names: { kind, plural },
      ...(claimed && { claimNames: { kind: claimed.kind, plural: claimed.plural } }),
      versions: [{ name: 'v1', served: true, referenceable: true, schema: SCHEMA }],
    },
  };
}

function compositionOf(name: string): JsonObject {
  return {
    apiVersion: 'apiextensions.crossplane.io/v1',
    kind: 'Composition',
    metadata: { name },
    spec: {
      compositeTypeRef: { apiVersion: 'x.example.org/v1', kind: 'XThing' },
      mode: 'Pipeline',
      pipeline: [{ step: 'a', functionRef: { name: 'f' } }],
    },
  };
}

/** `<plural>.<group>`, and a kind made of the plural. */
function partsOf(name: string): { plural: string; group: string; kind: string } {
  const dot = name.indexOf('.');
  const plural = name.slice(0, dot);
  const kind = plural[0]!.toUpperCase() + plural.slice(1).replaceAll(/[^a-z0-9]/g, '');
  return { plural, group: name.slice(dot + 1), kind };
}
