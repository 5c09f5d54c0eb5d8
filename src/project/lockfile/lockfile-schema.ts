import { EXTRA_KINDS } from '../../crossplane/package-manager/image-config.js';
import { OWNED_KINDS, type OwnedKind } from '../../crossplane/packages/owned-objects.js';
import { PACKAGE_KINDS, type PackageKind } from '../../crossplane/packages/package.js';
import { type Digest, DIGEST_PATTERN } from '../../base/digest.js';
import type { JsonObject } from '../../base/json.js';
import type { Schema } from '../../base/json-schema.js';
import {
  type LockedPackage,
  type LockedSigner,
  type Lockfile,
  type LockInputs,
  LOCKFILE_VERSION,
  type ObjectTemplate,
} from './lockfile.js';

/** The content of `xpkg.lock.yaml`. */
export interface LockfileDocument extends Omit<Lockfile, 'packages' | 'indexes'> {
  readonly version: typeof LOCKFILE_VERSION;
  readonly packages: readonly PackageBlock[];
  readonly indexes?: readonly IndexBlock[] | undefined;
}

interface IndexBlock {
  readonly index: string;
  readonly digest: Digest;
}

type RequiredFields = 'version' | 'kind' | 'name' | 'direct';

export interface PackageBlock
  extends
    Pick<LockedPackage, RequiredFields>,
    Partial<
      Omit<LockedPackage, RequiredFields | 'repository' | 'requirements' | 'owns' | 'object'>
    > {
  readonly source: string;
  readonly dependsOn?: readonly RequirementBlock[] | undefined;
  readonly owns?: Readonly<Record<string, Readonly<Partial<Record<OwnedKind, readonly string[]>>>>>;
  readonly object?: Partial<ObjectTemplate> | undefined;
}

export type RequirementBlock = ShortRequirement | ExplicitRequirement | CrdRequirementBlock;

/** A field named after the kind, and a constraint. */
type ShortRequirement = Optional<Lowercase<PackageKind>> & { readonly version: string };

type Optional<Field extends string> = { readonly [F in Field]?: string | undefined };

interface ExplicitRequirement {
  readonly apiVersion: string;
  readonly kind: PackageKind;
  readonly package: string;
  readonly version: string;
}

interface CrdRequirementBlock {
  readonly crd: string;
  readonly demand?: CrdRefBlock | undefined;
}

export type CrdRefBlock = Optional<'crd' | 'group' | 'version' | 'kind'>;

/** Metadata of a package's object, without its name. */
interface MetadataBlock {
  readonly labels?: JsonObject | undefined;
  readonly annotations?: JsonObject | undefined;
}

const text = (description: string): Schema => ({ type: 'string', description });
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
const names = list({ type: 'string' }, 'Names, in code-point order.');

/** Returns the schema of a mapping with exactly the fields of its type. */
const record = <T>(
  properties: Readonly<Record<keyof T, Schema>>,
  required: readonly (keyof T)[] = [],
): Schema => ({ type: 'object', additionalProperties: false, required, properties });

const kind: Schema = { enum: PACKAGE_KINDS, description: 'Kind of the package.' };
const constraint = text('Constraint, verbatim.');
const repository = text('OCI repository, as the package spells it.');

const shortRequirement: Schema = {
  ...record<ShortRequirement>(
    { provider: repository, configuration: repository, function: repository, version: constraint },
    ['version'],
  ),
  maxProperties: 2,
};
const explicitRequirement = record<ExplicitRequirement>(
  {
    apiVersion: text('apiVersion, as the package states it.'),
    kind,
    package: repository,
    version: constraint,
  },
  ['apiVersion', 'kind', 'package', 'version'],
);
const crdRequirement = record<CrdRequirementBlock>(
  {
    crd: text('A CRD, in the words of the package.'),
    demand: {
      ...record<CrdRefBlock>({
        crd: text('Name of the CRD.'),
        group: text('API group, or `*` for any.'),
        version: text('API version; absent: any.'),
        kind: text('Kind, or `*` for any.'),
      }),
      if: { required: ['crd'] },
      // eslint-disable-next-line unicorn/no-thenable -- `then` is the keyword's name
      then: { properties: { group: false, kind: false } },
      else: { required: ['group', 'kind'] },
      description: 'What that means, where it is more than the name of a CRD.',
    },
  },
  ['crd'],
);

const requirement: Schema = {
  type: 'object',
  if: { required: ['crd'] },
  // eslint-disable-next-line unicorn/no-thenable -- `then` is the keyword's name
  then: crdRequirement,
  else: {
    if: {
      anyOf: ['provider', 'configuration', 'function'].map((field) => ({ required: [field] })),
    },
    // eslint-disable-next-line unicorn/no-thenable -- `then` is the keyword's name
    then: shortRequirement,
    else: explicitRequirement,
  },
};

/** Metadata that a lockfile may set: no owners or finalizers, as a pull request may edit it. */
const metadataSchema: Readonly<Record<keyof MetadataBlock, Schema>> = {
  labels: { description: 'Labels of the object.' },
  annotations: { description: 'Annotations of the object.' },
};

const extraManifest: Schema = {
  type: 'object',
  required: ['kind', 'metadata'],
  properties: {
    kind: {
      enum: [...EXTRA_KINDS, 'ManagedResourceActivationPolicy'],
      description: 'Kind of the object.',
    },
    metadata: {
      ...record<MetadataBlock & { name: string }>(
        { name: text('Name of the object.'), ...metadataSchema },
        ['name'],
      ),
      description: 'Name, labels and annotations.',
    },
    status: false,
  },
};

const lockedPackage = record<PackageBlock>(
  {
    source: text('OCI repository, spelled as packages spell it in `dependsOn`.'),
    version: text('Tag, or the digest where the package is demanded by digest.'),
    digest: digest('What the tag pointed at: the image index where there is one.'),
    manifest: digest('Manifest chosen from that index; absent where there is no index.'),
    baseLayer: digest('Layer that holds package.yaml.'),
    packageYaml: digest('Of the bytes of package.yaml.'),
    signature: {
      ...record<LockedSigner>(
        {
          policy: text('The ImageConfig that asks for a signature.'),
          authority: text('The authority of it that signed.'),
          key: digest('Of the key that signed (DER); absent: the signer has a certificate.'),
          subject: text('Who signed, as the certificate says.'),
          issuer: text('Who vouches for that.'),
          predicateType: text('What is attested; absent: it is a signature.'),
          digest: digest('Of the signature.'),
        },
        ['policy', 'authority', 'digest'],
      ),
      description: 'How its signature was verified (`--require-signatures`); absent: it was not.',
    },
    longerTags: list(
      { type: 'string' },
      'What longer published tags begin with, a character longer than `version`; absent: tags were not asked for, as `--pin locked` does.',
    ),
    kind,
    name: text('Name of the object in the bundle.'),
    direct: { type: 'boolean', description: 'Whether it was asked for by name.' },
    crossplane: text("The package's own Crossplane constraint."),
    dependsOn: list(
      { $ref: '#/$defs/requirement' },
      'Dependencies as the package states them, in its order.',
    ),
    owns: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        propertyNames: { enum: OWNED_KINDS },
        additionalProperties: names,
      },
      description: 'Objects it installs, by API group and kind.',
    },
    object: {
      ...record<ObjectTemplate>({
        apiVersion: text('apiVersion of the object given.'),
        metadata: {
          ...record<MetadataBlock>(metadataSchema),
          description: 'Labels and annotations.',
        },
        spec: {
          type: 'object',
          properties: { package: false },
          description: 'Fields of the spec beside `package`.',
        },
        untagged: {
          type: 'boolean',
          description:
            'Whether `spec.package` is rendered without the tag `latest`, as it was given.',
        },
      }),
      description: 'What the object in the bundle has beside its package.',
    },
  },
  ['source', 'version', 'kind', 'name', 'direct'],
);

export const LOCKFILE_SCHEMA: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'xpkg.lock.yaml',
  description: 'Lockfile of xpkg-resolve: written by the tool, committed by its users.',
  ...record<LockfileDocument>(
    {
      version: { const: LOCKFILE_VERSION, description: 'Version of this format.' },
      crossplane: text('Crossplane release that it is for.'),
      inputs: {
        ...record<LockInputs>(
          {
            name: text('Name of the package set or package.'),
            files: list(text('Path of an input file.'), 'Input files, relative to the lockfile.'),
          },
          ['files'],
        ),
        description: 'The package set that it belongs to, where that is recorded.',
      },
      packages: list({ $ref: '#/$defs/package' }, 'The closure, by source in code-point order.'),
      objects: list(
        { $ref: '#/$defs/object' },
        'ImageConfigs, DeploymentRuntimeConfigs and ManagedResourceActivationPolicies that were given.',
      ),
      indexes: list(
        record<IndexBlock>(
          {
            index: text('Index in parts, as it was named.'),
            digest: digest('Which state of it was read.'),
          },
          ['index', 'digest'],
        ),
        'Indexes that it was resolved from, where that is recorded (`--lock-index`).',
      ),
      skipDependencyResolution: list(
        { type: 'string' },
        'Why every object skips dependency resolution; empty: none does.',
      ),
    },
    ['version', 'crossplane', 'packages', 'objects', 'skipDependencyResolution'],
  ),
  $defs: { package: lockedPackage, requirement, object: extraManifest },
};
