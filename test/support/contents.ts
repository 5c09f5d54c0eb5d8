import type {
  MetaDocument,
  PackageContents,
  PackageObject,
} from '../../src/crossplane/packages/package-contents.js';
import { targetFor, type Target } from '../../src/crossplane/releases/target.js';

/** A minimal meta document with the given fields. */
export function meta(fields: Partial<MetaDocument> = {}): MetaDocument {
  return {
    apiVersion: 'meta.pkg.crossplane.io/v1',
    kind: 'Configuration',
    name: 'platform',
    labels: {},
    annotations: {},
    crossplane: undefined,
    dependsOn: [],
    capabilities: [],
    ...fields,
  };
}

export function contents(
  fields: Partial<MetaDocument> = {},
  objects: readonly PackageObject[] = [],
): PackageContents {
  return { metas: [meta(fields)], objects, problems: [], warnings: [] };
}

export function crd(name: string, fields: Partial<PackageObject> = {}): PackageObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name,
    ...fields,
  };
}

export function xrd(name: string, claimCrd?: string): PackageObject {
  const apiVersion = 'apiextensions.crossplane.io/v1';
  return { apiVersion, kind: 'CompositeResourceDefinition', name, claimCrd };
}

export function target(version: string): Target {
  return targetFor(version)!;
}
