export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

// These functions take values of parsed JSON, or of YAML that has only JSON types.

/** Whether a value is what JSON calls an object and YAML a mapping: neither null nor a list. */
export function isMapping(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Returns the members as a Map, where `constructor` finds no member of a prototype. */
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

/** Parses JSON text or its UTF-8 bytes. Returns undefined if it is invalid. */
export function parseJson(json: string | Uint8Array): { readonly value: unknown } | undefined {
  const text = typeof json === 'string' ? json : Buffer.from(json).toString('utf8');
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return undefined;
  }
}

export function isNestedDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isNestedDeeper(inner, levels - 1));
}

/** Estimated overhead of one value, in characters. */
const CHARS_PER_VALUE = 8;

/** Returns the estimated memory use of plain data, in characters. */
export function estimatedSize(value: unknown): number {
  if (typeof value === 'string') return CHARS_PER_VALUE + value.length;
  if (typeof value !== 'object' || value === null) return CHARS_PER_VALUE;
  let size = CHARS_PER_VALUE;
  if (Array.isArray(value)) for (const item of value) size += estimatedSize(item);
  else for (const [key, item] of Object.entries(value)) size += key.length + estimatedSize(item);
  return size;
}

/** The location of a value in a document: `['spec', 'packages', 2, 'version']`. */
export type Path = readonly (string | number)[];

/** Formats a path for messages: `spec.packages[2].version`. */
export function formatPath(path: Path): string {
  return path
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`;
      return /^[\w-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join('')
    .replace(/^\./, '');
}

/** One change to a JSON or YAML document (RFC 6902); `path` is a JSON pointer (RFC 6901). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string }
  /** Renames a key of a mapping. */
  | { readonly op: 'move'; readonly from: string; readonly path: string };

/** Limit for documents with expanded aliases: a few can stand for billions of nodes. */
const MAX_NODES = 100_000;
const MAX_DEPTH = 1_000;

/** Whether a document is too large or too deep once its aliases are expanded. */
export function hasExcessiveAliases(value: JsonValue): boolean {
  let remaining = MAX_NODES;
  const visit = (node: JsonValue, depth: number): void => {
    if (depth > MAX_DEPTH) remaining = 0;
    if (--remaining < 0 || typeof node !== 'object' || node === null) return;
    for (const child of Object.values(node)) {
      visit(child, depth + 1);
      if (remaining < 0) return;
    }
  };
  visit(value, 0);
  return remaining < 0;
}

/** Splits a JSON pointer: `/a~1b/0` gives `a/b` and `0`. */
export function pointerSteps(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the JSON pointer of some steps. Numbers are list indexes. */
export function jsonPointer(steps: readonly (string | number)[]): string {
  return steps
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** Returns the value at the end of some steps, or undefined if there is none. */
export function valueAtSteps(
  value: JsonValue | undefined,
  steps: readonly string[],
): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>((at, step) => childOf(at, step), value);
}

function childOf(value: JsonValue | undefined, step: string): JsonValue | undefined {
  if (isList(value)) return /^(?:0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined;
  return isMapping(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}
