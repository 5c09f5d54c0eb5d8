import type { CompositionSpec } from '../../src/crossplane/packages/package-contents.js';
import type { IndexVersion, IndexXrd } from '../../src/sources/index/index-file.js';
import type { JsonObject } from '../../src/base/json.js';

const SCHEMA: JsonObject = {
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } },
};

/** Returns a package.yaml for an index entry that an API server accepts. */
export function packageText(kind: string, name: string, entry: IndexVersion): string {
  const { crossplane, dependsOn = [], crds = [], xrds = [], compositions = [] } = entry;
  const compositionSpecs = new Map(Object.entries(entry.compositionSpecs ?? {}));
  const own = entry.kind ?? kind;
  // v1.17.1 rejects functions of `v1`; all releases accept these versions.
  const version = own === 'Function' ? 'v1beta1' : 'v1';
  const meta = {
    apiVersion: entry.apiVersion ?? `meta.pkg.crossplane.io/${version}`,
    kind: own,
    metadata: { name },
    spec: { ...(crossplane !== undefined && { crossplane: { version: crossplane } }), dependsOn },
  };
  const objects = [
    ...crds.map(crdOf),
    ...xrds.map(xrdOf),
    ...compositions.map((each) => compositionOf(each, compositionSpecs.get(each))),
  ];
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

function compositionOf(
  name: string,
  { mode, pipeline }: CompositionSpec = { mode: 'Pipeline', pipeline: true },
): JsonObject {
  const base = { apiVersion: 'v1', kind: 'ConfigMap' };
  return {
    apiVersion: 'apiextensions.crossplane.io/v1',
    kind: 'Composition',
    metadata: { name },
    spec: {
      compositeTypeRef: { apiVersion: 'x.example.org/v1', kind: 'XThing' },
      ...(mode !== undefined && { mode }),
      ...(pipeline
        ? { pipeline: [{ step: 'a', functionRef: { name: 'f' } }] }
        : { resources: [{ name: 'a', base }] }),
    },
  };
}

/** Splits `<plural>.<group>`, and derives a kind from the plural. */
function partsOf(name: string): { plural: string; group: string; kind: string } {
  const dot = name.indexOf('.');
  const plural = name.slice(0, dot);
  const kind = plural[0]!.toUpperCase() + plural.slice(1).replaceAll(/[^a-z0-9]/g, '');
  return { plural, group: name.slice(dot + 1), kind };
}
