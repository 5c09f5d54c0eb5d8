import { isDeepStrictEqual } from 'node:util';
import type { LockedPackage } from '../lockfile/lockfile.js';
import {
  IMAGE_SETTINGS,
  imageConfigsIn,
  PINS_LABEL,
  rewrittenImage,
  settingFor,
  type ImageConfig,
} from '../../crossplane/package-manager/image-config.js';
import { InputError } from '../../base/errors.js';
import {
  joinReference,
  parseReference,
  referenceRules,
  splitTag,
} from '../../crossplane/packages/reference.js';
import type { Target } from '../../crossplane/releases/target.js';
import { isDigest, type Digest } from '../../base/digest.js';
import { listOf, mappingOf, stringOf, type JsonObject, type JsonValue } from '../../base/json.js';
import type { AdaptedManifest } from './extra-manifests.js';
import { labelOf, suffixedName } from './object-names.js';
import { installedVersion } from './package-object.js';

/**
 * Returns ImageConfigs that pull the locked digests, while `spec.package` keeps its tag, and the
 * objects of the user without the parts that these pins replace.
 *
 * A cluster uses only the ImageConfig with the longest matching prefix. So each pin also contains
 * the settings of the user's ImageConfigs for its image.
 */
export function pinImages(
  packages: readonly LockedPackage[],
  kept: readonly JsonObject[],
  target: Target,
) {
  refuseOldRelease(target);
  const configs = imageConfigsIn(
    kept.map((object) => ({ object, origin: { file: 'the lockfile' } })),
  );
  const tagged = packages.filter(({ version }) => !isDigest(version));
  const pins = tagged.flatMap((locked) => pinOf(locked, configs, target) ?? []);
  const images = new Set(pins.map(({ image }) => image));
  const others = kept.map((object) => withoutPinned(object, images));
  return {
    kept: others.flatMap(({ object }) => (object === undefined ? [] : [object])),
    pins: pins.flatMap(({ object, exceptions }) => [object, ...exceptions]),
    warnings: [
      ...others.flatMap(({ warnings }) => warnings),
      ...ambiguousPrefixWarnings(configs, [...images]),
      ...unknownTags(pins),
      ...(pins.length > 0 ? upgradeWarnings(target) : []),
    ],
  };
}

function refuseOldRelease({ version, rules }: Target): void {
  if (rules.imageConfig?.rewrite === true) return;
  throw new InputError(
    `Crossplane ${version} cannot be told to pull a tag by its digest: ImageConfigs rewrite images from v1.20.0 on`,
    { hint: 'render with `--pin tag` or `--pin digest`, or for a newer release' },
  );
}

interface ImagePin {
  /** Value of `spec.package`. */
  readonly image: string;
  readonly object: JsonObject;
  /** ImageConfigs that exclude longer tags from the pin. */
  readonly exceptions: readonly JsonObject[];
  /** Whether the lockfile does not record longer tags. */
  readonly hasUnknownTags: boolean;
}

/** Returns undefined if a given ImageConfig already rewrites the image to the locked digest. */
function pinOf(
  locked: LockedPackage,
  configs: readonly ImageConfig[],
  target: Target,
): ImagePin | undefined {
  const image = joinReference(locked.repository, locked.version);
  const { image: pulled, rewrittenBy } = rewrittenImage(image, configs, target);
  const digest = installedVersion(locked, 'digest') as Digest; // always a digest
  const reference = parseReference(pulled, { ...referenceRules(target), strict: false });
  if (reference === undefined) {
    throw new InputError(
      `ImageConfig \`${rewrittenBy?.name}\` makes \`${pulled}\` of \`${image}\`, which is not an image reference`,
      { hint: 'correct its `spec.rewriteImage.prefix`' },
    );
  }
  if (reference.digest === digest) return undefined;
  if (reference.digest !== undefined) {
    throw new InputError(
      `ImageConfig \`${rewrittenBy!.name}\` makes \`${reference.digest}\` of \`${image}\`, and \`${digest}\` is locked`,
      { hint: 'resolve again, or take the digest out of the ImageConfig' },
    );
  }
  const to = joinReference(splitTag(pulled).name, digest);
  const otherSettings = IMAGE_SETTINGS.flatMap(
    (setting): readonly (readonly [string, JsonValue])[] => {
      const before = settingFor(pulled, setting, configs)?.settings[setting];
      const after = settingFor(to, setting, configs)?.settings[setting];
      return before === undefined || isDeepStrictEqual(before, after) ? [] : [[setting, before]];
    },
  );
  // Other settings are looked up after the rewrite, so the pin must match the digest as well.
  const prefixes = [image, ...(otherSettings.length > 0 ? [to] : [])];
  const own = pinName(locked);
  const isTaken = configs.some(({ name }) => name === own);
  return {
    image,
    object: rewrite(locked, isTaken ? suffixedName(own, locked.repository) : own, {
      matchImages: prefixes.map(matchOf),
      rewriteImage: { prefix: to },
      ...Object.fromEntries(otherSettings),
    }),
    exceptions: (locked.longerTags ?? []).flatMap((tag) =>
      tagException(locked, tag, configs, target),
    ),
    hasUnknownTags: locked.longerTags === undefined,
  };
}

/**
 * Returns an ImageConfig that treats longer tags as if there was no pin. None is needed if the user
 * has one with that prefix, or if the result would not be an image.
 */
function tagException(
  locked: LockedPackage,
  tag: string,
  configs: readonly ImageConfig[],
  target: Target,
): readonly JsonObject[] {
  const prefix = joinReference(locked.repository, tag);
  const isGiven = configs.some(
    ({ rewriteTo, prefixes }) => rewriteTo !== undefined && prefixes.includes(prefix),
  );
  const { image: to } = rewrittenImage(prefix, configs, target);
  const rules = { ...referenceRules(target), strict: false };
  if (isGiven || parseReference(to, rules) === undefined) return [];
  const spec = { matchImages: [matchOf(prefix)], rewriteImage: { prefix: to } };
  return [rewrite(locked, exceptionName(locked, tag), spec)];
}

function rewrite({ name: pinned }: LockedPackage, name: string, spec: JsonObject): JsonObject {
  return {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'ImageConfig',
    metadata: { name, labels: { [PINS_LABEL]: pinned } },
    spec,
  };
}

function matchOf(prefix: string): JsonObject {
  return { type: 'Prefix', prefix };
}

/** Returns the names of a package's ImageConfigs: its pin and its exceptions for longer tags. */
export function pinNames(locked: LockedPackage): readonly string[] {
  return [pinName(locked), ...(locked.longerTags ?? []).map((tag) => exceptionName(locked, tag))];
}

/** Default name; another is used if the user has an ImageConfig of that name. */
function pinName({ name }: LockedPackage): string {
  return `pin-${name}`;
}

function exceptionName(locked: LockedPackage, tag: string): string {
  return suffixedName(pinName(locked), joinReference(locked.repository, tag));
}

/** Removes the images that pins rewrite: of two equal prefixes, a cluster may use either. */
function withoutPinned(object: JsonObject, images: ReadonlySet<string>): AdaptedManifest {
  const spec = mappingOf(object['spec']) ?? {};
  const matches = listOf(spec['matchImages']) ?? [];
  const isPinned = (match: JsonValue) => images.has(prefixOf(match));
  const remaining = matches.filter((match) => !isPinned(match));
  const rewrites = object['kind'] === 'ImageConfig' && spec['rewriteImage'] !== undefined;
  if (!rewrites || remaining.length === matches.length) return { object, warnings: [] };
  const pinned = matches.filter(isPinned).map((match) => `\`${prefixOf(match)}\``);
  const warnings = [
    `${labelOf(object)} rewrites exactly ${pinned.join(', ')}: a pin does so in its place, to the locked digest`,
  ];
  if (remaining.length === 0) return { object: undefined, warnings };
  return { object: { ...object, spec: { ...spec, matchImages: remaining } }, warnings };
}

function prefixOf(match: JsonValue): string {
  return stringOf(mappingOf(match)?.['prefix']) ?? '';
}

/** Returns warnings about equal prefixes, of which a cluster may use either. */
function ambiguousPrefixWarnings(configs: readonly ImageConfig[], images: readonly string[]) {
  const first = new Map<string, ImageConfig>();
  const rewriting = configs.filter(({ rewriteTo }) => rewriteTo !== undefined);
  return rewriting.flatMap((config) =>
    config.prefixes.flatMap((prefix) => {
      const other = first.get(prefix) ?? config;
      first.set(prefix, other);
      const isPinned = images.some((image) => image.startsWith(prefix));
      if (!isPinned || other.rewriteTo === config.rewriteTo) return [];
      return [
        `ImageConfigs \`${other.name}\` and \`${config.name}\` rewrite \`${prefix}\` to different places: ` +
          `a cluster follows either, and pins follow \`${other.name}\`; take the prefix out of one`,
      ];
    }),
  );
}

/** Returns a warning about pins whose lockfile does not record longer tags. */
function unknownTags(pins: readonly ImagePin[]): readonly string[] {
  const [first, ...more] = pins.filter(({ hasUnknownTags }) => hasUnknownTags);
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : ` (and beside ${more.length} more)`;
  return [
    `the lockfile does not tell whether longer tags, such as \`${first.image}-rc.1\`, are published ` +
      `beside \`${first.image}\`${others}: the pin keeps a cluster from installing them; ` +
      '`xpkg-resolve resolve --pin locked` looks, and lets them through',
  ];
}

function upgradeWarnings(target: Target): readonly string[] {
  if (!target.packageManager.movesFromPulledVersion) return [];
  return [
    `Crossplane ${target.version} with \`--enable-dependency-version-upgrades\` takes the digest ` +
      'for the installed version, and its resolver fails on it: leave that flag off, or render with `--pin tag`',
  ];
}
