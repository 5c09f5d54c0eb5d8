import { DURATION_PATTERN } from './policy.js';
import type { Schema } from '../../base/json-schema.js';
import {
  ACTIVATION_POLICIES,
  MIN_REVISION_HISTORY_LIMIT,
  PULL_POLICIES,
} from '../../crossplane/releases/package-fields.js';

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
const list = (items: Schema, description: string, rest: Schema = {}): Schema => ({
  type: 'array',
  ...rest,
  items,
  description,
});

const PACKAGES =
  'A repository in full, or its first parts: `xpkg.upbound.io/upbound` is every package of that organisation.';

const POLICY_SCHEMA: Schema = {
  type: 'object',
  description:
    'What may be chosen at all, of every package of the closure. It speaks of packages by their names, wherever a mirror gets them from. Policies of included files hold too.',
  additionalProperties: false,
  properties: {
    registries: list(
      text(`${PACKAGES} A host alone is a whole registry.`),
      'Where packages may come from; no other registry is asked for any.',
      { minItems: 1 },
    ),
    deny: list({ $ref: '#/$defs/denied' }, 'Packages, or versions of them, never to choose.'),
    minimumAge: {
      type: 'string',
      pattern: DURATION_PATTERN,
      description:
        'How long a release must be out before it is chosen: `90m`, `24h`, `7d`, `2w`. What is locked stays.',
    },
    minimumAgeExcept: list(
      text(`${PACKAGES} \`@\` and a version, or a constraint, after it narrow it down.`),
      'What may be chosen whatever its age.',
    ),
    unknownAge: {
      enum: ['refuse', 'allow'],
      description:
        'What becomes of versions that say nothing, or nothing to be believed, of when they were published: `refuse` unless told.',
    },
  },
  dependentRequired: { minimumAgeExcept: ['minimumAge'], unknownAge: ['minimumAge'] },
};

/** An entry of `spec.policy.deny`. */
const DENIED_SCHEMA: Schema = {
  type: 'object',
  description: 'Packages never to choose.',
  additionalProperties: false,
  required: ['package'],
  properties: {
    package: text(PACKAGES),
    version: text('Constraint (`>=v1.2.0, <v1.2.4`) or tag. Left out: every version.'),
    reason: text('Why, for those who read the refusal.'),
  },
};

const REPOSITORY = 'OCI repository without tag or digest, spelled as in `dependsOn`.';
const VERSION = 'Constraint (`^v1.20.0`, `>=v1.0.0, <v2.0.0`), tag, or `sha256:` digest.';
const repository = text(REPOSITORY);
const version = text(VERSION);
const namedRecord = (fields: Schema, description: string): Schema =>
  record(description, fields, { required: ['name'] });

/** Null in a spec overrides a value of `defaults`. */
const orNull = (schema: Schema): Schema => ({
  ...schema,
  ...('enum' in schema ? { enum: [schema['enum'], null].flat() } : {}),
  ...('type' in schema ? { type: [schema['type'], 'null'] } : {}),
});

const specFields: Readonly<Record<string, Schema>> = {
  revisionActivationPolicy: {
    enum: ACTIVATION_POLICIES,
    description: 'Whether a new revision becomes active by itself.',
  },
  revisionHistoryLimit: {
    type: 'integer',
    minimum: MIN_REVISION_HISTORY_LIMIT,
    description: 'Inactive revisions to keep; 0 keeps all.',
  },
  packagePullSecrets: list(
    namedRecord({ name: text('Name of a Secret.') }, 'A Secret in the namespace of Crossplane.'),
    'Secrets to pull the package with. Dependencies do not inherit them.',
  ),
  packagePullPolicy: { enum: PULL_POLICIES, description: 'When the package image is pulled.' },
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
  controllerConfigRef: namedRecord(
    { name: text('Name of a ControllerConfig.') },
    'Runtime settings up to Crossplane v1.20.',
  ),
  runtimeConfigRef: namedRecord(
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

/** The same fields for a `pkg.crossplane.io` object, which may have fields of other releases. */
export const PACKAGE_SPEC_SCHEMA: Schema = { ...packageSpec, additionalProperties: true };

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
    // A `$ref` would be slow: ajv does not inline it and collects its errors in quadratic time.
    spec: packageSpec,
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

/** JSON Schema (draft 2020-12) of a PackageSet, for editors and for validating input. */
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
        crossplanes: list(
          text('A release, or a range of releases.'),
          'Crossplane releases that the set is meant to work on: those that `matrix` looks at.',
        ),
        include: list(
          text('Path of a file, from the folder of this one.'),
          'Files with PackageSets that this one stands over: what it says wins, and what it leaves out stays.',
        ),
        packages: list(
          { $ref: '#/$defs/entry' },
          'Roots. Their order breaks ties between equally good answers.',
        ),
        overrides: list(
          { $ref: '#/$defs/override' },
          'Constraints that replace all others on a package.',
        ),
        replace: list(
          { $ref: '#/$defs/replacement' },
          'Whoever asks for the one gets the other: a registry move.',
        ),
        exclude: list({ $ref: '#/$defs/exclusion' }, 'Versions never to choose.'),
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
