import type { LockedPackage } from '../lock/lockfile.js';
import type { OwnedObject } from '../model/owned-object.js';
import type { Repository } from '../model/package.js';

/** Where a route has got to: at its stop of this number. Crossplane's is `CROSSPLANE`. */
export interface Position {
  readonly route: number;
  readonly stop: number;
}

/** Stands for the route of Crossplane itself. */
export const CROSSPLANE = -1;

/** Positions that a cluster must not be in at once, and why. */
export interface Clash {
  readonly positions: readonly Position[];
  readonly cause: Cause;
}

/** A rule of the cluster that a state breaks. */
export type Cause =
  | {
      readonly rule: 'version' | 'kind';
      readonly requirer: LockedPackage;
      readonly required: LockedPackage;
      readonly constraint: string;
    }
  | {
      readonly rule: 'missing';
      readonly requirer: LockedPackage;
      /** What is required: a repository, or an API by its name. */
      readonly required: Repository;
      readonly constraint: string;
    }
  | {
      /** `owner`: both own these objects; `kept`: without the second they go with the first. */
      readonly rule: 'owner' | 'kept';
      readonly from: LockedPackage;
      readonly to: LockedPackage;
      readonly objects: readonly OwnedObject[];
    }
  | {
      readonly rule: 'crossplane' | 'reference';
      readonly locked: LockedPackage;
      readonly release: string;
    }
  | { readonly rule: 'cycle'; readonly members: readonly LockedPackage[] };
