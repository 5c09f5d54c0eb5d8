import { fieldsIn, valuesOf, type RuleFamily, type SchemaPair } from './schema-rule.js';
import type { RuleFinding } from './schema-rule.js';

/** The fields that an object must have. */
export const REQUIRED_RULES: RuleFamily = {
  keywords: ['required'],
  *find(pair) {
    const [was, is] = [pair.old, pair.fresh].map((schema) => requiredIn(schema));
    for (const field of is!) if (!was!.has(field)) yield required(field, pair);
    for (const field of was!) {
      if (is!.has(field) || isRemoved(field, pair)) continue;
      const text = 'no longer required: objects may be without it';
      yield { rule: 'required-removed', severity: 'readers', text, field, keyword: 'required' };
    }
  },
};

function requiredIn(schema: SchemaPair['old']): ReadonlySet<string> {
  return new Set(valuesOf(schema, 'required').filter((name) => typeof name === 'string'));
}

/** A field that both schemas describe alike may have been left out of both. */
function isRemoved(field: string, { old, fresh }: SchemaPair): boolean {
  return fieldsIn(old).has(field) && !fieldsIn(fresh).has(field);
}

function required(field: string, { fresh }: SchemaPair): RuleFinding {
  const at = { rule: 'required-added', field, keyword: 'required' };
  return fieldsIn(fresh).get(field)?.['default'] === undefined
    ? { ...at, severity: 'stored', text: 'required now: objects without it are refused' }
    : { ...at, severity: 'harmless', text: 'required now, with a default' };
}
