import type { CompositionSpec, Definition } from '../../crossplane/packages/package-contents.js';
import type { JsonValue } from '../../base/json.js';
import { DIGEST_PATTERN } from '../../base/digest.js';
import type { Schema } from '../../base/json-schema.js';

/**
 * Package metadata, as in an `index:` file or a test.
 *
 * Keys of `packages` are repositories as written in dependsOn. Keys of `versions` are tags, or
 * digests for untagged images.
 */
export interface IndexFile {
  readonly packages: Readonly<Record<string, IndexPackage>>;
}

export interface IndexPackage {
  readonly kind: string;
  readonly versions: Readonly<Record<string, IndexVersion>>;
}

/** Every field is optional: an absent list is empty, an absent apiVersion is unknown. */
export interface IndexVersion {
  /** Constraint on the Crossplane version. */
  readonly crossplane?: string | undefined;
  readonly digest?: string | undefined;
  /** Copied unchanged from the package. */
  readonly dependsOn?: readonly JsonValue[] | undefined;
  readonly crds?: readonly string[] | undefined;
  readonly xrds?: readonly IndexXrd[] | undefined;
  readonly compositions?: readonly string[] | undefined;
  /** Properties that decide which releases accept a Composition, by name, if known. */
  readonly compositionSpecs?: Readonly<Record<string, CompositionSpec>> | undefined;

  /** Objects that do not fit into `crds`, `xrds` and `compositions`. */
  readonly objects?: readonly IndexObject[] | undefined;
  /** Resources that the CRDs define, by CRD name, if known. */
  readonly defines?: Readonly<Record<string, Definition>> | undefined;
  /** Kind, if it differs from that of the package. */
  readonly kind?: string | undefined;
  /** apiVersion of the meta document. */
  readonly apiVersion?: string | undefined;
  /** `metadata.name`; by default the last segment of the repository. */
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly capabilities?: readonly string[] | undefined;
  /** `spec.crossplane` as written, unless it is `{version: <string>}`. */
  readonly crossplaneAsWritten?: JsonValue | undefined;
  readonly decodeError?: string | undefined;
  /** Reasons why no Crossplane release can read the package. */
  readonly problems?: readonly string[] | undefined;
  /** Creation time that the image claims (RFC 3339). */
  readonly created?: string | undefined;
  /** Time when an updated index first contained the version (RFC 3339). */
  readonly firstSeen?: string | undefined;
  readonly manifest?: string | undefined;
  readonly baseLayer?: string | undefined;
  readonly packageYaml?: string | undefined;
}

export interface IndexXrd {
  readonly name: string;
  /** Name of the claim CRD. */
  readonly claim?: string | undefined;
  readonly claimKind?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly defines?: Definition | undefined;
}

export interface IndexObject extends IndexXrd {
  readonly kind: string;
}

const text = (description: string): Schema => ({ type: 'string', description });
const texts = (description: string): Schema => list({ type: 'string' }, description);
const digest = (description: string): Schema => ({
  type: 'string',
  pattern: DIGEST_PATTERN,
  description,
});
const list = (items: Schema, description: string): Schema => ({
  type: 'array',
  items,
  description,
});
const map = (additionalProperties: Schema, description: string): Schema => ({
  type: 'object',
  additionalProperties,
  description,
});

/** Returns the schema of an object with a schema for each field of its type. */
const record = <T>(
  properties: Readonly<Record<keyof T, Schema>>,
  required: readonly (keyof T)[] = [],
): Schema => ({ type: 'object', required, properties });

const definition = record<Definition>(
  {
    group: text('API group.'),
    kind: text('Kind of the resource.'),
    versions: texts('API versions.'),
    shortNames: texts('Short names, for kubectl; absent: none, or not known.'),
    storage: text('Version in which objects are stored; absent: not known.'),
    unserved: texts('Versions that are not served; with `storage` and without this, all are.'),
    deprecated: texts('Versions that are deprecated; with `storage` and without this, none is.'),
  },
  ['group', 'kind', 'versions'],
);

const xrdFields: Readonly<Record<keyof IndexXrd, Schema>> = {
  name: text('Name of the object.'),
  claim: text('Name of the CRD of its claims.'),
  claimKind: text('Kind of its claims.'),
  apiVersion: text('Of the object; absent: not known, and taken by every release.'),
  defines: { $ref: '#/$defs/definition' },
};
const xrd = record<IndexXrd>(xrdFields, ['name']);
const object = record<IndexObject>({ ...xrdFields, kind: text('Kind of the object.') }, [
  'kind',
  'name',
]);

const composition = record<CompositionSpec>(
  {
    mode: text('`spec.mode`; absent: not set.'),
    pipeline: { type: 'boolean', description: 'Whether `spec.pipeline` has a step.' },
  },
  ['pipeline'],
);

const version = record<IndexVersion>({
  crossplane: text('Constraint on Crossplane; absent: any release will do.'),
  digest: digest('What the tag points at. Without it the version can be resolved, not locked.'),
  dependsOn: {
    type: 'array',
    description: 'Dependencies, verbatim from the package, whatever is wrong with them.',
  },
  crds: texts('Names of the CRDs that it installs.'),
  xrds: list(xrd, 'XRDs that it installs.'),
  compositions: texts('Names of the Compositions that it installs.'),
  compositionSpecs: map(
    composition,
    'What decides which releases accept the Compositions, by name; absent: not known.',
  ),
  objects: list(object, 'Objects that none of the three lists above has room for.'),
  defines: map({ $ref: '#/$defs/definition' }, 'What the CRDs define, by name, where known.'),
  kind: text('Kind of this version, where it is not that of the package.'),
  apiVersion: text('Of the meta document; absent: not known, and taken by every release.'),
  name: text('`metadata.name`; absent: the last part of the repository.'),
  labels: map({ type: 'string' }, 'Labels of the meta document; absent: none, or not known.'),
  capabilities: texts('Capabilities that the meta document names.'),
  crossplaneAsWritten: {
    description: '`spec.crossplane`, where it is anything but a mapping with a `version`.',
  },
  decodeError: text('Why the meta document cannot be decoded.'),
  problems: texts('Why no release can read the package.'),
  created: text('When its image says that it was made, as in RFC 3339; absent: not known.'),
  firstSeen: text(
    'When this index first saw it, where it was kept up to date; absent: before that.',
  ),
  manifest: digest('Manifest chosen from an image index.'),
  baseLayer: digest('Layer that holds package.yaml.'),
  packageYaml: digest('Of the bytes of package.yaml.'),
});

/** JSON Schema of an index file. Unknown fields are allowed. */
export const INDEX_SCHEMA: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Index of packages',
  description:
    'Metadata of packages, for `--from index:FILE`; what `xpkg-resolve index` writes, and what may be written by hand.',
  ...record<IndexFile>(
    {
      packages: map(
        { $ref: '#/$defs/package' },
        'By repository, spelled as in `dependsOn`: no default registry is added.',
      ),
    },
    ['packages'],
  ),
  $defs: {
    package: record<IndexPackage>(
      {
        kind: text('Provider, Configuration or Function.'),
        versions: map({ $ref: '#/$defs/version' }, 'By tag, or by digest for what no tag names.'),
      },
      ['kind', 'versions'],
    ),
    version,
    definition,
  },
};
