import { byCodePoint } from '../../text/code-point-order.js';
import { InputError } from '../input-error.js';
import type { Origin } from '../package.js';
import {
  isMapping,
  listOf,
  mappingOf,
  stringOf,
  type JsonObject,
  type JsonValue,
} from '../../text/json.js';
import type { KeptObject } from '../request.js';
import type { Target } from '../target/target.js';

/** What an ImageConfig says of images once they are rewritten; each is looked up by itself. */
export const IMAGE_SETTINGS = ['registry', 'verification', 'runtime'] as const;
export type ImageSetting = (typeof IMAGE_SETTINGS)[number];

/** Marks an ImageConfig that was rendered to pin a package, and says the name of its object. */
export const PINS_LABEL = 'xpkg-resolve.dev/pins';

/** An ImageConfig, reduced to what becomes of an image. */
export interface ImageConfig {
  readonly name: string;
  readonly prefixes: readonly string[];
  /** undefined: it rewrites nothing. */
  readonly rewriteTo: string | undefined;
  /** Name of the Secret to pull with; undefined: it says nothing about that. */
  readonly pullSecret: string | undefined;
  /** Of `spec`, as written; a key is there for what it does say something about. */
  readonly settings: Readonly<Partial<Record<ImageSetting, JsonValue>>>;
  readonly origin: Origin;
}

/** The ImageConfigs among what the user gave, in the order a cluster lists them. */
export function imageConfigsIn(kept: readonly KeptObject[]): readonly ImageConfig[] {
  return kept
    .filter(({ object }) => object['kind'] === 'ImageConfig')
    .map(imageConfigFrom)
    .sort((a, b) => byCodePoint(a.name, b.name));
}

function imageConfigFrom({ object, origin }: KeptObject): ImageConfig {
  const spec = objectAt(object, 'spec');
  const matches = spec['matchImages'];
  const authentication = objectAt(objectAt(spec, 'registry'), 'authentication');
  const pullSecret = textAt(objectAt(authentication, 'pullSecretRef'), 'name');
  const said = IMAGE_SETTINGS.filter((setting) =>
    setting === 'registry' ? Boolean(pullSecret) : isMapping(spec[setting]),
  );
  return {
    name: textAt(objectAt(object, 'metadata'), 'name') ?? '',
    prefixes: (listOf(matches) ?? []).flatMap((match) => prefixOf(match)),
    rewriteTo:
      spec['rewriteImage'] === undefined
        ? undefined
        : (textAt(objectAt(spec, 'rewriteImage'), 'prefix') ?? ''),
    pullSecret,
    settings: Object.fromEntries(said.map((setting) => [setting, spec[setting]!])),
    origin,
  };
}

function prefixOf(match: JsonValue): readonly string[] {
  if (!isMapping(match) || (match['type'] ?? 'Prefix') !== 'Prefix') return [];
  const prefix = textAt(match, 'prefix');
  return prefix === undefined ? [] : [prefix];
}

/** The image that the target pulls instead of another. */
interface PulledImage {
  readonly image: string;
  /** undefined: the image is pulled by its own name. */
  readonly rewrittenBy: ImageConfig | undefined;
}

/**
 * Replaces the prefix of an image as one ImageConfig says; unchanged where none matches.
 *
 * Done once, and before the default registry is added.
 */
export function rewrittenImage(
  image: string,
  configs: readonly ImageConfig[],
  { rules }: Target,
): PulledImage {
  const same = { image, rewrittenBy: undefined };
  if (rules.imageConfig?.rewrite !== true) return same;
  const rewriting = configs.filter(({ rewriteTo }) => rewriteTo !== undefined);
  const best = bestMatch(image, rewriting);
  if (best === undefined) return same;
  if (best.config.rewriteTo === '') {
    throw new InputError(`ImageConfig \`${best.config.name}\` lacks \`spec.rewriteImage.prefix\``, {
      origin: best.config.origin,
    });
  }
  const pulled = `${best.config.rewriteTo}${image.slice(best.length)}`;
  return { image: pulled, rewrittenBy: best.config };
}

export interface NamedSecret {
  readonly name: string;
  /** The ImageConfig that names it. */
  readonly namedBy: ImageConfig;
}

/** The Secret the target pulls a (rewritten) image with. */
export function pullSecretFor(
  image: string,
  configs: readonly ImageConfig[],
  { rules }: Target,
): NamedSecret | undefined {
  if (rules.imageConfig === undefined) return undefined;
  const naming = configs.filter(({ pullSecret }) => pullSecret !== undefined);
  const best = bestMatch(image, naming)?.config;
  const name = best?.pullSecret;
  return best === undefined || name === undefined ? undefined : { name, namedBy: best };
}

/** The ImageConfig by which the target takes a setting for a (rewritten) image. */
export function settingFor(
  image: string,
  setting: ImageSetting,
  configs: readonly ImageConfig[],
): ImageConfig | undefined {
  return bestMatch(
    image,
    configs.filter(({ settings }) => settings[setting] !== undefined),
  )?.config;
}

/** The longest matching prefix wins, the first of equals; it may end inside a path segment. */
function bestMatch(
  image: string,
  configs: readonly ImageConfig[],
): { readonly config: ImageConfig; readonly length: number } | undefined {
  let best: { readonly config: ImageConfig; readonly length: number } | undefined;
  for (const config of configs) {
    for (const prefix of config.prefixes) {
      if (image.startsWith(prefix) && prefix.length > (best?.length ?? 0)) {
        best = { config, length: prefix.length };
      }
    }
  }
  return best;
}

/** Whether an object is a pin that was rendered, which no user wrote. */
export function isRenderedPin(object: JsonObject): boolean {
  const labels = mappingOf(mappingOf(object['metadata'])?.['labels']) ?? {};
  return object['kind'] === 'ImageConfig' && labels[PINS_LABEL] !== undefined;
}

function objectAt(object: JsonObject, key: string): JsonObject {
  return mappingOf(object[key]) ?? {};
}

function textAt(object: JsonObject, key: string): string | undefined {
  return stringOf(object[key]);
}
