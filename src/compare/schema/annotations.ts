import { sameValue } from '../shown-value.js';
import type { RuleFamily } from './schema-rule.js';

/** What people are told. */
export const ANNOTATION_RULES: RuleFamily = {
  keywords: ['description', 'title', 'example', 'externalDocs'],
  *find({ old, fresh }) {
    for (const keyword of ANNOTATION_RULES.keywords) {
      if (sameValue(old[keyword], fresh[keyword])) continue;
      const rule = `${keyword === 'externalDocs' ? 'docs' : keyword}-changed`;
      yield { rule, severity: 'harmless', text: `${keyword} changed`, keyword };
    }
  },
};
