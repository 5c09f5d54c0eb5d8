import { stringOf } from '../../text/json.js';
import { shownValue } from '../shown-value.js';
import type { RuleFamily } from './schema-rule.js';

/** Regular expressions that values must match. Whether one takes all that another did is not known. */
export const PATTERN_RULES: RuleFamily = {
  keywords: ['pattern'],
  *find({ old, fresh }) {
    const [from, to] = [stringOf(old['pattern']) ?? '', stringOf(fresh['pattern']) ?? ''];
    const keyword = 'pattern';
    if (from === to) return;
    if (to === '') {
      const text = `need no longer match ${shownValue(from)}`;
      yield { rule: 'pattern-removed', severity: 'readers', text, keyword };
    } else if (from === '') {
      const text = `must match ${shownValue(to)} now`;
      yield { rule: 'pattern-added', severity: 'stored', text, keyword };
    } else {
      const text = `must match ${shownValue(to)}, where it was ${shownValue(from)}`;
      yield { rule: 'pattern-changed', severity: 'stored', text, keyword };
    }
  },
};
