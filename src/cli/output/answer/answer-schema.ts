import type { CoreKind } from '../../../explain/core-entries.js';
import { PACKAGE_KINDS } from '../../../model/package.js';
import type { Schema } from '../../../text/json-schema.js';
import type { Mismatch } from '../../../usecases/mismatch.js';

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

const operation: Schema = {
  type: 'object',
  required: ['op', 'path'],
  properties: {
    op: { enum: ['add', 'remove', 'replace', 'move'], description: 'What is done.' },
    path: text('Where: a JSON pointer.'),
    from: text('Where from, of what is moved.'),
    value: { description: 'What is put there.' },
  },
};

const EDIT: Readonly<Record<string, Schema>> = {
  file: text('The file to change; `-` for standard input.'),
  document: count('The document of that file, from 0; empty ones count.'),
  patch: {
    type: 'array',
    items: { $ref: '#/$defs/operation' },
    description: 'The change, as a JSON Patch (RFC 6902); of the path `` alone: a new file.',
  },
};

const edit: Schema = { type: 'object', required: Object.keys(EDIT), properties: EDIT };

const suggestion: Schema = {
  type: 'object',
  required: ['text'],
  properties: {
    text: text('What to change.'),
    ...EDIT,
    also: {
      type: 'array',
      items: { $ref: '#/$defs/edit' },
      description: 'Changes to other documents that belong to it.',
    },
    refs: {
      type: 'array',
      items: text('A reference.'),
      description: 'All references of the command line, as they become.',
    },
    args: {
      type: 'array',
      items: text('A word of the command line.'),
      description: 'Flags to add or change.',
    },
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
  policy: true,
};

/** Every kind of mismatch, likewise. */
const MISMATCH_KINDS: Readonly<Record<Mismatch['kind'], true>> = {
  'tag-moved': true,
  gone: true,
  content: true,
  constraint: true,
  input: true,
  stale: true,
  bundle: true,
  missing: true,
  mirror: true,
  signature: true,
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
    status: {
      enum: ['solved', 'unsolvable', 'gave-up', 'mismatch'],
      description: 'How it went; `mismatch`: what is locked is stale or not true.',
    },
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
    exitCode: count('Exit code of the process, where it is 4.'),
    mismatches: {
      type: 'array',
      items: {
        type: 'object',
        required: ['kind', 'text'],
        properties: {
          kind: { enum: Object.keys(MISMATCH_KINDS), description: 'What does not match what.' },
          source: text('OCI repository; absent: it is about the set.'),
          version: text('Version that is locked.'),
          text: text('What is wrong.'),
          file: text('File that differs.'),
          line: count('The first line in which it does.'),
          locked: text('What the lockfile has, or renders.'),
          found: text('What there is instead.'),
        },
      },
      description: 'What is locked and not so.',
    },
    reason: text('What it was waiting for when its time was up; absent: it was searching.'),
    summary: {
      type: 'object',
      required: ['headline', 'lines'],
      properties: {
        headline: text('What is wrong, in one sentence.'),
        lines: {
          type: 'array',
          items: text('A sentence.'),
          description:
            'Who wants what, and where that cannot meet; empty: the headline says it all.',
        },
      },
      description: 'Why there is no answer, in short.',
    },
    explanation: text('Why there is no answer, step by step.'),
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
    findings: {
      type: 'array',
      items: {
        type: 'object',
        required: ['rule', 'severity', 'file', 'text'],
        properties: {
          rule: text('Name of the rule.'),
          severity: { enum: ['error'], description: 'No set can do without it mended.' },
          file: text('File it is about.'),
          line: count('Line in it.'),
          text: text('What is wrong, and why it hurts.'),
          fix: text('What to write instead.'),
        },
      },
      description: 'Of `lint`: what in the set keeps it from having an answer.',
    },
    suggestions: {
      type: 'array',
      items: { $ref: '#/$defs/suggestion' },
      description: 'Changes that would help, the smallest first; `--apply-hint N` makes one.',
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
    {
      if: { properties: { status: { const: 'mismatch' } } },
      // eslint-disable-next-line unicorn/no-thenable -- `then` is the keyword's name
      then: { required: ['exitCode', 'mismatches'] },
    },
  ],
  $defs: { package: locked, suggestion, edit, operation },
};
