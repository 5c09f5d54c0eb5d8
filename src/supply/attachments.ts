import type { ImageRepository, StoredManifest } from '../image/image-repository.js';
import { isAttachmentTag } from '../model/reference.js';
import { SourceError } from '../model/source-error.js';
import { byCodePoint } from '../text/code-point-order.js';
import type { Digest } from '../text/digest.js';

/** A signature, attestation or bill of materials of an image. */
export interface Attachment {
  /** The tag that it is kept under, or its digest. */
  readonly reference: string;
  readonly manifest: StoredManifest;
}

/** What is attached to an image: under tags made of its digest (cosign), or as referrers (OCI 1.1). */
export async function attachmentsOf(
  images: ImageRepository,
  digests: readonly Digest[],
): Promise<readonly Attachment[]> {
  const prefixes = digests.map((digest) => digest.replace(':', '-'));
  const tags = ((await images.tags()) ?? []).filter(
    (tag) => isAttachmentTag(tag) && prefixes.some((prefix) => tag.startsWith(prefix)),
  );
  const referrers = new Set<Digest>();
  for (const digest of digests) {
    for (const { digest: found } of (await images.referrers?.(digest)) ?? []) referrers.add(found);
  }
  const references = [...tags.sort(byCodePoint), ...[...referrers].sort(byCodePoint)];
  const found: Attachment[] = [];
  for (const reference of references) {
    const manifest = await images.manifest(reference);
    if (manifest === undefined) {
      const what = `it is listed as attached to an image, and is not there`;
      throw new SourceError('BAD_SOURCE', `${images.name} ${reference}`, what, {
        hint: '`--no-signatures` leaves signatures and other attachments out',
      });
    }
    found.push({ reference, manifest });
  }
  return found;
}
