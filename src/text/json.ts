export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

// All of these are for values of parsed JSON, or of YAML that holds nothing else.

/** Whether a value is what JSON calls an object and YAML a mapping: neither null nor a list. */
export function isMapping(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

// Each of the following gives the value where it is of that type, and else undefined.

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

export function listOf(value: unknown): readonly JsonValue[] | undefined {
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

/** Whether lists and mappings are nested more than `levels` deep. */
export function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** What a value takes beside its text, about, in characters. */
const CHARS_OF_NODE = 8;

/** How much memory plain data takes, about, in characters. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return CHARS_OF_NODE + value.length;
  if (typeof value !== 'object' || value === null) return CHARS_OF_NODE;
  let weight = CHARS_OF_NODE;
  if (Array.isArray(value)) for (const item of value) weight += weightOf(item);
  else for (const [key, item] of Object.entries(value)) weight += key.length + weightOf(item);
  return weight;
}
