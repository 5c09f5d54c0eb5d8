import type { NamedFact } from '../../../explain/named-fact.js';
import type { Repository } from '../../../model/package.js';
import type { PackageSource } from '../../../model/package-source.js';
import type { Target } from '../../../model/target/target.js';
import { nearestFirst } from '../../../semver/nearest-first.js';
import { publishedVersions } from '../../look/published.js';

/** Of versions that are missing; a reader makes nothing of more. */
const MAX_NOTES = 3;

/** For each version that is asked for and not there: what there is, and what comes nearest. */
export async function publishedNotes(
  facts: readonly NamedFact[],
  source: PackageSource,
  target: Target,
): Promise<string[]> {
  const missing = facts.flatMap((fact) =>
    fact.fact === 'missing' && fact.of.versions.length === 1 ? [fact.of] : [],
  );
  const notes = missing
    .slice(0, MAX_NOTES)
    .map(({ repository, versions }) => noteOn(repository, versions[0]!, source, target));
  return (await Promise.all(notes)).flat();
}

async function noteOn(
  repository: Repository,
  asked: string,
  source: PackageSource,
  target: Target,
): Promise<string[]> {
  // A refusal is not to fail for what only makes it easier to read.
  const tags = await source.tags(repository, target).catch(() => undefined);
  const published = publishedVersions(tags ?? [], target);
  const [newest, oldest] = [published[0], published.at(-1)];
  if (newest === undefined) return [];
  const { dialect } = target.rules;
  const [nearest] = nearestFirst(published, { asked, dialect });
  const range = newest === oldest ? newest.raw : `${oldest!.raw} to ${newest.raw}`;
  const count = published.length === 1 ? '' : ` (${published.length} versions)`;
  return [
    `published of ${repository}: ${range}${count}; the nearest to \`${asked}\` is ${nearest!.raw}`,
  ];
}
