import type { PackageSource } from '../../model/package-source.js';

type Traits = Pick<PackageSource, 'distant' | 'states' | 'released' | 'owners' | 'repositories'>;

/** What a source is and can do beside telling what a package is; for decorators to pass on. */
export function traitsOf(source: PackageSource): Traits {
  return {
    ...(source.distant !== undefined && { distant: source.distant }),
    ...(source.states !== undefined && { states: source.states }),
    ...(source.released && {
      released: (candidate, target) => source.released!(candidate, target),
    }),
    ...(source.owners && { owners: (demand, target) => source.owners!(demand, target) }),
    ...(source.repositories && { repositories: (about) => source.repositories!(about) }),
  };
}
