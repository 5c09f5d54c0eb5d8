import pLimit from 'p-limit';
import type { ImageDestination } from '../image/image-destination.js';
import { joinReference, parseReference, type Reference } from '../model/reference.js';
import type { Digest } from '../text/digest.js';
import { attachmentsOf } from './attachments.js';
import type { ClosureImage } from './closure-images.js';
import { platformImages } from './image-parts.js';
import { mirrorImage } from './mirror-image.js';
import { mirrored, type MirrorRule } from './mirror-rules.js';

/** An image, and where it is to be at the mirror. */
export interface MirroredImage {
  readonly image: ClosureImage;
  /** `mirror.example.org/acme/provider:v1.0.0`. */
  readonly name: string;
  readonly destination: ImageDestination;
  /** What the name stands for at the mirror now; undefined: for nothing. */
  readonly before: Digest | undefined;
}

/** Where each image goes, and what is there already; nothing is written. */
export async function planMirror(
  images: readonly ClosureImage[],
  rules: readonly MirrorRule[],
  open: (reference: Reference) => ImageDestination,
  concurrency: number,
): Promise<readonly MirroredImage[]> {
  const limit = pLimit(concurrency);
  return Promise.all(
    images.map((image) =>
      limit(async () => {
        const name = mirrored(joinReference(image.repository, image.version), rules);
        const destination = open(parseReference(name)!);
        const before = (await destination.manifest(image.version))?.digest;
        return { image, name, destination, before };
      }),
    ),
  );
}

export interface MirrorOptions {
  readonly concurrency: number;
  /** Copy signatures and other attachments, too. */
  readonly signatures: boolean;
  /** Called when the copy of an image begins. */
  readonly onImage?: ((name: string) => void) | undefined;
  readonly onBytes?: ((count: number) => void) | undefined;
}

/** What became of an image. */
export interface MirrorOutcome {
  /** Something was missing; else the mirror had all of it. */
  readonly isNew: boolean;
  /** Signatures and the like that it has. */
  readonly attachments: number;
}

/** Copies what the mirror lacks of each image; outcomes are in the order of the plan. */
export async function copyToMirror(
  plan: readonly MirroredImage[],
  options: MirrorOptions,
): Promise<readonly MirrorOutcome[]> {
  const limit = pLimit(options.concurrency);
  let failed = false;
  const outcomes = await Promise.allSettled(
    plan.map((one) =>
      limit(async () => {
        if (failed) return { isNew: false, attachments: 0 };
        try {
          return await copyOne(one, options);
        } catch (error) {
          failed = true;
          throw error;
        }
      }),
    ),
  );
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

async function copyOne(
  { image, name, destination, before }: MirroredImage,
  { signatures, onImage, onBytes }: MirrorOptions,
): Promise<MirrorOutcome> {
  onImage?.(name);
  const isNamed = before === image.digest;
  let isNew = await mirrorImage(image, destination, {
    reference: image.version,
    isNamed,
    onBytes,
  });
  if (!signatures) return { isNew, attachments: 0 };
  const { images } = image;
  const platforms = await platformImages(image);
  const digests = new Set([image.digest, ...platforms.map(({ digest }) => digest)]);
  const attached = await attachmentsOf(images, [...digests]);
  for (const { reference, manifest } of attached) {
    const there = (await destination.manifest(reference))?.digest;
    const options = { reference, isNamed: there === manifest.digest, onBytes };
    if (await mirrorImage({ images, manifest }, destination, options)) isNew = true;
  }
  return { isNew, attachments: attached.length };
}
