import type { CoreKind } from '../../../explain/core-entries.js';
import { PACKAGE_KINDS } from '../../../model/package.js';
import type { Schema } from '../../../text/json-schema.js';

const text = (description: string): Schema => ({ type: 'string', description });
const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });

const locked: Schema = {
  type: 'object',
  required: ['source', 'version', 'kind', 'name', 'direct'],
  properties: {
    source: text('OCI repository.'),
    version: text('Tag, or the digest where the package is demanded by digest.'),
    digest: text('What the tag points at; absent with `--allow-undigested` alone.'),
    kind: { enum: PACKAGE_KINDS, description: 'Kind of the package.' },
    name: text('Name of the object in the bundle.'),
    direct: { type: 'boolean', description: 'Whether it was asked for by name.' },
  },
};

/** Every kind: the compiler misses one that is left out. */
const CORE_KINDS: Readonly<Record<CoreKind, true>> = {
  requirement: true,
  crossplane: true,
  ownership: true,
  missing: true,
  cycle: true,
  kind: true,
  digest: true,
  source: true,
};

/** JSON Schema of what `resolve -o json` prints; fields may be added, none is taken away. */
export const RESOLVE_OUTPUT_SCHEMA: Schema = {
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
          kind: { enum: Object.keys(CORE_KINDS), description: 'What sort of fact it is.' },
          text: text('The fact.'),
          path: {
            type: 'array',
            items: { type: 'string' },
            description: 'Where it comes from: a place in an input, then package by package.',
          },
          demand: {
            type: 'object',
            required: ['by', 'on', 'constraint'],
            properties: {
              by: text('Who asks: a place in an input, or a repository.'),
              on: text('Repository that is asked for.'),
              constraint: text('Which versions of it.'),
            },
            description: 'Of a requirement: who asks for which versions of which package.',
          },
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
