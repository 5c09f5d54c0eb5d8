import { stringOf, type JsonObject } from '../../text/json.js';
import type { DiffSeverity } from '../severity.js';
import { shownValue } from '../shown-value.js';
import type { RuleFamily } from './schema-rule.js';

const ANY = 'any';

/** Of each type, those that take all of its values. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  integer: ['number', 'integer or string', ANY],
  string: ['integer or string', ANY],
};

/** Of each format of a number, those that take all of its values. */
const WIDER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64'],
  float: ['double'],
};

/** Type and format of values. */
export const TYPE_RULES: RuleFamily = {
  keywords: ['type', 'format', 'x-kubernetes-int-or-string'],
  *find({ old, fresh }) {
    const [was, is] = [typeOf(old), typeOf(fresh)];
    if (was !== is) {
      const wider = is === ANY || WIDER[was]?.includes(is) === true;
      const does = wider ? 'takes more' : 'values of objects are refused';
      yield {
        rule: wider ? 'type-widened' : 'type-changed',
        severity: wider ? 'readers' : 'stored',
        text: `type changed from ${was} to ${is}: ${does}`,
        keyword: 'type',
      };
    }
    if (was === is && old['type'] !== fresh['type']) {
      const text = `type is written otherwise: ${is}`;
      yield { rule: 'type-rewritten', severity: 'harmless', text, keyword: 'type' };
    }
    const [from, to] = [stringOf(old['format']), stringOf(fresh['format'])];
    if (from !== to) {
      yield {
        rule: 'format-changed',
        severity: formatSeverity(from, to),
        text: `format changed from ${shownValue(from)} to ${shownValue(to)}`,
        keyword: 'format',
      };
    }
  },
};

function typeOf(schema: JsonObject): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  return stringOf(schema['type']) || ANY;
}

function formatSeverity(from: string | undefined, to: string | undefined): DiffSeverity {
  if (to === undefined || (from !== undefined && WIDER_FORMATS[from]?.includes(to) === true)) {
    return 'readers';
  }
  return 'stored';
}
