import * as fc from 'fast-check';
import type { IndexVersion } from '../../model/index-file.js';
import type { MetaDocument, PackageObject } from '../../model/package-contents.js';
import type { JsonObject } from '../../text/json.js';
import { pick, picked, sometimes } from './arbitraries.js';
import { DEFAULT_KNOBS, type Knobs } from './knobs.js';
import { spelledStream, spelling } from './spelled-yaml.js';
import { universe } from './universe.js';
import { publishedIn } from './changed-universe.js';

/** A `package.yaml` and what is to be read from it. */
export interface PackageStream {
  readonly text: string;
  readonly meta: MetaDocument;
  readonly objects: readonly PackageObject[];
}

export interface PackageYamlKnobs extends Knobs {
  /** Share of streams that are not written as tools write them. */
  readonly spelled: number;
}

/**
 * The `package.yaml` of a version of a generated universe: a meta document among the objects of the
 * package, in any of the ways in which YAML can be written.
 */
export function packageYaml(knobs: Partial<PackageYamlKnobs> = {}): fc.Arbitrary<PackageStream> {
  const { spelled, ...rest } = { ...DEFAULT_KNOBS, spelled: 0.5, ...knobs };
  return fc
    .record({
      universe: universe({ ...rest, packages: Math.min(rest.packages, 5), versions: 1 }),
      of: pick(),
      metaAt: sometimes(0.1, pick()),
      described: sometimes(0.3, fc.constantFrom(...DESCRIPTIONS)),
      spelling: sometimes(spelled, spelling()),
    })
    .map((plan) => {
      const { repository, version } = picked(plan.of, publishedIn(plan.universe))!;
      const kind = version.kind ?? plan.universe.packages[repository]!.kind;
      const meta = metaOf({ repository, kind, version, description: plan.described });
      const objects = objectsIn(version);
      const documents = objects.map(documentOf);
      documents.splice((plan.metaAt ?? 0) % (objects.length + 1), 0, metaDocument(meta));
      return printable({ text: spelledStream(documents, plan.spelling), meta, objects });
    });
}

const DESCRIPTIONS = [
  'Buckets, and what goes with them',
  'A platform: networks, databases\nand what they need.\n',
  '# not a comment\n---ish, and "quoted"',
];

/** Lets fast-check's report of a failure show the file. */
function printable(stream: PackageStream): PackageStream {
  return Object.defineProperty(stream, fc.toStringMethod, { value: () => `\n${stream.text}` });
}

function metaOf(given: {
  readonly repository: string;
  readonly kind: string;
  readonly version: IndexVersion;
  readonly description: string | undefined;
}): MetaDocument {
  const { repository, kind, version, description } = given;
  return {
    apiVersion:
      kind === 'Function' ? 'meta.pkg.crossplane.io/v1beta1' : 'meta.pkg.crossplane.io/v1',
    kind,
    name: repository.slice(repository.lastIndexOf('/') + 1),
    labels: {},
    annotations: description === undefined ? {} : { 'meta.crossplane.io/description': description },
    crossplane: version.crossplane === undefined ? undefined : { version: version.crossplane },
    dependsOn: version.dependsOn ?? [],
    capabilities: [],
  };
}

function metaDocument(meta: MetaDocument): JsonObject {
  const { apiVersion = '', kind, name, annotations, crossplane, dependsOn } = meta;
  const spec: JsonObject = {
    ...(crossplane === undefined ? {} : { crossplane }),
    ...(dependsOn.length === 0 ? {} : { dependsOn }),
    ...(kind === 'Configuration' ? {} : { image: `registry.acme.io/${name}:latest` }),
  };
  return {
    apiVersion,
    kind,
    metadata: { name, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
}

function objectsIn({ crds = [], xrds = [], compositions = [] }: IndexVersion): PackageObject[] {
  return [
    ...crds.map((name): PackageObject => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      name,
      defines: { group: groupOf(name), kind: kindNamed(name), versions: ['v1beta1', 'v1'] },
    })),
    ...xrds.map(({ name, claim }): PackageObject => ({
      apiVersion: 'apiextensions.crossplane.io/v1',
      kind: 'CompositeResourceDefinition',
      name,
      defines: { group: groupOf(name), kind: kindNamed(name), versions: ['v1alpha1'] },
      ...(claim === undefined ? {} : { claimCrd: claim, claimKind: kindNamed(claim) }),
    })),
    ...compositions.map((name): PackageObject => ({
      apiVersion: 'apiextensions.crossplane.io/v1',
      kind: 'Composition',
      name,
    })),
  ];
}

function documentOf(object: PackageObject): JsonObject {
  const { apiVersion = '', kind, name, defines, claimCrd, claimKind } = object;
  const head = { apiVersion, kind, metadata: { name } };
  if (defines === undefined) return { ...head, spec: { mode: 'Pipeline', pipeline: [] } };
  return {
    ...head,
    spec: {
      group: defines.group,
      names: { kind: defines.kind, plural: pluralOf(name) },
      ...(claimCrd === undefined
        ? {}
        : { claimNames: { kind: claimKind ?? '', plural: pluralOf(claimCrd) } }),
      versions: defines.versions.map((version) => ({ name: version, served: true })),
    },
  };
}

const pluralOf = (name: string) => name.slice(0, name.indexOf('.'));
const groupOf = (name: string) => name.slice(name.indexOf('.') + 1);

/** `buckets.s3.aws.upbound.io` gives `Bucket`. */
function kindNamed(name: string): string {
  const singular = pluralOf(name).replace(/ies$/, 'y').replace(/s$/, '');
  return `${singular.slice(0, 1).toUpperCase()}${singular.slice(1)}`;
}
