import { isDeepStrictEqual } from 'node:util';
import type { LockedPackage } from '../lock/lockfile.js';
import {
  IMAGE_SETTINGS,
  imageConfigsIn,
  PINS_LABEL,
  rewrittenImage,
  settingFor,
  type ImageConfig,
} from '../model/cluster/image-config.js';
import { InputError } from '../model/input-error.js';
import { joinReference, parseReference, referenceRules, splitTag } from '../model/reference.js';
import { packageManagerOf } from '../model/target/package-manager.js';
import type { Target } from '../model/target/target.js';
import { isDigest, type Digest } from '../text/digest.js';
import { listOf, mappingOf, stringOf, type JsonObject, type JsonValue } from '../text/json.js';
import { labelOf } from './object-label.js';
import { suffixedName } from './object-name.js';
import { installedVersion } from './package-object.js';

interface PinnedImages {
  /** The user's objects, without what pins say in their place. */
  readonly kept: readonly JsonObject[];
  /**
   * An ImageConfig for each package that is installed by a tag, in the order of packages, and after
   * it those that let longer tags through.
   */
  readonly pins: readonly JsonObject[];
  readonly warnings: readonly string[];
}

/**
 * ImageConfigs that make the target pull what is locked, while `spec.package` keeps its tag.
 *
 * Of several that match an image, a cluster follows the one with the longest prefix alone: so a pin
 * says as well what the user's ImageConfigs would have said of the image.
 */
export function pinImages(
  packages: readonly LockedPackage[],
  kept: readonly JsonObject[],
  target: Target,
): PinnedImages {
  refuseOldRelease(target);
  const configs = imageConfigsIn(
    kept.map((object) => ({ object, origin: { file: 'the lockfile' } })),
  );
  const names = new Set(configs.map(({ name }) => name));
  const tagged = packages.filter(({ version }) => !isDigest(version));
  const pins = tagged.flatMap((locked) => pinOf(locked, { configs, names, target }) ?? []);
  const images = new Set(pins.map(({ image }) => image));
  const others = kept.map((object) => withoutPinned(object, images));
  return {
    kept: others.flatMap(({ object }) => (object === undefined ? [] : [object])),
    pins: pins.flatMap(({ object, passes }) => [object, ...passes]),
    warnings: [
      ...others.flatMap(({ warnings }) => warnings),
      ...ambiguousPrefixes(configs, [...images]),
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
  /** What `spec.package` says. */
  readonly image: string;
  readonly object: JsonObject;
  /** ImageConfigs that let longer tags through. */
  readonly passes: readonly JsonObject[];
  /** Whether longer tags are published is not known. */
  readonly isAlone: boolean;
}

interface PinContext {
  readonly configs: readonly ImageConfig[];
  /** Of ImageConfigs of the user. */
  readonly names: ReadonlySet<string>;
  readonly target: Target;
}

/** undefined: the user's own ImageConfig rewrites it to the locked digest already. */
function pinOf(
  locked: LockedPackage,
  { configs, names, target }: PinContext,
): ImagePin | undefined {
  const image = joinReference(locked.repository, locked.version);
  const { image: pulled, rewrittenBy } = rewrittenImage(image, configs, target);
  const digest = installedVersion(locked, 'digest') as Digest; // by digest, it is one
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
  const said = IMAGE_SETTINGS.flatMap((setting): readonly (readonly [string, JsonValue])[] => {
    const before = settingFor(pulled, setting, configs)?.settings[setting];
    const after = settingFor(to, setting, configs)?.settings[setting];
    return before === undefined || isDeepStrictEqual(before, after) ? [] : [[setting, before]];
  });
  // With the settings of a tag, it has to match the digest, too: they are looked up once rewritten.
  const prefixes = [image, ...(said.length > 0 ? [to] : [])];
  const own = pinName(locked);
  return {
    image,
    object: rewriting(locked, names.has(own) ? suffixedName(own, locked.repository) : own, {
      matchImages: prefixes.map(matching),
      rewriteImage: { prefix: to },
      ...Object.fromEntries(said),
    }),
    passes: (locked.longerTags ?? []).flatMap((tag) => passOf(locked, tag, { configs, target })),
    isAlone: locked.longerTags === undefined,
  };
}

/**
 * An ImageConfig that makes of longer tags what the cluster would without the pin, whose prefix is
 * shorter. None where one of the user's has that prefix, or makes no image of them anyway.
 */
function passOf(
  locked: LockedPackage,
  tag: string,
  { configs, target }: Pick<PinContext, 'configs' | 'target'>,
): readonly JsonObject[] {
  const prefix = joinReference(locked.repository, tag);
  const isGiven = configs.some(
    ({ rewriteTo, prefixes }) => rewriteTo !== undefined && prefixes.includes(prefix),
  );
  const { image: to } = rewrittenImage(prefix, configs, target);
  const rules = { ...referenceRules(target), strict: false };
  if (isGiven || parseReference(to, rules) === undefined) return [];
  const spec = { matchImages: [matching(prefix)], rewriteImage: { prefix: to } };
  return [rewriting(locked, passName(locked, tag), spec)];
}

function rewriting({ name: pinned }: LockedPackage, name: string, spec: JsonObject): JsonObject {
  return {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'ImageConfig',
    metadata: { name, labels: { [PINS_LABEL]: pinned } },
    spec,
  };
}

function matching(prefix: string): JsonObject {
  return { type: 'Prefix', prefix };
}

/** What ImageConfigs of a package are called: its pin, and what lets longer tags through. */
export function pinNames(locked: LockedPackage): readonly string[] {
  return [pinName(locked), ...(locked.longerTags ?? []).map((tag) => passName(locked, tag))];
}

/** Unless the user has an ImageConfig of that name. */
function pinName({ name }: LockedPackage): string {
  return `pin-${name}`;
}

function passName(locked: LockedPackage, tag: string): string {
  return suffixedName(pinName(locked), joinReference(locked.repository, tag));
}

interface KeptBesidePins {
  /** undefined: a pin says all that it said. */
  readonly object: JsonObject | undefined;
  readonly warnings: readonly string[];
}

/** Of two ImageConfigs with one prefix, the cluster may follow either: the pin remains. */
function withoutPinned(object: JsonObject, images: ReadonlySet<string>): KeptBesidePins {
  const spec = mappingOf(object['spec']) ?? {};
  const matches = listOf(spec['matchImages']) ?? [];
  const isPinned = (match: JsonValue) => images.has(prefixOf(match));
  const left = matches.filter((match) => !isPinned(match));
  const rewrites = object['kind'] === 'ImageConfig' && spec['rewriteImage'] !== undefined;
  if (!rewrites || left.length === matches.length) return { object, warnings: [] };
  const gone = matches.filter(isPinned).map((match) => `\`${prefixOf(match)}\``);
  const warnings = [
    `${labelOf(object)} rewrites exactly ${gone.join(', ')}: a pin does so in its place, to the locked digest`,
  ];
  if (left.length === 0) return { object: undefined, warnings };
  return { object: { ...object, spec: { ...spec, matchImages: left } }, warnings };
}

function prefixOf(match: JsonValue): string {
  return stringOf(mappingOf(match)?.['prefix']) ?? '';
}

/** Of equal prefixes the first that was given is taken here, and a cluster may take another. */
function ambiguousPrefixes(
  configs: readonly ImageConfig[],
  images: readonly string[],
): readonly string[] {
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

/** Of pins whose lockfile does not tell what else is published. */
function unknownTags(pins: readonly ImagePin[]): readonly string[] {
  const [first, ...more] = pins.filter(({ isAlone }) => isAlone);
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : ` (and beside ${more.length} more)`;
  return [
    `the lockfile does not tell whether longer tags, such as \`${first.image}-rc.1\`, are published ` +
      `beside \`${first.image}\`${others}: the pin keeps a cluster from installing them; ` +
      '`xpkg-resolve resolve --pin locked` looks, and lets them through',
  ];
}

function upgradeWarnings(target: Target): readonly string[] {
  if (!packageManagerOf(target).movesFromPulledVersion) return [];
  return [
    `Crossplane ${target.version} with \`--enable-dependency-version-upgrades\` takes the digest ` +
      'for the installed version, and its resolver fails on it: leave that flag off, or render with `--pin tag`',
  ];
}
