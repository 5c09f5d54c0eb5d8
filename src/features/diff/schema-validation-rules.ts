import { sameValue, shownValue } from './findings.js';
import { type RuleFamily, valuesOf } from './schema-rule.js';
import { type JsonObject, type JsonValue, mappingOf, stringOf } from '../../base/json.js';

const VALIDATIONS = 'x-kubernetes-validations';

/** CEL rules, identified by their expression. A rule that names `oldSelf` applies to updates only. */
export const CEL_RULES: RuleFamily = {
  keywords: [VALIDATIONS],
  *find({ before, after }) {
    const [oldRules, newRules] = [rulesIn(before), rulesIn(after)];
    const keyword = VALIDATIONS;
    for (const [rule, validation] of newRules) {
      const previous = oldRules.get(rule);
      const shown = shownValue(rule);
      if (previous === undefined) {
        const severity = /\boldSelf\b/.test(rule) ? 'writers' : 'stored';
        const text = `must meet the rule ${shown} now`;
        yield { rule: 'cel-rule-added', severity, text, keyword };
      } else if (!sameValue(previous, validation)) {
        const text = `the rule ${shown} says something else when it is not met`;
        yield { rule: 'cel-rule-rewritten', severity: 'harmless', text, keyword };
      }
    }
    for (const rule of oldRules.keys()) {
      if (newRules.has(rule)) continue;
      const text = `need no longer meet the rule ${shownValue(rule)}`;
      yield { rule: 'cel-rule-removed', severity: 'readers', text, keyword };
    }
  },
};

function rulesIn(schema: JsonObject): ReadonlyMap<string, JsonValue> {
  return new Map(
    valuesOf(schema, VALIDATIONS).flatMap((validation): [string, JsonValue][] => {
      const rule = stringOf(mappingOf(validation)?.['rule']);
      return rule === undefined ? [] : [[rule.trim(), validation]];
    }),
  );
}

const COMBINATIONS = ['allOf', 'anyOf', 'oneOf', 'not'] as const;

/** Combined schemas. Which values a changed combination rejects is not determined. */
export const COMBINATION_RULES: RuleFamily = {
  keywords: COMBINATIONS,
  *find({ before, after }) {
    for (const keyword of COMBINATIONS) {
      if (sameValue(before[keyword], after[keyword])) continue;
      const rule = 'combination-changed';
      if (after[keyword] === undefined) {
        yield { rule, severity: 'readers', text: `${keyword} is gone: takes more`, keyword };
      } else {
        const what = before[keyword] === undefined ? 'added' : 'changed';
        const text = `${keyword} ${what}: values of objects may be refused`;
        yield { rule, severity: 'stored', text, keyword };
      }
    }
  },
};

/** Texts for people. */
export const ANNOTATION_RULES: RuleFamily = {
  keywords: ['description', 'title', 'example', 'externalDocs'],
  *find({ before, after }) {
    for (const keyword of ANNOTATION_RULES.keywords) {
      if (sameValue(before[keyword], after[keyword])) continue;
      const rule = `${keyword === 'externalDocs' ? 'docs' : keyword}-changed`;
      yield { rule, severity: 'harmless', text: `${keyword} changed`, keyword };
    }
  },
};
