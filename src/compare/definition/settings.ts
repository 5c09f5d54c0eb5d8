import { mappingOf } from '../../text/json.js';
import { sameValue } from '../shown-value.js';
import type { ApiDefinition } from './api-definition.js';
import type { DefinitionFinding, DefinitionRule } from './definition-rule.js';

/** Conversion, unknown fields, subresources, and what is printed and selected by. */
export const findSettingChanges: DefinitionRule = function* (old, fresh) {
  if (old.conversion !== fresh.conversion) {
    const lost = fresh.conversion === 'None';
    const does = lost
      ? 'fields that versions do not share are dropped'
      : 'objects are out of reach while the webhook is';
    const text = `conversion changed from ${old.conversion} to ${fresh.conversion}: ${does}`;
    const severity = lost ? 'stored' : 'writers';
    yield { rule: 'conversion-changed', severity, text, at: ['spec', 'conversion'] };
  }
  const [kept, keeps] = [old, fresh].map(({ spec }) => spec['preserveUnknownFields'] === true);
  if (kept !== keeps) {
    const text = keeps
      ? 'fields that no schema names are kept, and were dropped'
      : 'fields that no schema names are dropped from objects, and were kept';
    yield {
      rule: keeps ? 'unknown-fields-kept' : 'unknown-fields-dropped',
      severity: keeps ? 'readers' : 'stored',
      text,
      at: ['spec', 'preserveUnknownFields'],
    };
  }
  yield* perVersion(old, fresh);
};

function* perVersion(old: ApiDefinition, fresh: ApiDefinition): Iterable<DefinitionFinding> {
  for (const was of old.versions) {
    const is = fresh.versions.find(({ name }) => name === was.name);
    if (is === undefined) continue;
    const place = (...steps: readonly string[]) => ({
      version: was.name,
      at: [...was.at, ...steps],
      after: [...is.at, ...steps],
    });
    const [had, has] = [was, is].map(({ written }) => mappingOf(written['subresources']) ?? {});
    for (const name of new Set([...Object.keys(had!), ...Object.keys(has!)])) {
      if (sameValue(had![name], has![name])) continue;
      const text = subresourceText(name, had![name] !== undefined, has![name] !== undefined);
      const at = place('subresources', name);
      yield { rule: 'subresource-changed', severity: 'writers', text, ...at };
    }
    const [lists, listed] = [was.written['selectableFields'], is.written['selectableFields']];
    if (!sameValue(lists, listed)) {
      const text = 'fields that objects can be selected by changed';
      yield { rule: 'selectable-fields', severity: 'readers', text, ...place('selectableFields') };
    }
    const [shown, shows] = [was, is].map(({ written }) => written['additionalPrinterColumns']);
    if (!sameValue(shown, shows)) {
      const text = 'columns of `kubectl get` changed';
      const at = place('additionalPrinterColumns');
      yield { rule: 'columns-changed', severity: 'harmless', text, ...at };
    }
  }
}

function subresourceText(name: string, had: boolean, has: boolean): string {
  if (had && has) return `the subresource ${name} changed`;
  return has
    ? `the subresource ${name} added: what is written there otherwise is ignored`
    : `the subresource ${name} removed: what writes to it fails`;
}
