import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type * as ajv2020 from 'ajv/dist/2020.js';
import type { Path } from './yaml/places.js';

/** A JSON Schema (draft 2020-12), or a part of one. */
export type Schema = { readonly [key: string]: unknown };

/** Where a value departs from a schema. */
export interface SchemaError extends ErrorObject {
  readonly path: Path;
}

/**
 * A function that tells where a value departs from a schema: nothing, the first place or, with
 * `all`, every place.
 *
 * The first call loads ajv and compiles the schema, some 60 ms of processor time, which a
 * command that reads no such document does not pay. ajv is a CommonJS package: `require` can load it at that
 * moment without making every reader asynchronous.
 */
export function schemaCheck(
  schema: Schema,
  { all = false }: { readonly all?: boolean } = {},
): (value: unknown) => readonly SchemaError[] {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= compile(schema, all);
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => ({
      ...error,
      path: pathOf(error.instancePath, value),
    }));
  };
}

const require = createRequire(import.meta.url);

/** Leaves out the checks of the schema itself: tests have ajv make them, in strict mode. */
function compile(schema: Schema, allErrors: boolean): ValidateFunction {
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof ajv2020;
  const ajv = new Ajv2020({
    allErrors,
    verbose: true,
    ownProperties: true,
    strict: false,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  return ajv.compile(schema);
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
