import { byCodePoint } from '../../base/collections.js';
import { isDigest } from '../../base/digest.js';
import { InputError, type Origin } from '../../base/errors.js';
import {
  isMapping,
  type JsonObject,
  type JsonValue,
  listOf,
  mappingOf,
  stringOf,
} from '../../base/json.js';
import { joinReference, splitTag } from '../packages/reference.js';
import type { ReleaseRules } from '../releases/release-facts.js';

/** Settings of an ImageConfig for rewritten images. Each is looked up separately. */
export const IMAGE_SETTINGS = ['registry', 'verification', 'runtime'] as const;
export type ImageSetting = (typeof IMAGE_SETTINGS)[number];

/** Label of a rendered ImageConfig with a pin. Its value is the name of the package object. */
export const PINS_LABEL = 'xpkg-resolve.dev/pins';

/** The parts of an ImageConfig that affect images. */
export interface ImageConfig {
  readonly name: string;
  readonly prefixes: readonly string[];
  readonly rewriteTo: string | undefined;
  /** Name of the Secret for pulling; undefined if it has none. */
  readonly pullSecret: string | undefined;
  /** Settings from `spec`, as written. Only settings with an effect have a key. */
  readonly settings: Readonly<Partial<Record<ImageSetting, JsonValue>>>;
  readonly origin: Origin;
}

/** Returns the ImageConfigs, sorted as a cluster lists them. */
export function imageConfigsIn(objects: readonly KeptObject[]): readonly ImageConfig[] {
  return objects
    .filter(({ object }) => object['kind'] === 'ImageConfig')
    .map(imageConfigFrom)
    .sort((a, b) => byCodePoint(a.name, b.name));
}

function imageConfigFrom({ object, origin }: KeptObject): ImageConfig {
  const spec = objectAt(object, 'spec');
  const authentication = objectAt(objectAt(spec, 'registry'), 'authentication');
  const pullSecret = stringOf(objectAt(authentication, 'pullSecretRef')['name']);
  const present = IMAGE_SETTINGS.filter((setting) =>
    setting === 'registry' ? Boolean(pullSecret) : isMapping(spec[setting]),
  );
  return {
    name: stringOf(objectAt(object, 'metadata')['name']) ?? '',
    prefixes: (listOf(spec['matchImages']) ?? []).flatMap((each) => {
      const match = mappingOf(each);
      return (match?.['type'] ?? 'Prefix') === 'Prefix' ? (stringOf(match?.['prefix']) ?? []) : [];
    }),
    rewriteTo:
      spec['rewriteImage'] === undefined
        ? undefined
        : (stringOf(objectAt(spec, 'rewriteImage')['prefix']) ?? ''),
    pullSecret,
    settings: Object.fromEntries(present.map((setting) => [setting, spec[setting]!])),
    origin,
  };
}

/** Rewrites an image once, before the default registry is added. */
export function rewrittenImage(
  image: string,
  configs: readonly ImageConfig[],
  { rules }: ReleaseRules,
): { readonly image: string; readonly rewrittenBy: ImageConfig | undefined } {
  const best = bestMatch(image, configs, ({ rewriteTo }) => rewriteTo !== undefined);
  if (best === undefined || rules.imageConfig?.rewrite !== true) {
    return { image, rewrittenBy: undefined };
  }
  const { name, rewriteTo, origin } = best.config;
  if (rewriteTo === '') {
    throw new InputError(`ImageConfig \`${name}\` lacks \`spec.rewriteImage.prefix\``, { origin });
  }
  return { image: `${rewriteTo}${image.slice(best.prefix.length)}`, rewrittenBy: best.config };
}

export interface NamedSecret {
  readonly name: string;
  readonly namedBy: ImageConfig;
}

/** Returns the Secret with which the target pulls a (rewritten) image. */
export function pullSecretFor(
  image: string,
  configs: readonly ImageConfig[],
  { rules }: ReleaseRules,
): NamedSecret | undefined {
  if (rules.imageConfig === undefined) return undefined;
  const best = bestMatch(image, configs, ({ pullSecret }) => pullSecret !== undefined);
  return best && { name: best.config.pullSecret!, namedBy: best.config };
}

/** Returns the ImageConfig whose setting applies to a (rewritten) image. */
export function settingFor(
  image: string,
  setting: ImageSetting,
  configs: readonly ImageConfig[],
): ImageConfig | undefined {
  return bestMatch(image, configs, ({ settings }) => settings[setting] !== undefined)?.config;
}

function bestMatch(
  image: string,
  configs: readonly ImageConfig[],
  hasSetting: (config: ImageConfig) => boolean,
) {
  const prefixed = configs
    .filter(hasSetting)
    .flatMap((config) => config.prefixes.map((prefix) => ({ config, prefix })));
  return longestMatch(image, prefixed);
}

/** Returns the first item with the longest matching prefix, which may end inside a segment. */
function longestMatch<T extends { readonly prefix: string }>(
  image: string,
  items: readonly T[],
): T | undefined {
  let best: T | undefined;
  for (const item of items) {
    const isLonger = item.prefix.length > (best?.prefix.length ?? 0);
    if (isLonger && image.startsWith(item.prefix)) best = item;
  }
  return best;
}

/** Whether an object is a rendered pin, as opposed to an object of the user. */
export function isRenderedPin(object: JsonObject): boolean {
  const labels = mappingOf(mappingOf(object['metadata'])?.['labels']) ?? {};
  return object['kind'] === 'ImageConfig' && labels[PINS_LABEL] !== undefined;
}

function objectAt(object: JsonObject, key: string): JsonObject {
  return mappingOf(object[key]) ?? {};
}

/** Kinds of pkg.crossplane.io, besides packages, that are rendered unchanged. */
export const EXTRA_KINDS: readonly string[] = [
  'ImageConfig',
  'DeploymentRuntimeConfig',
  'ControllerConfig',
];

export interface KeptObject {
  readonly object: JsonObject;
  readonly origin: Origin;
}

/** A tag that an ImageConfig rewrites. */
export interface ImagePin {
  /** `repository:tag`. Longer tags begin with it, too. */
  readonly prefix: string;
  /** `repository@digest`; undefined for another rewrite, which hides shorter prefixes. */
  readonly pulled: string | undefined;
}

/** Returns the tags that ImageConfigs among some objects rewrite. */
export function imagePins(
  objects: readonly KeptObject[],
  { rules }: ReleaseRules,
): readonly ImagePin[] {
  if (rules.imageConfig?.rewrite !== true) return [];
  return imageConfigsIn(objects).flatMap(({ prefixes, rewriteTo = '' }) => {
    if (rewriteTo === '') return [];
    const digest = rewriteTo.slice(rewriteTo.indexOf('@') + 1);
    return prefixes
      .filter((prefix) => splitTag(prefix).tag !== undefined && !prefix.includes('@'))
      .map((prefix) => ({
        prefix,
        pulled: isDigest(digest) ? joinReference(splitTag(prefix).name, digest) : undefined,
      }));
  });
}

/** Returns the pulled reference. It is invalid for a tag that is longer than a pinned one. */
export function pulledReference(reference: string, pins: readonly ImagePin[]): string {
  const best = longestMatch(reference, pins);
  if (best?.pulled === undefined) return reference;
  return best.pulled + reference.slice(best.prefix.length);
}
