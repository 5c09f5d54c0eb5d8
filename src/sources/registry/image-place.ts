import {
  pullSecretFor,
  rewrittenImage,
  type ImageConfig,
  type NamedSecret,
} from '../../model/cluster/image-config.js';
import { formatOrigin, InputError } from '../../model/input-error.js';
import { DOCKER_HUB, parseReference, type Reference } from '../../model/reference.js';
import { SourceError } from '../../model/source-error.js';
import type { Target } from '../../model/target/target.js';

/** Where an image is pulled from, and the ImageConfigs that decide it. */
export interface ImagePlace {
  /** The image as a package or the user names it. */
  readonly asked: string;
  readonly reference: Reference;
  readonly rewrittenBy: ImageConfig | undefined;
  /** The Secret an ImageConfig wants used. */
  readonly secret: NamedSecret | undefined;
}

/** Where the target pulls an image from; undefined: it is no valid reference. */
export function imagePlace(
  asked: string,
  configs: readonly ImageConfig[],
  target: Target,
): ImagePlace | undefined {
  const { image, rewrittenBy } = rewrittenImage(asked, configs, target);
  const { defaultRegistry = DOCKER_HUB, emptyTagIsLatest } = target.rules;
  const parse = (text: string) => parseReference(text, { defaultRegistry, emptyTagIsLatest });
  const reference = parse(image);
  if (reference !== undefined) {
    return { asked, reference, rewrittenBy, secret: pullSecretFor(image, configs, target) };
  }
  if (rewrittenBy === undefined || parse(asked) === undefined) return undefined;
  throw new InputError(
    `ImageConfig \`${rewrittenBy.name}\` makes \`${image}\` of \`${asked}\`, which is not an image reference`,
    {
      origin: rewrittenBy.origin,
      hint: 'correct its `spec.rewriteImage.prefix`: a path has `a-z`, `0-9`, `_`, `.`, `/` and `-` only',
    },
  );
}

/** A note that an ImageConfig points to a place that lacks the image; undefined: none does. */
export function rewriteNote({ asked, reference, rewrittenBy }: ImagePlace): string | undefined {
  if (rewrittenBy === undefined) return undefined;
  return `${asked} was looked for as \`${reference.text}\`, because of ${shown(rewrittenBy)}, and is not there`;
}

/** Names the original image and the ImageConfigs involved in a failure. */
export function withImageConfig(
  error: SourceError,
  { asked, rewrittenBy, secret }: ImagePlace,
  isGiven: (secret: string) => boolean,
): SourceError {
  const told =
    rewrittenBy === undefined
      ? error
      : new SourceError(error.code, `${asked}, rewritten by ${shown(rewrittenBy)}`, error.message, {
          cause: error,
          hint: error.hint,
        });
  if (error.code !== 'UNAUTHORIZED' || secret === undefined || isGiven(secret.name)) return told;
  return told.advising(
    `${shown(secret.namedBy)} names the Secret \`${secret.name}\`, which was not given: give a file that holds it with \`--pull-secret\``,
  );
}

function shown({ name, origin }: ImageConfig): string {
  return `ImageConfig \`${name}\` (${formatOrigin(origin)})`;
}
