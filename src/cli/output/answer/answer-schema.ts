const text = (description: string) => ({ type: 'string', description });
const count = (description: string) => ({ type: 'integer', minimum: 0, description });

const locked = {
  type: 'object',
  required: ['source', 'version', 'kind', 'name', 'direct'],
  properties: {
    source: text('OCI repository.'),
    version: text('Tag, or the digest where the package is demanded by digest.'),
    digest: text('What the tag points at; absent with `--allow-undigested` alone.'),
    kind: { enum: ['Provider', 'Configuration', 'Function'], description: 'Kind of the package.' },
    name: text('Name of the object in the bundle.'),
    direct: { type: 'boolean', description: 'Whether it was asked for by name.' },
  },
};

const CORE_KINDS = [
  'requirement',
  'crossplane',
  'ownership',
  'missing',
  'cycle',
  'kind',
  'digest',
  'source',
];

/** JSON Schema of what `resolve -o json` prints; fields may be added, none is taken away. */
export const RESOLVE_OUTPUT_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'xpkg-resolve resolve -o json',
  description: 'The answer of a resolution.',
  type: 'object',
  required: ['schemaVersion', 'status'],
  properties: {
    schemaVersion: { const: 1, description: 'Version of this format.' },
    status: { enum: ['solved', 'unsolvable', 'gave-up'], description: 'How it went.' },
    crossplane: text('Crossplane release that the answer is for.'),
    packages: {
      type: 'array',
      items: { $ref: '#/$defs/package' },
      description: 'The closure, by source in code-point order.',
    },
    changes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['source'],
        properties: {
          source: text('OCI repository.'),
          from: text('Version in the lockfile before; absent: it is new.'),
          to: text('Version now; absent: it is gone.'),
          reason: text('What brought the change about, where that can be told.'),
        },
      },
      description: 'What differs from the lockfile that was there.',
    },
    notes: { type: 'array', items: text('A note.'), description: 'What is worth knowing.' },
    stats: {
      type: 'object',
      properties: {
        listed: count('Tag lists asked for.'),
        fetched: count('Package versions whose metadata was read.'),
        bytes: count('Bytes read from the network.'),
        decisions: count('Versions tried.'),
        conflicts: count('Dead ends met.'),
      },
      description: 'What it took.',
    },
    explanation: text('Why there is no answer.'),
    core: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kind', 'text'],
        properties: {
          kind: { enum: CORE_KINDS, description: 'What sort of fact it is.' },
          text: text('The fact.'),
        },
      },
      description: 'The facts that rule every answer out.',
    },
    suggestions: {
      type: 'array',
      items: { type: 'object', required: ['text'], properties: { text: text('What to change.') } },
      description: 'Changes that would help.',
    },
  },
  allOf: [
    {
      if: { properties: { status: { const: 'solved' } } },
      // eslint-disable-next-line unicorn/no-thenable -- `then` is the keyword's name
      then: { required: ['crossplane', 'packages', 'stats'] },
    },
    {
      if: { properties: { status: { const: 'unsolvable' } } },
      // eslint-disable-next-line unicorn/no-thenable -- `then` is the keyword's name
      then: { required: ['explanation', 'core', 'suggestions'] },
    },
  ],
  $defs: { package: locked },
};
