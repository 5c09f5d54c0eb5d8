import { droppedFields, hasSpecFields } from '../../crossplane/packages/advice.js';
import type { PackageContents } from '../../crossplane/packages/package-contents.js';
import type { Candidate } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';

/** Metadata fields of packages that a release ignores. */
interface DroppedFields {
  /** One sentence for each field, with the name of its package. */
  readonly texts: readonly string[];
  /** Packages whose source does not provide these fields. */
  readonly unchecked: readonly Candidate[];
}

/** A package with its contents; undefined if no source has them. */
type ReadCandidate = readonly [Candidate, PackageContents | undefined];

/** Finds images and permission requests that the target ignores. */
export function findDroppedFields(
  packages: readonly ReadCandidate[],
  target: Target,
): DroppedFields {
  if (target.rules.runtimeImages) return { texts: [], unchecked: [] };
  return {
    texts: packages.flatMap(([{ repository, version }, contents]) =>
      (contents?.metas ?? [])
        .flatMap((meta) => droppedFields(meta, target))
        .map(({ message }) => `${repository} ${version}: ${message}`),
    ),
    unchecked: packages.flatMap(([candidate, contents]) =>
      contents?.metas[0] && hasSpecFields(contents.metas[0]) ? [] : [candidate],
    ),
  };
}

/** Returns a note that the fields of some packages were not checked. `packages` is not empty. */
export function uncheckedFields(
  packages: readonly Candidate[],
  release: string,
): { readonly text: string; readonly fix: string } {
  return {
    text: `not checked: whether the metadata of ${firstAndMore(packages)} has an image or permission requests, which Crossplane ${release} does not read`,
    fix: 'to check it, name a source that has the packages: `--from registry` or `--from dir:PATH`',
  };
}

/** Formats packages as the first one and the number of the others. `packages` is not empty. */
export function firstAndMore(packages: readonly Candidate[]): string {
  const { repository, version } = packages[0]!;
  const more = packages.length === 1 ? '' : ` and ${packages.length - 1} more`;
  return `${repository} ${version}${more}`;
}

/** The same note as one sentence. */
export function uncheckedFieldsText(packages: readonly Candidate[], release: string): string {
  const { text, fix } = uncheckedFields(packages, release);
  return `${text}; ${fix}`;
}
