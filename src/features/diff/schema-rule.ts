import type { DiffSeverity, RuleResult } from './findings.js';
import { mappingOf, type JsonObject, type JsonValue } from '../../base/json.js';

/** One node of a schema, before and after a change. */
export interface SchemaPair {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** What a rule finds at a node. */
export interface RuleFinding extends RuleResult {
  /** Keyword of the schema that changed. */
  readonly keyword: string;
  /** Name of the field below the node that changed; undefined: the node itself. */
  readonly field?: string | undefined;
}

/** A family of rules: the effects of changing one or a few keywords of a schema. */
export interface RuleFamily {
  /** Keywords that the family covers. Changes of other keywords are reported as harmless. */
  readonly keywords: readonly string[];
  find(pair: SchemaPair): Iterable<RuleFinding>;
}

/** Schemas of the fields of an object, by name. */
export function fieldsIn(schema: JsonObject): ReadonlyMap<string, JsonObject> {
  const fields = Object.entries(mappingOf(schema['properties']) ?? {});
  return new Map(fields.map(([name, field]) => [name, mappingOf(field) ?? {}]));
}

/** Values of a keyword that is a list. */
export function valuesOf(schema: JsonObject, keyword: string): readonly JsonValue[] {
  const value = schema[keyword];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

/** Whether the API server keeps fields that the schema does not name. */
export function keepsUnknown(schema: JsonObject): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

type FlagResult = readonly [rule: string, severity: DiffSeverity, text: string];

/** Yields the result for a boolean keyword that was set or cleared. */
export function* flagChange(
  { before, after }: SchemaPair,
  keyword: string,
  results: { readonly set: FlagResult; readonly cleared: FlagResult },
): Iterable<RuleFinding> {
  const isSet = after[keyword] === true;
  if (isSet === (before[keyword] === true)) return;
  const [rule, severity, text] = isSet ? results.set : results.cleared;
  yield { rule, severity, text, keyword };
}
