import { listOf, mappingOf, stringOf, type JsonObject, type JsonValue } from '../text/json.js';
import type { DocumentFinding } from './document-finding.js';
import { sameValue, shownValue } from './shown-value.js';

/** What a change of a Composition does to the composite resources that use it. */
export function compareCompositions(before: JsonValue, after: JsonValue): DocumentFinding[] {
  const [old, fresh] = [specOf(before), specOf(after)];
  const found: DocumentFinding[] = [];
  const tell = (finding: Pick<DocumentFinding, 'rule' | 'severity' | 'text'>, step: string) => {
    const at = ['spec', step];
    found.push({ ...finding, version: '', path: '', before: at, after: at });
  };
  if (!sameValue(old['compositeTypeRef'], fresh['compositeTypeRef'])) {
    const [from, to] = [typeText(old), typeText(fresh)];
    const text = `composes ${to} now, and composed ${from}: no API server takes that for a Composition that exists`;
    tell({ rule: 'composite-type-changed', severity: 'stored', text }, 'compositeTypeRef');
  }
  const [was, is] = [functionsIn(old), functionsIn(fresh)];
  if (!sameValue(was, is)) {
    const text = `runs ${shownValue(is)} now, and ran ${shownValue(was)}`;
    tell({ rule: 'pipeline-changed', severity: 'harmless', text }, 'pipeline');
  }
  if (found.length === 0 && !sameValue(old, fresh)) {
    const text = 'changed: composite resources that use it are composed anew';
    tell({ rule: 'composition-changed', severity: 'harmless', text }, 'pipeline');
  }
  return found;
}

function specOf(document: JsonValue): JsonObject {
  return mappingOf(mappingOf(document)?.['spec']) ?? {};
}

function typeText(spec: JsonObject): string {
  const type = mappingOf(spec['compositeTypeRef']) ?? {};
  return shownValue(`${stringOf(type['apiVersion'])} ${stringOf(type['kind'])}`);
}

function functionsIn(spec: JsonObject): JsonValue[] {
  return (listOf(spec['pipeline']) ?? []).map(
    (step) => mappingOf(mappingOf(step)?.['functionRef'])?.['name'] ?? null,
  );
}
