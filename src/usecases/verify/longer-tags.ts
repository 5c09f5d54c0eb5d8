import type { Lockfile } from '../../lock/lockfile.js';
import { imageConfigsIn } from '../../model/cluster/image-config.js';
import type { PackageSource } from '../../model/package-source.js';
import { joinReference } from '../../model/reference.js';
import { targetFor } from '../../model/target/target.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { isDigest } from '../../text/digest.js';

/** Tags told of a package. */
const MAX_TOLD = 5;

/**
 * Published tags that a pin of a locked tag keeps from being installed: those that begin as it does,
 * and that no ImageConfig of the user rewrites by a longer prefix.
 */
export async function longerTags(lockfile: Lockfile, source: PackageSource): Promise<string[]> {
  const target = targetFor(lockfile.crossplane)!;
  const kept = lockfile.objects.map((object) => ({ object, origin: { file: 'the lockfile' } }));
  const prefixes = imageConfigsIn(kept)
    .filter(({ rewriteTo }) => rewriteTo !== undefined)
    .flatMap((config) => config.prefixes);
  const tagged = lockfile.packages.filter(({ version }) => !isDigest(version));
  const notes = tagged.map(async ({ repository, version }) => {
    const pinned = joinReference(repository, version);
    const tags = (await source.tags(repository, target)) ?? [];
    const longer = tags
      .filter((tag) => tag.startsWith(version) && tag !== version)
      .filter((tag) => {
        const image = joinReference(repository, tag);
        return !prefixes.some((each) => each.length > pinned.length && image.startsWith(each));
      })
      .sort(byCodePoint);
    if (longer.length === 0) return [];
    const more = longer.length > MAX_TOLD ? ` and ${longer.length - MAX_TOLD} more` : '';
    const told = longer.slice(0, MAX_TOLD).map((tag) => `\`${tag}\``);
    return [
      `while \`${pinned}\` is pinned, no cluster can install ${told.join(', ')}${more}, which begin as it does: ` +
        'an ImageConfig of yours that rewrites such a tag to itself lets it through',
    ];
  });
  return (await Promise.all(notes)).flat();
}
