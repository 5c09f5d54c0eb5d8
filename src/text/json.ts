export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** Whether a value of parsed JSON or YAML is an object there, a mapping: neither null nor a list. */
export function isMapping(value: JsonValue | undefined): value is JsonObject;
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>>;
export function isMapping(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[];
export function isList(value: unknown): value is readonly unknown[];
export function isList(value: unknown): boolean {
  return Array.isArray(value);
}

// Each gives the value where it is of that type, and undefined where it is not.

/** By key, as a Map: keys such as `constructor` then find no member of a prototype. */
export function fieldsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return isMapping(value) ? new Map(Object.entries(value)) : undefined;
}

export function mappingOf(value: JsonValue | undefined): JsonObject | undefined {
  return isMapping(value) ? value : undefined;
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] | undefined;
export function listOf(value: unknown): readonly unknown[] | undefined;
export function listOf(value: unknown): readonly unknown[] | undefined {
  return isList(value) ? value : undefined;
}

/** Parsed JSON, from text or its bytes in UTF-8; undefined: it is none. */
export function parseJson(json: string | Uint8Array): { readonly value: unknown } | undefined {
  const text = typeof json === 'string' ? json : Buffer.from(json).toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return undefined;
  }
}
