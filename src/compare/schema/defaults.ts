import { sameValue, shownValue } from '../shown-value.js';
import type { RuleFamily } from './schema-rule.js';

/** What a field is where it is not written: objects have it stored, and new ones get another. */
export const DEFAULT_RULES: RuleFamily = {
  keywords: ['default'],
  *find({ old, fresh }) {
    const [from, to] = [old['default'], fresh['default']];
    const at = { severity: 'writers', keyword: 'default' } as const;
    if (sameValue(from, to)) return;
    if (from === undefined) {
      const text = `is ${shownValue(to)} now where it is not written`;
      yield { rule: 'default-added', text, ...at };
    } else if (to === undefined) {
      const text = `no longer ${shownValue(from)} where it is not written`;
      yield { rule: 'default-removed', text, ...at };
    } else {
      const text = `default changed from ${shownValue(from)} to ${shownValue(to)}`;
      yield { rule: 'default-changed', text, ...at };
    }
  },
};
