import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { loadAll } from 'js-yaml';

export interface TreePackage {
  readonly kind: string;
  readonly crossplane: string | undefined;
  readonly dependsOn: readonly { readonly repository: string; readonly constraint: string }[];
  /** The CRDs that it would install, including those of XRDs and claims, and Compositions. */
  readonly owns: readonly string[];
  readonly compositions: readonly { readonly functionRefs: readonly string[] }[];
}

/** Packages by repository, then by version. */
export type PackageTree = ReadonlyMap<string, ReadonlyMap<string, TreePackage>>;

interface Document {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly crossplane?: { readonly version: string };
    readonly dependsOn?: readonly Readonly<Record<string, string>>[];
    readonly group?: string;
    readonly claimNames?: { readonly plural: string };
    readonly pipeline?: readonly { readonly functionRef: { readonly name: string } }[];
  };
}

/**
 * Reads a tree of `<repository>@<version>` folders without code from `src/`, so that fixtures can
 * be compared with the results of the tool.
 */
export function readPackageTree(folder: string): PackageTree {
  const documents = new Map<string, Document[]>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.yaml')) continue;
    const path = relative(folder, join(folder, file)).split(sep);
    const id = path.slice(0, path.findIndex((part) => part.includes('@')) + 1).join('/');
    const read = loadAll(readFileSync(join(folder, file), 'utf8')) as Document[]; // our own files
    documents.set(id, [
      ...(documents.get(id) ?? []),
      ...read.filter((document) => document !== null),
    ]);
  }
  const tree = new Map<string, Map<string, TreePackage>>();
  for (const [id, found] of documents) {
    const at = id.lastIndexOf('@');
    const versions = tree.get(id.slice(0, at)) ?? new Map<string, TreePackage>();
    tree.set(id.slice(0, at), versions.set(id.slice(at + 1), packageOf(found)));
  }
  return tree;
}

function packageOf(documents: readonly Document[]): TreePackage {
  const metas = documents.filter((document) => document.apiVersion.startsWith('meta.pkg.'));
  if (metas.length !== 1) throw new Error(`${metas.length} meta documents`);
  const { kind, spec } = metas[0]!;
  return {
    kind,
    crossplane: spec.crossplane?.version,
    dependsOn: (spec.dependsOn ?? []).map((entry) => ({
      repository:
        entry['package'] ?? entry['configuration'] ?? entry['provider'] ?? entry['function']!,
      constraint: entry['version']!,
    })),
    owns: documents.flatMap(owned),
    compositions: documents
      .filter((document) => document.kind === 'Composition')
      .map((document) => ({
        functionRefs: (document.spec.pipeline ?? []).map((step) => step.functionRef.name),
      })),
  };
}

function owned({ kind, metadata, spec }: Document): string[] {
  if (kind === 'CustomResourceDefinition') return [metadata.name];
  if (kind === 'Composition') return [`Composition ${metadata.name}`];
  if (kind !== 'CompositeResourceDefinition') return [];
  return [metadata.name, ...(spec.claimNames ? [`${spec.claimNames.plural}.${spec.group}`] : [])];
}
