import type { CrdDemand } from '../../model/crd-demand.js';
import { pluralsOf } from '../../model/definition.js';
import type { Repository } from '../../model/package.js';
import type { PackageSource } from '../../model/package-source.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { memorySource } from '../memory-source.js';
import { groupOfCrd } from './package-apis.js';
import type { PartsSnapshot } from './parts-snapshot.js';

/**
 * A source over an index in parts: a package costs its own part and a node, whatever else the index
 * holds. Answers are those of the same index in one file.
 */
export function partsSource(
  snapshot: PartsSnapshot,
  { distant = false, from }: { readonly distant?: boolean; readonly from?: string } = {},
): PackageSource {
  const opened = new Map<Repository, Promise<PackageSource | undefined>>();
  const open = (repository: Repository) => {
    const known = opened.get(repository) ?? packageSource(snapshot, repository, { ahead: distant });
    opened.set(repository, known);
    return known;
  };
  return {
    ...(distant && { distant }),
    ...(from !== undefined && { states: [{ from, digest: snapshot.digest }] }),
    tags: async (repository, target) => (await open(repository))?.tags(repository, target),
    fetch: async (candidate, target) =>
      (await open(candidate.repository))?.fetch(candidate, target),
    released: async (candidate, target) =>
      (await open(candidate.repository))?.released?.(candidate, target),
    owners: async (demand, target) => {
      const asked = [...(await mayOwn(snapshot, demand))].sort(byCodePoint);
      const owners = await Promise.all(
        asked.map(async (repository) => (await open(repository))?.owners?.(demand, target) ?? []),
      );
      return owners.flat();
    },
    repositories: (about) =>
      about === undefined ? snapshot.repositories() : mayBeCalled(snapshot, about),
  };
}

async function packageSource(
  snapshot: PartsSnapshot,
  repository: Repository,
  options: { readonly ahead: boolean },
): Promise<PackageSource | undefined> {
  const index = await snapshot.package(repository, options);
  return index && memorySource(index);
}

/** Repositories of which some version may own what is demanded. */
async function mayOwn(
  snapshot: PartsSnapshot,
  demand: CrdDemand,
): Promise<ReadonlySet<Repository>> {
  if ('crd' in demand) {
    return new Set((await snapshot.group(groupOfCrd(demand.crd)))?.byCrd(demand.crd));
  }
  const { group, kind } = demand;
  if (group !== '*') {
    const part = await snapshot.group(group);
    return new Set(kind === '*' ? part?.all() : part?.byKind(kind));
  }
  if (kind !== '*') return new Set(await snapshot.word(kind.toLowerCase()));
  return new Set(await snapshot.repositories());
}

/** Repositories that have a word in their name, or may own something that it stands for. */
async function mayBeCalled(snapshot: PartsSnapshot, about: string): Promise<readonly Repository[]> {
  const word = about.toLowerCase();
  const named = (await snapshot.repositories()).filter((name) => name.toLowerCase().includes(word));
  const forms = new Set([word, ...pluralsOf(word)]);
  const found = await Promise.all([...forms].map((form) => snapshot.word(form)));
  const ofGroup = (await snapshot.group(word))?.all() ?? [];
  const ofCrd = (await snapshot.group(groupOfCrd(word)))?.byCrd(word) ?? [];
  return [...new Set([named, ofGroup, ofCrd, ...found].flat())].sort(byCodePoint);
}
