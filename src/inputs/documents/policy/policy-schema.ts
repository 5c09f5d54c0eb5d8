import { DURATION_PATTERN } from '../../../model/policy/age.js';
import type { Schema } from '../../../text/json-schema.js';

const text = (description: string): Schema => ({ type: 'string', minLength: 1, description });

const PACKAGES =
  'A repository in full, or its first parts: `xpkg.upbound.io/upbound` is every package of that organisation.';

/** JSON Schema of `spec.policy`. */
export const POLICY_SCHEMA: Schema = {
  type: 'object',
  description:
    'What may be chosen at all, of every package of the closure. It speaks of packages by their names, wherever a mirror gets them from. Policies of included files hold too.',
  additionalProperties: false,
  properties: {
    registries: {
      type: 'array',
      minItems: 1,
      items: text(`${PACKAGES} A host alone is a whole registry.`),
      description: 'Where packages may come from; no other registry is asked for any.',
    },
    deny: {
      type: 'array',
      items: { $ref: '#/$defs/denied' },
      description: 'Packages, or versions of them, never to choose.',
    },
    minimumAge: {
      type: 'string',
      pattern: DURATION_PATTERN,
      description:
        'How long a release must be out before it is chosen: `90m`, `24h`, `7d`, `2w`. What is locked stays.',
    },
    minimumAgeExcept: {
      type: 'array',
      items: text(`${PACKAGES} \`@\` and a version, or a constraint, after it narrow it down.`),
      description: 'What may be chosen whatever its age.',
    },
    unknownAge: {
      enum: ['refuse', 'allow'],
      description:
        'What becomes of versions that say nothing, or nothing to be believed, of when they were published: `refuse` unless told.',
    },
  },
  dependentRequired: { minimumAgeExcept: ['minimumAge'], unknownAge: ['minimumAge'] },
};

/** An entry of `spec.policy.deny`. */
export const DENIED_SCHEMA: Schema = {
  type: 'object',
  description: 'Packages never to choose.',
  additionalProperties: false,
  required: ['package'],
  properties: {
    package: text(PACKAGES),
    version: text('Constraint (`>=v1.2.0, <v1.2.4`) or tag. Left out: every version.'),
    reason: text('Why, for those who read the refusal.'),
  },
};
