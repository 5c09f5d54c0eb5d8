import { listOf, mappingOf, stringOf, type JsonObject } from '../text/json.js';

/** A CRD of `apiextensions.k8s.io/v1`. */
interface MergedCrd {
  readonly crd: JsonObject;
  /** undefined: it comes from one document. */
  readonly stored: string | undefined;
}

/**
 * Documents of one CRD, each with some of its versions, as one with all of them; of a version that
 * several have, the first counts. The newest version is the one that is stored.
 */
export function mergeCrds(crds: readonly JsonObject[]): MergedCrd {
  const [first] = crds;
  if (crds.length === 1) return { crd: first!, stored: undefined };
  const byName = new Map<string, JsonObject>();
  for (const crd of crds) {
    for (const version of listOf(mappingOf(crd['spec'])?.['versions']) ?? []) {
      const name = stringOf(mappingOf(version)?.['name']) ?? '';
      if (!byName.has(name)) byName.set(name, mappingOf(version) ?? {});
    }
  }
  const names = [...byName.keys()].sort((a, b) => priority(b) - priority(a));
  const stored = names[0]!;
  const versions = names.map((name) => ({ ...byName.get(name), storage: name === stored }));
  const spec = { ...mappingOf(first!['spec']), versions };
  return { crd: { ...first, spec }, stored };
}

/** In the order of API servers: v2, v1, v1beta2, v1beta1, v1alpha1, and then all other names. */
function priority(name: string): number {
  const [, major, stage, minor = '0'] = /^v(\d{1,4})(?:(alpha|beta)(\d{1,4}))?$/.exec(name) ?? [];
  if (major === undefined) return 0;
  const rank = stage === undefined ? 3 : stage === 'beta' ? 2 : 1;
  return (rank * 10_000 + Number(major)) * 10_000 + Number(minor);
}
