import { isMapping } from '../../text/json.js';
import { fieldsIn, keepsUnknown, type RuleFamily, type RuleFinding } from './schema-rule.js';

/** Fields that come and go, and maps that become objects with named fields. */
export const FIELD_RULES: RuleFamily = {
  keywords: ['properties', 'additionalProperties', 'items'],
  *find({ old, fresh }) {
    const [was, is] = [fieldsIn(old), fieldsIn(fresh)];
    const kept = keepsUnknown(fresh) || fresh['additionalProperties'] !== undefined;
    for (const field of was.keys()) {
      if (!is.has(field)) yield removed(field, kept);
    }
    for (const field of is.keys()) {
      if (!was.has(field)) yield added(field, keepsUnknown(old) || isMap(old));
    }
    if (isMap(old) && !isMap(fresh) && !keepsUnknown(fresh)) {
      const text = 'is no map any more: keys that it does not name are dropped from objects';
      yield { rule: 'map-removed', severity: 'stored', text, keyword: 'additionalProperties' };
    } else if (!isMap(old) && isMap(fresh)) {
      const text = 'is a map now, and takes any key';
      yield { rule: 'map-added', severity: 'readers', text, keyword: 'additionalProperties' };
    }
    const [had, has] = [isMapping(old['items']), isMapping(fresh['items'])];
    if (had && !has) yield items('no longer says what its items are', 'readers');
    if (!had && has) yield items('says what its items are, where any were taken', 'stored');
  },
};

function removed(field: string, kept: boolean): RuleFinding {
  const rule = 'field-removed';
  const at = { field, keyword: 'properties' };
  return kept
    ? { rule, severity: 'readers', text: 'removed; what objects have there is kept', ...at }
    : { rule, severity: 'stored', text: 'removed: what objects have there is dropped', ...at };
}

function added(field: string, tookAnything: boolean): RuleFinding {
  const rule = 'field-added';
  const at = { field, keyword: 'properties' };
  return tookAnything
    ? { rule, severity: 'stored', text: 'described now, where any value was taken before', ...at }
    : { rule, severity: 'harmless', text: 'added', ...at };
}

function items(text: string, severity: 'stored' | 'readers'): RuleFinding {
  return { rule: 'items-changed', severity, text, keyword: 'items' };
}

function isMap({ additionalProperties }: { readonly additionalProperties?: unknown }): boolean {
  return additionalProperties === true || isMapping(additionalProperties);
}
