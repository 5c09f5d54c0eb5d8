import { stringOf, type JsonObject } from '../../text/json.js';
import { sameValue, shownValue } from '../shown-value.js';
import { valuesOf, type RuleFamily } from './schema-rule.js';

const TYPE = 'x-kubernetes-list-type';
const KEYS = 'x-kubernetes-list-map-keys';
const MAP = 'x-kubernetes-map-type';

/** How lists and maps are merged, and what makes two items of a list the same. */
export const LIST_RULES: RuleFamily = {
  keywords: [TYPE, KEYS, MAP],
  *find({ old, fresh }) {
    const [was, is] = [listTypeOf(old), listTypeOf(fresh)];
    if (was !== is) {
      const merged = is === 'atomic';
      const does = merged ? 'is replaced as a whole' : 'items that are the same are refused';
      yield {
        rule: 'list-type-changed',
        severity: merged ? 'writers' : 'stored',
        text: `list type changed from ${was} to ${is}: ${does}`,
        keyword: TYPE,
      };
    } else if ((old[TYPE] === undefined) !== (fresh[TYPE] === undefined)) {
      const text = `list type ${is} is written out, or no longer`;
      yield { rule: 'list-type-rewritten', severity: 'harmless', text, keyword: TYPE };
    }
    const [from, to] = [valuesOf(old, KEYS), valuesOf(fresh, KEYS)];
    if (!sameValue(from, to) && is === 'map') {
      const text = `keys of its items changed from ${shownValue(from)} to ${shownValue(to)}`;
      yield { rule: 'list-keys-changed', severity: 'stored', text, keyword: KEYS };
    }
    const [before, after] = [stringOf(old[MAP]) ?? 'granular', stringOf(fresh[MAP]) ?? 'granular'];
    if (old[MAP] !== fresh[MAP]) {
      const text = `map type changed from ${before} to ${after}`;
      const severity = before === after ? 'harmless' : 'writers';
      yield { rule: 'map-type-changed', severity, text, keyword: MAP };
    }
  },
};

function listTypeOf(schema: JsonObject): string {
  return stringOf(schema[TYPE]) ?? 'atomic';
}
