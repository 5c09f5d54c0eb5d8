const text = (description: string) => ({ type: 'string', minLength: 1, description });
const digest = (description: string) => ({
  type: 'string',
  pattern: '^sha256:[0-9a-f]{64}$',
  description,
});

const KINDS = ['Provider', 'Configuration', 'Function'];

const lockedPackage = {
  type: 'object',
  additionalProperties: false,
  required: ['source', 'version', 'kind', 'name', 'direct'],
  properties: {
    source: text('OCI repository, spelled as packages spell it in `dependsOn`.'),
    version: text('Tag, or the digest where the package is demanded by digest.'),
    digest: digest('What the tag pointed at: the image index where there is one.'),
    manifest: digest('Manifest chosen from that index; absent where there is no index.'),
    baseLayer: digest('Layer that holds package.yaml.'),
    packageYaml: digest('Of the bytes of package.yaml.'),
    kind: { enum: KINDS, description: 'Kind of the package.' },
    name: text('Name of the object in the bundle.'),
    direct: { type: 'boolean', description: 'Whether it was asked for by name.' },
    crossplane: text("The package's own Crossplane constraint."),
    dependsOn: {
      type: 'array',
      items: { type: 'object' },
      description: 'Dependencies as the package states them.',
    },
    owns: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      },
      description: 'Objects it installs, by API group and kind.',
    },
    object: {
      type: 'object',
      additionalProperties: false,
      properties: {
        apiVersion: text('apiVersion of the object given.'),
        metadata: { type: 'object', description: 'Labels, annotations and the like.' },
        spec: { type: 'object', description: 'Fields of the spec beside `package`.' },
      },
      description: 'What the object in the bundle has beside its package.',
    },
  },
};

/** JSON Schema of `xpkg.lock.yaml`. */
export const LOCKFILE_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'xpkg.lock.yaml',
  description: 'Lockfile of xpkg-resolve: written by the tool, committed by its users.',
  type: 'object',
  additionalProperties: false,
  required: ['version', 'crossplane', 'packages', 'objects', 'skipDependencyResolution'],
  properties: {
    version: { const: 1, description: 'Version of this format.' },
    crossplane: text('Crossplane release that it is for.'),
    packages: {
      type: 'array',
      items: { $ref: '#/$defs/package' },
      description: 'The closure, by source in code-point order.',
    },
    objects: {
      type: 'array',
      items: { type: 'object' },
      description: 'ImageConfigs and DeploymentRuntimeConfigs that were given.',
    },
    skipDependencyResolution: {
      type: 'array',
      items: { type: 'string' },
      description: 'Why every object skips dependency resolution; empty: none does.',
    },
  },
  $defs: { package: lockedPackage },
};
