import { byCodePoint } from '../../text/code-point-order.js';
import { bringsCrd } from '../../admission/owned.js';
import type { Repository } from '../../model/package.js';
import type { Owner } from '../../model/package-source.js';
import type { CrdDemand } from '../../model/crd-demand.js';
import { isAttachmentTag } from '../../model/reference.js';
import type { Target } from '../../model/target/target.js';
import type { ImageRepository } from '../../image/image-repository.js';
import { imageDate } from '../../image/date/image-date.js';
import type { ImageHolder } from './image-holder.js';
import { fetchImage } from './fetch-image.js';

/** A source over local images, which can all be read to find the owners of a CRD. */
export function imageSource(held: ReadonlyMap<Repository, ImageRepository>): ImageHolder {
  const repositories = [...held.keys()].sort(byCodePoint);
  return {
    tags: async (repository) => held.get(repository)?.tags(),
    fetch: async ({ repository, version }, target) => {
      const images = held.get(repository);
      return images && fetchImage(images, version, target);
    },
    released: async ({ repository, version }, { rules }) => {
      const images = held.get(repository);
      return images && imageDate(images, version, rules);
    },
    owners: async (demand, target) => {
      const owners = await Promise.all(
        repositories.map((repository) => owning(repository, held.get(repository)!, demand, target)),
      );
      return owners.filter(({ versions }) => versions.length > 0);
    },
    repositories: async () => repositories,
    images: async ({ repository }) => held.get(repository),
  };
}

async function owning(
  repository: Repository,
  images: ImageRepository,
  demand: CrdDemand,
  target: Target,
): Promise<Owner> {
  const versions: string[] = [];
  for (const tag of [...((await images.tags()) ?? [])].sort(byCodePoint)) {
    if (isAttachmentTag(tag)) continue;
    const contents = (await fetchImage(images, tag, target))?.contents;
    if (contents !== undefined && bringsCrd(contents, demand, target)) versions.push(tag);
  }
  return { repository, versions };
}
