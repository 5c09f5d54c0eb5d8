import { EXIT, type JsonOutput } from './command.js';
import type { Schema } from '../../base/json-schema.js';
import { OWNED_KINDS } from '../../crossplane/packages/owned-objects.js';
import { PACKAGE_KINDS } from '../../crossplane/packages/package.js';
import { MISMATCH_KINDS } from '../../project/lockfile/mismatch.js';

/** A schema with the TypeScript type of the values that it describes. */
export interface TypedSchema<T> extends Schema {
  /** Never present: it only carries the type. */
  readonly '~type'?: T;
}

/** The TypeScript type of the values that a schema describes; `unknown` for an untyped schema. */
export type Static<S extends Schema> = S extends TypedSchema<infer T> ? T : never;

/** Fields of an object by name; a name that ends in `?` is optional. */
export type Fields = Readonly<Record<string, Schema>>;

/** The type of an object with these fields. */
export type RecordOf<F extends Fields> = {
  readonly [Name in keyof F as Name extends `${string}?` ? never : Name]: Static<F[Name]>;
} & {
  readonly [Name in keyof F as Name extends `${infer Bare}?` ? Bare : never]?:
    Static<F[Name]> | undefined;
};

/** Schemas of fields, each with a description for editors and readers. */
const described =
  <T>(schema: Schema) =>
  (description: string): TypedSchema<T> => ({ ...schema, description });
export const text = described<string>({ type: 'string' });
export const count = described<number>({ type: 'integer', minimum: 0 });
export const flag = described<boolean>({ type: 'boolean' });
export const texts = described<readonly string[]>({ type: 'array', items: { type: 'string' } });
export const oneOf = <const T>(values: readonly T[], description: string): TypedSchema<T> => ({
  enum: values,
  description,
});
export const constant = <const T>(value: T, description: string): TypedSchema<T> => ({
  const: value,
  description,
});
export const list = <T>(items: TypedSchema<T>, description: string): TypedSchema<readonly T[]> => ({
  type: 'array',
  items,
  description,
});
/** A value of any form; the type is not checked against the schema. */
export const anything = <T = unknown>(description: string): TypedSchema<T> => ({ description });
/** A schema in `$defs`; the type is not checked against it. */
export const ref = <T>(name: string): TypedSchema<T> => ({ $ref: `#/$defs/${name}` });

/** The schema of an object. Fields are required unless their name ends in `?`. */
export function record<const F extends Fields>(
  fields: F,
  description?: string,
): TypedSchema<RecordOf<F>> {
  const named = Object.entries(fields).map(([name, schema]) => [name.replace('?', ''), schema]);
  return {
    type: 'object',
    required: Object.keys(fields).filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(named) as Schema,
    ...(description !== undefined && { description }),
  };
}

/** The schema of what a command prints with `-o json`. Later versions may add fields and remove none. */
export function outputSchema<const F extends Fields>(
  title: string,
  fields: F,
): TypedSchema<RecordOf<F>> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `xpkg-resolve ${title}`,
    ...record({
      schemaVersion: constant(1, 'Version of this format.'),
      ...fields,
      ...(isForRelease(fields) && { 'releaseFacts?': releaseFactsField }),
    }),
  };
}

function isForRelease(fields: Fields): boolean {
  return fields['crossplane'] === crossplane || fields['crossplane?'] === crossplane;
}

/** Ties a writer to the schema of what it writes. Declare the return type of `write`. */
export function jsonOutput<T extends object, Value, Args = unknown>(
  schema: TypedSchema<T>,
  write: (value: Value, args: Args) => NoInfer<T> | undefined,
): JsonOutput<Value, Args> {
  return { schema, write };
}

/** The document of a command whose value has the form of the document. */
export function valueOutput<T extends object>(schema: TypedSchema<T>): JsonOutput<T, unknown> {
  return { schema, write: (value) => value };
}

/** Fields that more than one command prints. */
export const source = text('OCI repository of the package.');
export const version = text('Tag, or digest where the package is demanded by digest.');
export const crossplane = text('Crossplane release that it is about.');
export const releaseFactsField = record(
  {
    release: text('The known release whose rules were applied.'),
    state: oneOf(
      ['tested', 'read', 'inferred', 'unknown'],
      'How they are known: from the running release, from its source, from its neighbors, or not.',
    ),
    asOf: text('Date of the test or, without one, of the facts.'),
  },
  'How well the rules of the release are known.',
);
export const kind = oneOf(PACKAGE_KINDS, 'Kind of the package.');
export const notes = list(text('A note.'), 'What is worth knowing.');

export const ownedFields = {
  kind: oneOf(OWNED_KINDS, 'Kind of object; a claim is the CRD that an XRD adds.'),
  name: text('Its name.'),
};

export const owned = record(ownedFields, 'An object that a package owns.');

export const severity = oneOf(['error', 'warning', 'info'], 'How much it matters.');

export const place = {
  file: text('File that it stands in.'),
  'line?': count('Line in that file, from 1.'),
};

export const packageFinding = record(
  {
    severity,
    code: text('Name of the rule.'),
    message: text('What is wrong, why, and what to write.'),
    'file?': place.file,
    'line?': place['line?'],
  },
  'Something found in a package.',
);

/** Fields of every locked package. */
export const locked = { source, version, direct: flag('Whether the user asks for it by name.') };

/** Identifies a run and one of its parts. Only `index` differs between the parts. */
export const shardFields = {
  index: count('Which part, from 1.'),
  of: count('Of how many parts.'),
  command: text('The command that was run.'),
  tool: text('Version of xpkg-resolve.'),
  flags: text('Digest of its arguments, and of flags that change the answer.'),
  inputs: text('Digest of what the files say that ask for packages.'),
};

/** The part of a run with `--shard` that a document belongs to. */
export const shard = record(shardFields, 'With `--shard`: which part of the work it is about.');

const mismatch = record({
  kind: oneOf(MISMATCH_KINDS, 'What does not match what.'),
  'source?': text('OCI repository; absent: it is about the set.'),
  'version?': text('Version that is locked.'),
  text: text('What is wrong.'),
  'file?': text('File that differs.'),
  'line?': count('The first line in which it does.'),
  'locked?': text('What the lockfile has, or renders.'),
  'found?': text('What there is instead.'),
});

export type MismatchDocument = Static<typeof mismatch>;

export const mismatches = list(mismatch, 'What is locked and not so.');

/** What `-o json` prints for every command that fails. */
export const ERROR_OUTPUT = outputSchema('COMMAND -o json, failing', {
  status: constant('error', 'The command failed.'),
  exitCode: count('Exit code of the process.'),
  error: record(
    {
      message: text('What is wrong; several problems of a file have a line each.'),
      'file?': text('File that it stands in, or `command line`.'),
      'line?': count('Line in that file, from 1.'),
      'hint?': text('What to do.'),
    },
    'What went wrong.',
  ),
});

/** An `ERROR_OUTPUT` document without `schemaVersion`. */
export type ErrorDocument = Static<typeof ERROR_OUTPUT>;

/** What `-o json` prints for every command whose lockfile or rendered manifests are not up to date. */
export const MISMATCH_OUTPUT = outputSchema(
  'COMMAND -o json, where a lockfile or bundle is not true',
  {
    status: constant('mismatch', 'What is locked is missing, stale or not so.'),
    exitCode: constant(EXIT.lockMismatch, 'Exit code of the process.'),
    mismatches,
  },
);

/** A `MISMATCH_OUTPUT` document without `schemaVersion`. */
export type MismatchOutputDocument = Static<typeof MISMATCH_OUTPUT>;
