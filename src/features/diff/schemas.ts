import { atMost, type DiffSeverity, type DocumentFinding, sameValue } from './findings.js';
import {
  DEFAULT_RULES,
  FIELD_RULES,
  LIST_RULES,
  REQUIRED_RULES,
  UNKNOWN_FIELD_RULES,
} from './schema-field-rules.js';
import { fieldsIn, type RuleFamily, type RuleFinding, type SchemaPair } from './schema-rule.js';
import { ANNOTATION_RULES, CEL_RULES, COMBINATION_RULES } from './schema-validation-rules.js';
import {
  BOUND_RULES,
  ENUM_RULES,
  NULL_RULES,
  PATTERN_RULES,
  TYPE_RULES,
} from './schema-value-rules.js';
import { isMapping, type JsonObject, mappingOf, type Path } from '../../base/json.js';

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

/** A schema, and its path in the document. */
export interface PlacedSchema {
  readonly schema: JsonObject;
  readonly at: Path;
}

/** Returns the effects of a schema change, by field. `version` is the API version. */
export function compareSchemas(
  before: PlacedSchema,
  after: PlacedSchema,
  version: string,
): DocumentFinding[] {
  const found: DocumentFinding[] = [];
  compareNode({ before, after, path: '', limit: 'stored' });
  return found;

  function compareNode(node: Node): void {
    const pair = { before: node.before.schema, after: node.after.schema };
    if (sameValue(pair.before, pair.after)) return;
    for (const finding of findingsAt(pair)) found.push(placed(finding, node, version));
    for (const child of childrenOf(node)) compareNode(child);
  }
}

interface Node {
  readonly before: PlacedSchema;
  readonly after: PlacedSchema;
  readonly path: string;
  /** The worst severity that a change can have here. */
  readonly limit: DiffSeverity;
}

/** Returns the nodes below a node that both schemas have. */
function* childrenOf(node: Node): Iterable<Node> {
  const newFields = fieldsIn(node.after.schema);
  for (const [name, before] of fieldsIn(node.before.schema)) {
    const after = newFields.get(name);
    if (after === undefined) continue;
    const path = fieldPath(node.path, name);
    yield childAt(node, { before, after }, ['properties', name], path);
  }
  for (const [keyword, suffix] of [
    ['items', '[]'],
    ['additionalProperties', '.*'],
  ] as const) {
    const [before, after] = [node.before.schema[keyword], node.after.schema[keyword]];
    if (!isMapping(before) || !isMapping(after)) continue;
    yield childAt(node, { before, after }, [keyword], `${node.path}${suffix}`);
  }
}

function childAt(node: Node, { before, after }: SchemaPair, steps: Path, path: string): Node {
  return {
    before: { schema: before, at: [...node.before.at, ...steps] },
    after: { schema: after, at: [...node.after.at, ...steps] },
    path,
    limit: limitAt(path, node),
  };
}

/** Controllers rewrite the status, so changes there lose no user data. */
function limitAt(path: string, node: Node): DiffSeverity {
  return path === 'status' ? 'readers' : node.limit;
}

/** Appends a field to a path. Names that are not plain words are quoted. */
function fieldPath(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

function* findingsAt(pair: SchemaPair): Iterable<RuleFinding> {
  const covered = new Set<string>(STRUCTURAL);
  for (const family of FAMILIES) {
    const findings = [...family.find(pair)];
    if (findings.length > 0) for (const keyword of family.keywords) covered.add(keyword);
    yield* findings;
  }
  yield* otherKeywords(pair, covered);
}

/** Keywords that contain other nodes. */
const STRUCTURAL = ['properties', 'items', 'additionalProperties'];

/** Returns changes that no rule reports: other orders, and unknown keywords. */
function* otherKeywords(
  { before, after }: SchemaPair,
  covered: ReadonlySet<string>,
): Iterable<RuleFinding> {
  for (const keyword of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (covered.has(keyword) || sameValue(before[keyword], after[keyword])) continue;
    const text = `${keyword} changed`;
    yield { rule: 'keyword-changed', severity: 'harmless', text, keyword };
  }
}

function placed(finding: RuleFinding, node: Node, version: string): DocumentFinding {
  const { rule, severity, text, keyword, field } = finding;
  const step = field === undefined ? [keyword] : ['properties', field];
  const path = field === undefined ? node.path : fieldPath(node.path, field);
  return {
    rule,
    severity: atMost(severity, limitAt(path, node)),
    version,
    path,
    text,
    before: [...node.before.at, ...step],
    after: [...node.after.at, ...step],
  };
}

/** Returns the schema of a version; empty: it has none, so anything is accepted. */
export function schemaIn(version: JsonObject, at: Path): PlacedSchema {
  const schema = mappingOf(mappingOf(version['schema'])?.['openAPIV3Schema']) ?? {};
  return { schema, at: [...at, 'schema', 'openAPIV3Schema'] };
}
