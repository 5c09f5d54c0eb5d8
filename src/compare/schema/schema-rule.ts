import { mappingOf, type JsonObject, type JsonValue } from '../../text/json.js';
import type { DiffSeverity } from '../severity.js';

/** One node of a schema, before and after. */
export interface SchemaPair {
  readonly old: JsonObject;
  readonly fresh: JsonObject;
}

/** What a rule finds at a node. */
export interface RuleFinding {
  readonly rule: string;
  readonly severity: DiffSeverity;
  readonly text: string;
  /** Keyword of the schema that it stands at. */
  readonly keyword: string;
  /** Field below the node that it is about; undefined: the node itself. */
  readonly field?: string | undefined;
}

/** A family of rules: what one or a few keywords of a schema do when they change. */
export interface RuleFamily {
  /** Keywords that it answers for; where it finds nothing, their changes are told as harmless. */
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

/** Whether fields that the schema does not name are kept. */
export function keepsUnknown(schema: JsonObject): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}
