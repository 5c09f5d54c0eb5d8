import { bundleOf } from '../../bundle/bundle.js';
import { nameOf } from '../../bundle/object-label.js';
import type { Lockfile } from '../../lock/lockfile.js';
import { imageConfigsIn, rewrittenImage } from '../../model/cluster/image-config.js';
import { InputError } from '../../model/input-error.js';
import type { PackageSource } from '../../model/package-source.js';
import { joinReference, parseReference, referenceRules } from '../../model/reference.js';
import { targetFor, type Target } from '../../model/target/target.js';
import { byCodePoint } from '../../text/code-point-order.js';
import { isDigest } from '../../text/digest.js';
import type { JsonObject } from '../../text/json.js';
import { tagsIfTold } from '../tags-if-told.js';

/** Tags told of a package. */
const MAX_TOLD = 5;

/**
 * Published tags that a pin of a locked tag keeps from being installed: those that begin as it does,
 * and that no ImageConfig with a longer prefix lets through.
 */
export async function longerTags(lockfile: Lockfile, source: PackageSource): Promise<string[]> {
  const target = targetFor(lockfile.crossplane)!;
  const configs = imageConfigsIn(
    pinnedObjects(lockfile, target).map((object) => ({ object, origin: { file: 'the bundle' } })),
  );
  const rules = { ...referenceRules(target), strict: false };
  const keptAwayBy = (image: string) => {
    const { image: pulled, rewrittenBy } = rewrittenImage(image, configs, target);
    return parseReference(pulled, rules) === undefined ? rewrittenBy : undefined;
  };
  const given = new Set(lockfile.objects.map(nameOf));
  const tagged = lockfile.packages.filter(({ version }) => !isDigest(version));
  const notes = tagged.map(async ({ repository, version }) => {
    const tags = (await tagsIfTold(repository, source, target)) ?? [];
    const longer = tags
      .filter((tag) => tag.startsWith(version) && tag !== version)
      .filter((tag) => keptAwayBy(joinReference(repository, tag)) !== undefined)
      .sort(byCodePoint);
    if (longer.length === 0) return [];
    const { name } = keptAwayBy(joinReference(repository, longer[0]!))!;
    const advice = given.has(name)
      ? `ImageConfig \`${name}\` is yours, and one with a longer prefix lets such tags through`
      : '`xpkg-resolve resolve --pin locked` lets such tags through';
    const more = longer.length > MAX_TOLD ? ` and ${longer.length - MAX_TOLD} more` : '';
    const told = longer.slice(0, MAX_TOLD).map((tag) => `\`${tag}\``);
    return [
      `while \`${joinReference(repository, version)}\` is pinned, no cluster can install ${told.join(', ')}${more}, ` +
        `published, and beginning as it does: ${advice}`,
    ];
  });
  return (await Promise.all(notes)).flat();
}

/** Empty: nothing can be pinned, which is told elsewhere. */
function pinnedObjects(lockfile: Lockfile, target: Target): readonly JsonObject[] {
  try {
    return bundleOf(lockfile, target, 'locked').kept;
  } catch (error) {
    if (error instanceof InputError) return [];
    throw error;
  }
}
