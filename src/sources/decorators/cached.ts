import type { FetchedPackage, Owner, PackageSource } from '../../model/package-source.js';
import type { Target } from '../../model/target/target.js';
import { traitsOf } from './traits.js';
import { memoize } from './memoized.js';

/** Asks a source nothing twice, for the length of one run; failures are remembered as well. */
export function cached(source: PackageSource): PackageSource {
  const tags = new Map<string, Promise<readonly string[] | undefined>>();
  const packages = new Map<string, Promise<FetchedPackage | undefined>>();
  const owners = new Map<string, Promise<readonly Owner[]>>();
  return {
    ...traitsOf(source),
    tags: (repository, target) =>
      memoize(tags, key(target, repository), () => source.tags(repository, target)),
    fetch: (candidate, target) =>
      memoize(packages, key(target, candidate.repository, candidate.version), () =>
        source.fetch(candidate, target),
      ),
    ...(source.owners && {
      owners: (demand, target) =>
        memoize(owners, key(target, demand), () => source.owners!(demand, target)),
    }),
  };
}

/** Of a target, only the rules by which it finds and reads images bear on a source's answers. */
function key({ rules }: Target, ...question: readonly unknown[]): string {
  return JSON.stringify([
    question,
    rules.defaultRegistry,
    rules.emptyTagIsLatest,
    rules.plainHttpForDotLocal,
    rules.strictReferences,
    rules.tarEntry,
    rules.severalBaseLayers,
    rules.maxLayers,
  ]);
}
