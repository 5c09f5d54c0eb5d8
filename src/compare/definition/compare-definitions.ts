import type { JsonValue } from '../../text/json.js';
import type { DocumentFinding } from '../document-finding.js';
import { compareSchemas } from '../schema/compare-schemas.js';
import { apiDefinition, type ApiDefinition } from './api-definition.js';
import type { DefinitionRule } from './definition-rule.js';
import { findNameChanges } from './names.js';
import { newlyDifferingVersions } from './served-pairs.js';
import { findSettingChanges } from './settings.js';
import { findVersionChanges } from './versions.js';

const RULES: readonly DefinitionRule[] = [findNameChanges, findVersionChanges, findSettingChanges];

/** What a change of a CRD, XRD or MRD does to objects of the kind that it defines. */
export function compareDefinitions(before: JsonValue, after: JsonValue): DocumentFinding[] {
  const [old, fresh] = [apiDefinition(before), apiDefinition(after)];
  return [
    ...RULES.flatMap((rule) => Array.from(rule(old, fresh))).map(
      ({ version = '', at, after: now = at, ...finding }): DocumentFinding => ({
        ...finding,
        version,
        path: '',
        before: at,
        after: now,
      }),
    ),
    ...schemaFindings(old, fresh),
    ...newlyDifferingVersions(old, fresh),
  ];
}

function schemaFindings(old: ApiDefinition, fresh: ApiDefinition): DocumentFinding[] {
  const now = new Map(fresh.versions.map((version) => [version.name, version]));
  return old.versions.flatMap(({ name, schema }) => {
    const other = now.get(name);
    return other === undefined ? [] : compareSchemas(schema, other.schema, name);
  });
}
