import { crdDemandText } from '../../model/crd-demand.js';
import type { PackageSource } from '../../model/package-source.js';
import { traitsOf } from './traits.js';

/**
 * Says, where no owner of a CRD is found, that some of the sources could not be searched for one.
 *
 * `parts` are the sources that `source` is made of.
 */
export function tellUnsearched(
  source: PackageSource,
  parts: readonly PackageSource[],
  note: (line: string) => void,
): PackageSource {
  if (parts.every((part) => part.owners !== undefined)) return source;
  return {
    ...traitsOf(source),
    tags: (repository, target) => source.tags(repository, target),
    fetch: (candidate, target) => source.fetch(candidate, target),
    owners: async (demand, target) => {
      const owners = (await source.owners?.(demand, target)) ?? [];
      if (owners.length === 0) {
        note(
          `note: who owns ${crdDemandText(demand)} cannot be asked of a registry or a package cache; name a source that lists what it holds: \`--from index:FILE\`, \`--from dir:PATH\` or \`--from layout:PATH\``,
        );
      }
      return owners;
    },
  };
}
