import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluate } from '@marcbachmann/cel-js';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';

/** The fields of a structural schema that validation uses. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly nullable?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-validations'?: readonly {
    readonly rule: string;
    readonly message?: string;
  }[];
}

interface Crd {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

/**
 * Returns the errors of an API server with these CRDs for an object, with strict validation of
 * fields.
 */
export type ApiServer = (object: unknown) => readonly string[];

export function apiServer(folder: string): ApiServer {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const kinds = new Map<string, (object: unknown) => readonly string[]>();
  for (const file of readdirSync(folder)) {
    const { spec } = load(readFileSync(join(folder, file), 'utf8')) as Crd;
    for (const { name, served, schema } of spec.versions) {
      if (!served) continue;
      const check = ajv.compile(closed(schema.openAPIV3Schema));
      kinds.set(`${spec.group}/${name} ${spec.names.kind}`, (object) => [
        ...(check(object) ? [] : check.errors!.map((e) => `${e.instancePath} ${e.message}`)),
        ...brokenRules(schema.openAPIV3Schema, object, ''),
      ]);
    }
  }
  return (object) => {
    const { apiVersion, kind } = object as { apiVersion: string; kind: string };
    const check = kinds.get(`${apiVersion} ${kind}`);
    return check === undefined ? [`no matches for ${apiVersion} ${kind}`] : check(object);
  };
}

/** Returns the schema without unknown fields, like strict validation of kubectl. */
function closed(schema: Schema): Schema {
  const { type, properties, items, additionalProperties: others, ...rest } = schema;
  return {
    ...rest,
    ...(type !== undefined && schema['x-kubernetes-int-or-string'] !== true && { type }),
    ...(items && { items: closed(items) }),
    ...(typeof others === 'object' && { additionalProperties: closed(others) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, closed(each)]),
      ),
      ...(schema['x-kubernetes-preserve-unknown-fields'] !== true && {
        additionalProperties: false,
      }),
    }),
  };
}

function brokenRules(schema: Schema, value: unknown, path: string): readonly string[] {
  if (value === undefined || value === null) return [];
  const own = (schema['x-kubernetes-validations'] ?? [])
    .filter(({ rule }) => evaluate(rule, { self: value }) !== true)
    .map(({ rule, message }) => `${path} ${message ?? rule}`);
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    brokenRules(each, (value as Record<string, unknown>)[name], `${path}/${name}`),
  );
  const elements =
    schema.items !== undefined && Array.isArray(value)
      ? value.flatMap((each, i) => brokenRules(schema.items!, each, `${path}/${i}`))
      : [];
  return [...own, ...members, ...elements];
}
