import { droppedFieldFindings, hasSpecFields } from '../../crossplane/packages/advice.js';
import type { PackageContents } from '../../crossplane/packages/package-contents.js';
import type { Candidate, Repository } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';

/** A field of the metadata of a package that a release ignores, as one sentence. */
export interface DroppedField {
  readonly repository: Repository;
  readonly text: string;
}

/**
 * Finds images and permission requests that the target ignores. `dropped` has one sentence for each
 * field, `unchecked` the packages whose source does not provide these fields. Contents are undefined
 * if no source has the package.
 */
export function findDroppedFields(
  packages: readonly (readonly [Candidate, PackageContents | undefined])[],
  target: Target,
) {
  const dropped = packages.flatMap(([{ repository, version }, contents]) =>
    (contents?.metas ?? [])
      .flatMap((meta) => droppedFieldFindings(meta, target))
      .map(({ message }): DroppedField => ({
        repository,
        text: `${repository} ${version}: ${message}`,
      })),
  );
  const unchecked = packages.flatMap(([candidate, contents]) => {
    const isChecked = contents?.metas[0] && hasSpecFields(contents.metas[0]);
    return target.rules.runtimeImages || isChecked ? [] : [candidate];
  });
  return { dropped, unchecked };
}

/** Returns a note that the fields of some packages were not checked. `packages` is not empty. */
export function uncheckedFields(packages: readonly Candidate[], release: string) {
  return {
    text: `not checked: whether the metadata of ${firstAndMore(packages)} has an image or permission requests, which Crossplane ${release} does not read`,
    fix: 'to check it, name a source that has the packages: `--from registry` or `--from dir:PATH`',
  };
}

export function uncheckedFieldsText(packages: readonly Candidate[], release: string): string {
  const { text, fix } = uncheckedFields(packages, release);
  return `${text}; ${fix}`;
}

/** Formats packages as the first one and the number of the others. `packages` is not empty. */
export function firstAndMore(packages: readonly Candidate[]): string {
  const { repository, version } = packages[0]!;
  const more = packages.length === 1 ? '' : ` and ${packages.length - 1} more`;
  return `${repository} ${version}${more}`;
}
