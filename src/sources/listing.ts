import type { PackageSource } from '../model/package-source.js';

/** The part of a source that lists what it holds, as far as there is one; for decorators to keep. */
export function listing(source: PackageSource): Pick<PackageSource, 'owners' | 'repositories'> {
  return {
    ...(source.owners && { owners: (demand, target) => source.owners!(demand, target) }),
    ...(source.repositories && { repositories: () => source.repositories!() }),
  };
}
