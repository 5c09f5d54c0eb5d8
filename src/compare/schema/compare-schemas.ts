import { isMapping, mappingOf, type JsonObject } from '../../text/json.js';
import type { Path } from '../../text/yaml/path.js';
import type { DocumentFinding } from '../document-finding.js';
import { atMost, type DiffSeverity } from '../severity.js';
import { sameValue } from '../shown-value.js';
import { ANNOTATION_RULES } from './annotations.js';
import { BOUND_RULES } from './bounds.js';
import { CEL_RULES } from './cel-rules.js';
import { COMBINATION_RULES } from './combinations.js';
import { DEFAULT_RULES } from './defaults.js';
import { ENUM_RULES } from './enums.js';
import { FIELD_RULES } from './fields.js';
import { LIST_RULES } from './lists.js';
import { NULL_RULES } from './nulls.js';
import { PATTERN_RULES } from './patterns.js';
import { REQUIRED_RULES } from './required.js';
import { fieldsIn, type RuleFamily, type RuleFinding, type SchemaPair } from './schema-rule.js';
import { TYPE_RULES } from './value-types.js';
import { UNKNOWN_FIELD_RULES } from './unknown-fields.js';

const FAMILIES: readonly RuleFamily[] = [
  FIELD_RULES,
  TYPE_RULES,
  ENUM_RULES,
  REQUIRED_RULES,
  BOUND_RULES,
  PATTERN_RULES,
  DEFAULT_RULES,
  NULL_RULES,
  CEL_RULES,
  UNKNOWN_FIELD_RULES,
  LIST_RULES,
  COMBINATION_RULES,
  ANNOTATION_RULES,
];

/** A schema, and where it stands in its document. */
export interface PlacedSchema {
  readonly schema: JsonObject;
  readonly at: Path;
}

/** What one schema refuses, drops or means otherwise than another, by field. */
export function compareSchemas(
  old: PlacedSchema,
  fresh: PlacedSchema,
  version: string,
): DocumentFinding[] {
  const found: DocumentFinding[] = [];
  compareNode({ old, fresh, path: '', limit: 'stored' });
  return found;

  function compareNode(node: Node): void {
    const pair = { old: node.old.schema, fresh: node.fresh.schema };
    if (sameValue(pair.old, pair.fresh)) return;
    for (const finding of findingsAt(pair)) found.push(placed(finding, node, version));
    for (const child of childrenOf(node)) compareNode(child);
  }
}

/** A node of both schemas. */
interface Node {
  readonly old: PlacedSchema;
  readonly fresh: PlacedSchema;
  readonly path: string;
  /** The worst that a change can do here. */
  readonly limit: DiffSeverity;
}

/** The nodes below that both schemas have. */
function* childrenOf(node: Node): Iterable<Node> {
  const fresh = fieldsIn(node.fresh.schema);
  for (const [name, schema] of fieldsIn(node.old.schema)) {
    const other = fresh.get(name);
    if (other === undefined) continue;
    const path = fieldPath(node.path, name);
    // The controller writes the status anew: the user's objects lose nothing that it does not restore.
    const limit = path === 'status' ? 'readers' : node.limit;
    yield {
      old: { schema, at: [...node.old.at, 'properties', name] },
      fresh: { schema: other, at: [...node.fresh.at, 'properties', name] },
      path,
      limit,
    };
  }
  yield* below(node, 'items', `${node.path}[]`);
  yield* below(node, 'additionalProperties', `${node.path}.*`);
}

function* below(node: Node, keyword: string, path: string): Iterable<Node> {
  const [old, fresh] = [node.old.schema[keyword], node.fresh.schema[keyword]];
  if (!isMapping(old) || !isMapping(fresh)) return;
  yield {
    old: { schema: old, at: [...node.old.at, keyword] },
    fresh: { schema: fresh, at: [...node.fresh.at, keyword] },
    path,
    limit: node.limit,
  };
}

/** A path with one more field: names that are not plain words are quoted. */
export function fieldPath(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

function* findingsAt(pair: SchemaPair): Iterable<RuleFinding> {
  const told = new Set<string>(STRUCTURAL);
  for (const family of FAMILIES) {
    const findings = [...family.find(pair)];
    if (findings.length > 0) for (const keyword of family.keywords) told.add(keyword);
    yield* findings;
  }
  yield* otherKeywords(pair, told);
}

/** Keywords that hold the nodes below. */
const STRUCTURAL = ['properties', 'items', 'additionalProperties'];

/** Changes that mean nothing by any rule, such as another order, or of what no rule knows. */
function* otherKeywords(
  { old, fresh }: SchemaPair,
  told: ReadonlySet<string>,
): Iterable<RuleFinding> {
  for (const keyword of new Set([...Object.keys(old), ...Object.keys(fresh)])) {
    if (told.has(keyword) || sameValue(old[keyword], fresh[keyword])) continue;
    const text = `${keyword} changed`;
    yield { rule: 'keyword-changed', severity: 'harmless', text, keyword };
  }
}

function placed(finding: RuleFinding, node: Node, version: string): DocumentFinding {
  const { rule, severity, text, keyword, field } = finding;
  const step = field === undefined ? [keyword] : ['properties', field];
  const path = field === undefined ? node.path : fieldPath(node.path, field);
  const limit = path === 'status' ? 'readers' : node.limit;
  return {
    rule,
    severity: atMost(severity, limit),
    version,
    path,
    text,
    before: [...node.old.at, ...step],
    after: [...node.fresh.at, ...step],
  };
}

/** The schema in a version of a definition; empty: it has none, and takes anything. */
export function schemaIn(version: JsonObject, at: Path): PlacedSchema {
  const steps = ['schema', 'openAPIV3Schema'];
  const schema = mappingOf(mappingOf(version['schema'])?.['openAPIV3Schema']) ?? {};
  return { schema, at: [...at, ...steps] };
}
