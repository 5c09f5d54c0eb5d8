import type { RuleFamily } from './schema-rule.js';

/** Whether `null` is a value. */
export const NULL_RULES: RuleFamily = {
  keywords: ['nullable'],
  *find({ old, fresh }) {
    const [was, is] = [old['nullable'] === true, fresh['nullable'] === true];
    const keyword = 'nullable';
    if (was && !is) {
      const text = 'no longer takes null';
      yield { rule: 'nullable-removed', severity: 'stored', text, keyword };
    } else if (is && !was) {
      yield { rule: 'nullable-added', severity: 'readers', text: 'takes null too', keyword };
    }
  },
};
