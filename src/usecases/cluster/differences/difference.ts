import type { Origin, Repository } from '../../../model/package.js';

/** Something that is otherwise in the cluster than it is locked. */
export interface Difference {
  /** What differs; `missing`: it is not in the cluster, `unlocked`: it is there alone. */
  readonly kind:
    | 'missing'
    | 'unlocked'
    | 'version'
    | 'digest'
    | 'inactive'
    | 'kind'
    | 'name'
    | 'setting'
    | 'objects'
    | 'lock-row'
    | 'crossplane';
  /** undefined: it is about no package. */
  readonly repository?: Repository | undefined;
  /** undefined where the dump has nothing of the sort. */
  readonly origin?: Origin | undefined;
  readonly text: string;
  readonly locked?: string | undefined;
  readonly found?: string | undefined;
  /** What to do. */
  readonly fix: string;
}

/** What to do where the lockfile is right. */
export const APPLY = '`kubectl apply -k rendered` makes it so';
