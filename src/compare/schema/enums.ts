import type { JsonValue } from '../../text/json.js';
import { shownValue } from '../shown-value.js';
import { valuesOf, type RuleFamily } from './schema-rule.js';

/** The values that a field may take. */
export const ENUM_RULES: RuleFamily = {
  keywords: ['enum'],
  *find({ old, fresh }) {
    const [was, is] = [valuesOf(old, 'enum'), valuesOf(fresh, 'enum')];
    const keyword = 'enum';
    if (was.length === 0 && is.length > 0) {
      const text = `takes only ${shownValue(is)} now, where any value was taken`;
      yield { rule: 'enum-narrowed', severity: 'stored', text, keyword };
      return;
    }
    if (was.length > 0 && is.length === 0) {
      const text = `takes any value, where only ${shownValue(was)} were taken`;
      yield { rule: 'enum-widened', severity: 'readers', text, keyword };
      return;
    }
    const gone = without(was, is);
    if (gone.length > 0) {
      const text = `no longer takes ${shownValue(gone)}`;
      yield { rule: 'enum-narrowed', severity: 'stored', text, keyword };
    }
    const more = without(is, was);
    if (more.length > 0) {
      const text = `takes ${shownValue(more)} too`;
      yield { rule: 'enum-widened', severity: 'readers', text, keyword };
    }
  },
};

function without(values: readonly JsonValue[], others: readonly JsonValue[]): JsonValue[] {
  const known = new Set(others.map((other) => JSON.stringify(other)));
  return values.filter((value) => !known.has(JSON.stringify(value)));
}
