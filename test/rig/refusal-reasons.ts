import type { CoreKind } from '../../src/explain/core-entries.js';
import type { ObservedEnd } from './observed-end.js';

/** What a cluster says where it fails for a reason that a refusal gave. */
const SAID: Readonly<Record<CoreKind, RegExp>> = {
  requirement: /incompatible dependencies|missing dependencies/,
  digest: /incompatible dependencies|missing dependencies/,
  missing: /missing dependencies|cannot unpack package/,
  crossplane: /incompatible Crossplane version/,
  ownership: /already controlled by/,
  cycle: /missing dependencies|cycle/,
  kind: /package meta type is not|missing dependencies/,
  source: /cannot unpack package|missing dependencies|cannot parse|contents failed/,
};

/** Whether a package of the cluster fails for one of the reasons. */
export function isSaidReason(reasons: readonly CoreKind[], { packages }: ObservedEnd): boolean {
  return reasons.some((reason) => packages.some((line) => SAID[reason].test(line)));
}
