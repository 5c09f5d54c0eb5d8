import { DENIED_SCHEMA, POLICY_SCHEMA } from './policy/policy-schema.js';

/** A part of a JSON Schema document. */
type Schema = { readonly [key: string]: unknown };

const text = (description: string): Schema => ({ type: 'string', minLength: 1, description });
const map = (description: string): Schema => ({
  type: 'object',
  additionalProperties: { type: 'string' },
  description,
});
const record = (description: string, properties: Schema, rest: Schema = {}): Schema => ({
  type: 'object',
  description,
  additionalProperties: false,
  properties,
  ...rest,
});

const REPOSITORY = 'OCI repository without tag or digest, spelled as in `dependsOn`.';
const VERSION = 'Constraint (`^v1.20.0`, `>=v1.0.0, <v2.0.0`), tag, or `sha256:` digest.';
const repository = text(REPOSITORY);
const version = text(VERSION);
const named = (fields: Schema, description: string): Schema =>
  record(description, fields, { required: ['name'] });

/** In a spec, null takes away what `defaults` give. */
const orNull = (schema: Schema): Schema => ({
  ...schema,
  ...('enum' in schema ? { enum: [schema['enum'], null].flat() } : {}),
  ...('type' in schema ? { type: [schema['type'], 'null'] } : {}),
});

const specFields: Readonly<Record<string, Schema>> = {
  revisionActivationPolicy: {
    enum: ['Automatic', 'Manual'],
    description: 'Whether a new revision becomes active by itself.',
  },
  revisionHistoryLimit: {
    type: 'integer',
    minimum: 0,
    description: 'Inactive revisions to keep; 0 keeps all.',
  },
  packagePullSecrets: {
    type: 'array',
    items: named({ name: text('Name of a Secret.') }, 'A Secret in the namespace of Crossplane.'),
    description: 'Secrets to pull the package with. Dependencies do not inherit them.',
  },
  packagePullPolicy: {
    enum: ['Always', 'IfNotPresent', 'Never'],
    description: 'When the package image is pulled.',
  },
  ignoreCrossplaneConstraints: {
    type: 'boolean',
    description: "Install whatever the package's own Crossplane constraint says.",
  },
  skipDependencyResolution: {
    type: 'boolean',
    description: 'Do not follow `dependsOn`. It has to be the same for every package.',
  },
  commonLabels: map('Labels for every object the package installs.'),
  commonAnnotations: map('Annotations for every object it installs (Crossplane v2.3 and later).'),
  controllerConfigRef: named(
    { name: text('Name of a ControllerConfig.') },
    'Runtime settings up to Crossplane v1.20.',
  ),
  runtimeConfigRef: named(
    {
      apiVersion: text('`pkg.crossplane.io/v1beta1` unless told otherwise.'),
      kind: text('`DeploymentRuntimeConfig` unless told otherwise.'),
      name: text('Name of the runtime config.'),
    },
    'Runtime settings of a Provider or Function.',
  ),
};

const packageSpec = record(
  'Fields of the `spec` of a `pkg.crossplane.io` object, merged into what is rendered.',
  Object.fromEntries(Object.entries(specFields).map(([name, field]) => [name, orNull(field)])),
);

const SUBJECTS = ['provider', 'configuration', 'function', 'package', 'crd'] as const;

const entry = record(
  'One package, or one API, that must be there.',
  {
    provider: text(`A Provider: ${REPOSITORY}`),
    configuration: text(`A Configuration: ${REPOSITORY}`),
    function: text(`A Function: ${REPOSITORY}`),
    package: text(`A package whose kind is read from it: ${REPOSITORY}`),
    crd: {
      type: ['string', 'object'],
      minLength: 1,
      additionalProperties: false,
      required: ['group', 'kind'],
      properties: {
        group: text('API group, or `*` for any.'),
        version: text('API version. Left out: any.'),
        kind: text('Kind the CRD defines.'),
      },
      description:
        'An API, whichever package owns it: a CRD name (`buckets.s3.aws.upbound.io`), or `group/version/Kind`.',
    },
    version: text(`${VERSION} Left out: any version.`),
    name: text("Name of the package object. Left out: Crossplane's own derived name."),
    spec: { $ref: '#/$defs/packageSpec' },
    prerelease: {
      type: 'boolean',
      description: 'Admit prereleases of this package, as `--prerelease` does.',
    },
  },
  {
    oneOf: SUBJECTS.map((subject) => ({ required: [subject] })),
    dependentSchemas: {
      crd: { properties: { version: false, name: false, spec: false, prerelease: false } },
    },
  },
);

/** JSON Schema (draft 2020-12) of a PackageSet; what editors use, and what input is held to. */
export const PACKAGE_SET_SCHEMA: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'PackageSet',
  ...record(
    'Packages to resolve, lock and render with xpkg-resolve.',
    {
      $schema: text('Address of this schema, for editors.'),
      apiVersion: { const: 'xpkg-resolve.dev/v1alpha1' },
      kind: { const: 'PackageSet' },
      metadata: record('Name of the set, for people.', {
        name: text('Name of the set.'),
        labels: map('Not used.'),
        annotations: map('Not used.'),
      }),
      spec: record('What is wanted.', {
        crossplane: text(
          'Crossplane release to resolve for, exact, or a constraint (`>=v1.20.0`). `--crossplane` beats it.',
        ),
        crossplanes: {
          type: 'array',
          items: text('A release, or a range of releases.'),
          description:
            'Crossplane releases that the set is meant to work on: those that `matrix` looks at.',
        },
        include: {
          type: 'array',
          items: text('Path of a file, from the folder of this one.'),
          description:
            'Files with PackageSets that this one stands over: what it says wins, and what it leaves out stays.',
        },
        packages: {
          type: 'array',
          items: { $ref: '#/$defs/entry' },
          description: 'Roots. Their order breaks ties between equally good answers.',
        },
        overrides: {
          type: 'array',
          items: { $ref: '#/$defs/override' },
          description: 'Constraints that replace all others on a package.',
        },
        replace: {
          type: 'array',
          items: { $ref: '#/$defs/replacement' },
          description: 'Whoever asks for the one gets the other: a registry move.',
        },
        exclude: {
          type: 'array',
          items: { $ref: '#/$defs/exclusion' },
          description: 'Versions never to choose.',
        },
        policy: { $ref: '#/$defs/policy' },
        defaults: record('For every package object rendered.', {
          spec: { $ref: '#/$defs/packageSpec' },
        }),
        allowUndigested: {
          type: 'boolean',
          description: 'Lock versions whose digest no source knows, as `--allow-undigested` does.',
        },
      }),
    },
    { required: ['apiVersion', 'kind', 'spec'] },
  ),
  $defs: {
    policy: POLICY_SCHEMA,
    denied: DENIED_SCHEMA,
    packageSpec,
    entry,
    override: record(
      'Replaces every constraint on a package.',
      { package: repository, version },
      { required: ['package', 'version'] },
    ),
    replacement: record(
      'A package and what to take in its place.',
      { package: repository, with: repository },
      { required: ['package', 'with'] },
    ),
    exclusion: record(
      'Versions of a package never to choose.',
      { package: repository, version },
      { required: ['package', 'version'] },
    ),
  },
};
