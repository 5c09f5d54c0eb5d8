import { mappingOf, stringOf, type JsonObject, type JsonValue } from '../../text/json.js';
import { sameValue, shownValue } from '../shown-value.js';
import { valuesOf, type RuleFamily } from './schema-rule.js';

const KEYWORD = 'x-kubernetes-validations';

/** Rules in CEL, told apart by their expression. One that names `oldSelf` is about updates alone. */
export const CEL_RULES: RuleFamily = {
  keywords: [KEYWORD],
  *find({ old, fresh }) {
    const [was, is] = [rulesIn(old), rulesIn(fresh)];
    for (const [rule, whole] of is) {
      const before = was.get(rule);
      const shown = shownValue(rule);
      if (before === undefined) {
        const severity = /\boldSelf\b/.test(rule) ? 'writers' : 'stored';
        const text = `must meet the rule ${shown} now`;
        yield { rule: 'cel-rule-added', severity, text, keyword: KEYWORD };
      } else if (!sameValue(before, whole)) {
        const text = `the rule ${shown} says something else when it is not met`;
        yield { rule: 'cel-rule-rewritten', severity: 'harmless', text, keyword: KEYWORD };
      }
    }
    for (const rule of was.keys()) {
      if (is.has(rule)) continue;
      const text = `need no longer meet the rule ${shownValue(rule)}`;
      yield { rule: 'cel-rule-removed', severity: 'readers', text, keyword: KEYWORD };
    }
  },
};

function rulesIn(schema: JsonObject): ReadonlyMap<string, JsonValue> {
  return new Map(
    valuesOf(schema, KEYWORD).flatMap((whole): [string, JsonValue][] => {
      const rule = stringOf(mappingOf(whole)?.['rule']);
      return rule === undefined ? [] : [[rule.trim(), whole]];
    }),
  );
}
