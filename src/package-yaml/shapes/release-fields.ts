import type { ReleaseField } from '../../model/package-contents.js';
import type { JsonObject } from '../../text/json.js';
import { shapeProblem, type Shape } from './shape.js';

const TEXTS: Shape = { listOf: 'string' };

const POLICY_RULE: Shape = {
  fields: {
    verbs: TEXTS,
    apiGroups: TEXTS,
    resources: TEXTS,
    resourceNames: TEXTS,
    nonResourceURLs: TEXTS,
  },
};

/** Fields of a meta's `spec` that some releases have: `controller` and `image` until v2, `capabilities` since. */
const RELEASE_FIELDS: Readonly<Record<ReleaseField, Shape>> = {
  controller: { fields: { image: 'string', permissionRequests: { listOf: POLICY_RULE } } },
  image: 'string',
  capabilities: TEXTS,
};

/** What a release that has them would not decode of these fields; undefined: nothing. */
export function releaseFieldErrors(
  spec: JsonObject,
): Readonly<Partial<Record<ReleaseField, string>>> | undefined {
  const found = (Object.entries(RELEASE_FIELDS) as [ReleaseField, Shape][]).flatMap(
    ([field, shape]) => {
      const problem = shapeProblem(spec[field] ?? null, shape, `spec.${field}`);
      return problem === undefined ? [] : [[field, problem] as const];
    },
  );
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
