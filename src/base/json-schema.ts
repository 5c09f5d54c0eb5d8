import { createRequire } from 'node:module';
import type * as ajv2020 from 'ajv/dist/2020.js';
import { type Path, pointerSteps } from './json.js';

export type Schema = { readonly [key: string]: unknown };

/** A violation of a schema as ajv reports it. Declared here, because users do not install ajv. */
interface Violation {
  readonly keyword: string;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly propertyName?: string;
  readonly message?: string;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
}

/** A place where a value violates a schema. */
export interface SchemaError extends Violation {
  readonly path: Path;
}

/** A function that ajv made of a schema. */
interface Validator {
  (value: unknown): boolean;
  readonly errors?: readonly Violation[] | null;
}

type SchemaCheck = (value: unknown) => readonly SchemaError[];

/**
 * Returns a check against a schema. It finds the first error or, with `all`, every error.
 *
 * Loading ajv and compiling a schema takes about 150 ms. The build (`rolldown.config.ts`) therefore
 * replaces each call with a precompiled validator. Without a build, as in tests, the first check
 * compiles the schema.
 */
export function schemaCheck(
  schema: Schema,
  { all = false }: { readonly all?: boolean } = {},
): SchemaCheck {
  return checkWith(() => compile(schema, all));
}

/** Returns the check of a validator that the build has compiled. The first check loads it. */
export function compiledCheck(name: string): SchemaCheck {
  const require = createRequire(import.meta.url);
  return checkWith(() => require(`../validators/${name}.cjs`) as Validator);
}

/** Returns a check that loads its validator at the first use. */
export function checkWith(load: () => Validator): SchemaCheck {
  let validate: Validator | undefined;
  return (value) => {
    validate ??= load();
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => ({
      ...error,
      path: pathOf(error.instancePath, value),
    }));
  };
}

/** Skips the validation of the schema itself. Tests do it, in strict mode. */
export const AJV_OPTIONS = {
  verbose: true,
  ownProperties: true,
  strict: false,
  meta: false,
  validateSchema: false,
} as const;

/** ajv is a CommonJS package, so `require` can load it synchronously. */
function compile(schema: Schema, allErrors: boolean): Validator {
  const require = createRequire(import.meta.url);
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof ajv2020;
  return new Ajv2020({ ...AJV_OPTIONS, allErrors, code: { optimize: false } }).compile(schema);
}

/** Converts a JSON pointer to a path. Digits are an index only in lists. */
function pathOf(pointer: string, root: unknown): Path {
  let value: unknown = root;
  return pointerSteps(pointer).map((part) => {
    const step = Array.isArray(value) ? Number(part) : part;
    value = (value as Record<string | number, unknown>)[step];
    return step;
  });
}
