import type { PackageSource } from '../../model/package-source.js';
import { traitsOf } from './traits.js';

/** What a run asked for; filled in as it goes. */
export interface SourceStats {
  /** Tag lists asked for. */
  listed: number;
  /** Package versions whose metadata was read. */
  fetched: number;
  /** Read from the network; sources that use one add to it themselves. */
  bytes: number;
  /** What was asked for last; undefined: nothing yet. */
  latest: string | undefined;
}

export function noStats(): SourceStats {
  return { listed: 0, fetched: 0, bytes: 0, latest: undefined };
}

/** Counts what a source is asked; goes inside `cached`, lest questions be counted twice. */
export function counted(source: PackageSource, stats: SourceStats): PackageSource {
  return {
    ...traitsOf(source),
    tags(repository, target) {
      stats.listed++;
      stats.latest = repository;
      return source.tags(repository, target);
    },
    async fetch(candidate, target) {
      stats.latest = `${candidate.repository} ${candidate.version}`;
      const found = await source.fetch(candidate, target);
      if (found !== undefined) stats.fetched++;
      return found;
    },
  };
}
