import type { CrdRef } from '../../crossplane/packages/crd-ref.js';
import { pluralsOf } from '../../crossplane/packages/package-contents.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { PackageSource } from '../package-source.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import { memorySource } from '../memory-source.js';
import { crdGroup } from './format.js';
import type { SparseIndexSnapshot } from './snapshot.js';

/** Returns a source for a sparse index, with the same results as for an index in one file. */
export function sparseIndexSource(
  snapshot: SparseIndexSnapshot,
  { distant = false, from }: { readonly distant?: boolean; readonly from?: string } = {},
): PackageSource {
  const opened = new Map<Repository, Promise<PackageSource | undefined>>();
  const open = (repository: Repository) =>
    getOrCreate(opened, repository, async () => {
      const indexed = await snapshot.package(repository, { prefetchRequired: distant });
      return indexed && memorySource({ packages: { [repository]: indexed } });
    });
  return {
    ...(distant && { distant }),
    ...(from !== undefined && { states: [{ from, digest: snapshot.digest }] }),
    tags: async (repository, target) => (await open(repository))?.tags(repository, target),
    fetch: async (candidate, target) =>
      (await open(candidate.repository))?.fetch(candidate, target),
    released: async (candidate, target) =>
      (await open(candidate.repository))?.released?.(candidate, target),
    owners: async (crdRef, target) => {
      const candidates = [...(await possibleOwners(snapshot, crdRef))].sort(byCodePoint);
      const owners = await Promise.all(
        candidates.map(
          async (repository) => (await open(repository))?.owners?.(crdRef, target) ?? [],
        ),
      );
      return owners.flat();
    },
    repositories: (about) =>
      about === undefined ? snapshot.repositories() : searchRepositories(snapshot, about),
  };
}

/** Returns repositories that may have a version with a required CRD. */
async function possibleOwners(
  snapshot: SparseIndexSnapshot,
  crdRef: CrdRef,
): Promise<ReadonlySet<Repository>> {
  if ('crd' in crdRef) {
    return new Set((await snapshot.group(crdGroup(crdRef.crd)))?.byCrd(crdRef.crd));
  }
  const { group, kind } = crdRef;
  if (group !== '*') {
    const part = await snapshot.group(group);
    return new Set(kind === '*' ? part?.all() : part?.byKind(kind));
  }
  if (kind !== '*') return new Set(await snapshot.word(kind.toLowerCase()));
  return new Set(await snapshot.repositories());
}

/** Returns repositories with a word in their name, or that may own an API with that name. */
async function searchRepositories(
  snapshot: SparseIndexSnapshot,
  about: string,
): Promise<readonly Repository[]> {
  const word = about.toLowerCase();
  const withMatchingName = (await snapshot.repositories()).filter((name) =>
    name.toLowerCase().includes(word),
  );
  const wordForms = new Set([word, ...pluralsOf(word)]);
  const found = await Promise.all([...wordForms].map((form) => snapshot.word(form)));
  const groupOwners = (await snapshot.group(word))?.all() ?? [];
  const crdOwners = (await snapshot.group(crdGroup(word)))?.byCrd(word) ?? [];
  return [...new Set([withMatchingName, groupOwners, crdOwners, ...found].flat())].sort(
    byCodePoint,
  );
}
