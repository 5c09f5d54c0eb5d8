import { keepsUnknown, type RuleFamily } from './schema-rule.js';

const UNKNOWN = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';

/** Fields that no schema names, and objects inside objects. */
export const UNKNOWN_FIELD_RULES: RuleFamily = {
  keywords: [UNKNOWN, EMBEDDED],
  *find({ old, fresh }) {
    const keyword = UNKNOWN;
    if (keepsUnknown(old) && !keepsUnknown(fresh)) {
      const text = 'fields that it does not name are dropped from objects, and were kept';
      yield { rule: 'unknown-fields-dropped', severity: 'stored', text, keyword };
    } else if (keepsUnknown(fresh) && !keepsUnknown(old)) {
      const text = 'fields that it does not name are kept, and were dropped';
      yield { rule: 'unknown-fields-kept', severity: 'readers', text, keyword };
    }
    const [was, is] = [old[EMBEDDED] === true, fresh[EMBEDDED] === true];
    if (is && !was) {
      const text = 'must be an object with apiVersion and kind now';
      yield { rule: 'embedded-resource', severity: 'stored', text, keyword: EMBEDDED };
    } else if (was && !is) {
      const text = 'need not be an object with apiVersion and kind';
      yield { rule: 'embedded-resource', severity: 'readers', text, keyword: EMBEDDED };
    }
  },
};
