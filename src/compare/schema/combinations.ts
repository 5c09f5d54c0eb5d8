import { sameValue } from '../shown-value.js';
import type { RuleFamily } from './schema-rule.js';

const KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'not'] as const;

/** Schemas inside a schema that only refuse: which values two of them differ in is not known. */
export const COMBINATION_RULES: RuleFamily = {
  keywords: KEYWORDS,
  *find({ old, fresh }) {
    for (const keyword of KEYWORDS) {
      if (sameValue(old[keyword], fresh[keyword])) continue;
      const rule = 'combination-changed';
      if (fresh[keyword] === undefined) {
        const text = `${keyword} is gone: takes more`;
        yield { rule, severity: 'readers', text, keyword };
      } else {
        const what = old[keyword] === undefined ? 'added' : 'changed';
        const text = `${keyword} ${what}: values of objects may be refused`;
        yield { rule, severity: 'stored', text, keyword };
      }
    }
  },
};
