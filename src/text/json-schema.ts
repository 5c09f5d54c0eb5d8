import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type * as ajv2020 from 'ajv/dist/2020.js';
import type { Path } from './yaml/path.js';

/** A JSON Schema (draft 2020-12), or a part of one. */
export type Schema = { readonly [key: string]: unknown };

/** Where a value departs from a schema. */
export interface SchemaError extends ErrorObject {
  readonly path: Path;
}

/** Tells where a value departs from a schema. */
type SchemaCheck = (value: unknown) => readonly SchemaError[];

/**
 * A function that tells where a value departs from a schema: nothing, the first place or, with
 * `all`, every place.
 *
 * ajv and what it compiles take some 150 ms of processor time to come up. So the build
 * (`rolldown.config.ts`) puts a check by a validator compiled by then in the place of each call, and what is
 * published is without ajv. Here, where tests run, the first call of the function loads it.
 */
export function schemaCheck(
  schema: Schema,
  { all = false }: { readonly all?: boolean } = {},
): SchemaCheck {
  return checkWith(() => compile(schema, all));
}

/** The check of a validator that the build has compiled, by the name of its schema; loaded by the first call. */
export function compiledCheck(name: string): SchemaCheck {
  const require = createRequire(import.meta.url);
  return checkWith(() => require(`../validators/${name}.cjs`) as ValidateFunction);
}

/** The check of a validator that the first call loads. */
export function checkWith(load: () => ValidateFunction): SchemaCheck {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= load();
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => ({
      ...error,
      path: pathOf(error.instancePath, value),
    }));
  };
}

/** Leaves out the checks of the schema itself: tests have ajv make them, in strict mode. */
export const AJV_OPTIONS = {
  verbose: true,
  ownProperties: true,
  strict: false,
  meta: false,
  validateSchema: false,
} as const;

/** ajv is a CommonJS package: `require` can load it without making every reader asynchronous. */
function compile(schema: Schema, allErrors: boolean): ValidateFunction {
  const require = createRequire(import.meta.url);
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof ajv2020;
  return new Ajv2020({ ...AJV_OPTIONS, allErrors, code: { optimize: false } }).compile(schema);
}

/** A JSON pointer as a path; digits are an index only where there is a list. */
function pathOf(pointer: string, root: unknown): Path {
  let value: unknown = root;
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => {
      const step = Array.isArray(value) ? Number(part) : part;
      value = (value as Record<string | number, unknown>)[step];
      return step;
    });
}
