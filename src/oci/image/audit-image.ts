import type { Descriptor } from './descriptor.js';
import { readImageConfig } from './image-config.js';
import { type ImageRepository, isComplete, missingPartError } from './image-repository.js';
import { LIMITS, type Limits } from './limits.js';
import {
  type LocatedPackage,
  locatePackage,
  packageLocation,
  type PackageLocation,
} from './locate-package.js';
import { type ImageManifest, type Manifest, parseManifest } from './manifest.js';
import { readLayer, readPackage } from './read-package.js';
import { type Digest, sha256OfStream } from '../../base/digest.js';
import { SourceError, undefinedIfFailed } from '../../base/errors.js';
import { printable } from '../../base/escape.js';
import { allSettledInOrder } from '../../base/time.js';
import type { TargetRules } from '../../crossplane/releases/release-facts.js';

type Rules = Pick<TargetRules, 'severalBaseLayers' | 'maxLayers' | 'tarEntry'>;

interface Audit {
  readonly repository: ImageRepository;
  readonly rules: Rules;
  readonly limits: Limits;
  readonly subject: string;
}

/** Checks diffIDs and other platforms. Throws if they disagree; returns what was not checked. */
export async function auditImage(
  repository: ImageRepository,
  reference: string,
  rules: Rules,
  limits: Limits = LIMITS,
): Promise<readonly string[]> {
  const located = await locatePackage(repository, reference, rules, limits);
  const at = located?.location;
  if (located === undefined || at === undefined || at.place === 'refused') return [];
  const subject = `${repository.name}@${located.digest}`;
  const audit = { repository, rules, limits, subject };
  const { image } = located;
  const checked = at.place === 'layer' ? [at.layer] : at.layers;
  // In parallel, so that the config and the manifests of other platforms take one round trip.
  const [unchecked, compared] = await allSettledInOrder([
    image && checkDiffIds(image, checked, audit),
    located.manifest === undefined ? [] : comparePlatforms(located, audit),
  ]);
  return unchecked === undefined ? compared : [unchecked, ...compared];
}

/** Compares package.yaml of all platforms: a package must not depend on the reader's platform. */
async function comparePlatforms(located: LocatedPackage, audit: Audit): Promise<readonly string[]> {
  const notes: string[] = [];
  let expected: Digest | undefined;
  for (const child of await imagesOf(located.digest, audit)) {
    if (child.digest === located.manifest || isAttachment(child)) continue;
    const platform = platformText(child);
    const image = await manifestAt(child.digest, audit);
    if (image?.kind !== 'image') {
      if (isComplete(audit.repository))
        throw missingPartError(audit.subject, `the manifest ${child.digest}`);
      notes.push(`its image for ${platform} is not at hand, so it was not compared`);
      continue;
    }
    const place = packageLocation(image, audit.rules);
    if (sameLayer(place, located.location)) continue;
    if (place.place === 'refused') {
      notes.push(`its image for ${platform} was not compared: ${place.why}`);
      continue;
    }
    expected ??= await packageYamlAt(located.location, located, audit);
    const actual = await packageYamlAt(place, located, audit);
    if (actual === expected) continue;
    const what =
      `its platforms disagree about what the package is: package.yaml is ${expected ?? 'missing'} ` +
      `for linux/amd64, which Crossplane reads everywhere, and ${actual ?? 'missing'} for ${platform}`;
    throw new SourceError('BAD_IMAGE', audit.subject, what, {
      hint: 'ask its publisher to build all platforms from one package.yaml',
    });
  }
  return notes;
}

function sameLayer(a: PackageLocation, b: PackageLocation): boolean {
  return a.place === 'layer' && b.place === 'layer' && a.layer.digest === b.layer.digest;
}

/** Attestations are listed like images, but have no platform. */
function isAttachment({ platform, annotations }: Descriptor): boolean {
  return platform?.os === 'unknown' || annotations.has('vnd.docker.reference.type');
}

function platformText({ platform, digest }: Descriptor): string {
  return platform === undefined ? digest : printable(`${platform.os}/${platform.architecture}`, 40);
}

async function packageYamlAt(
  at: PackageLocation,
  located: LocatedPackage,
  { repository, rules, limits }: Audit,
): Promise<Digest | undefined> {
  const actual = await readPackage(repository, { ...located, location: at }, rules, {
    read: drain,
    limits,
  });
  return actual.status === 'read' ? actual.packageYaml : undefined;
}

async function drain(stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of stream);
}

/** Returns the images of an index, including nested indexes. */
async function imagesOf(digest: Digest, audit: Audit, depth = 0): Promise<readonly Descriptor[]> {
  const manifest = await manifestAt(digest, audit);
  if (manifest?.kind !== 'index' || depth > audit.limits.indexDepth) return [];
  const nested = await Promise.all(
    manifest.children.map(async (child) => {
      const nestedImages = await imagesOf(child.digest, audit, depth + 1);
      return nestedImages.length > 0 ? nestedImages : [child];
    }),
  );
  return nested.flat();
}

/** Returns undefined if the manifest is missing, as in a partial layout. */
async function manifestAt(
  digest: Digest,
  { repository, subject, limits }: Audit,
): Promise<Manifest | undefined> {
  const stored = await undefinedIfFailed(repository.manifest(digest), ['OFFLINE']);
  return stored && parseManifest(stored, subject, limits);
}

/**
 * Returns why diffIDs, the digests of unpacked layers, could not be compared, else undefined.
 * Throws if they differ: container runtimes reject the image.
 */
async function checkDiffIds(
  { config, layers }: ImageManifest,
  checked: readonly Descriptor[],
  audit: Audit,
): Promise<string | undefined> {
  const { repository, subject, limits } = audit;
  const configRead = readImageConfig(repository, config, subject, limits);
  const read = await undefinedIfFailed(configRead, ['OFFLINE']);
  if (read === undefined) return 'its config is not at hand, so diffIDs were not compared';
  const { diffIds } = read;
  if (diffIds === undefined) return 'its config lists no diffIDs to compare';
  if (diffIds.length !== layers.length) {
    const what = `its config lists ${diffIds.length} layers, and its manifest ${layers.length}`;
    throw new SourceError('BAD_IMAGE', subject, what);
  }
  for (const [at, layer] of layers.entries()) {
    if (!checked.includes(layer)) continue;
    const actual = await diffIdOf(layer, audit);
    if (actual === diffIds[at]) continue;
    const what = `it contradicts itself: its config says that layer ${layer.digest} unpacks to ${printable(diffIds[at]!, 100)}, and it unpacks to ${actual}`;
    throw new SourceError('BAD_IMAGE', subject, what, {
      hint: 'container runtimes refuse such an image: ask its publisher to build it anew',
    });
  }
  return undefined;
}

async function diffIdOf(
  layer: Descriptor,
  { repository, subject, limits }: Audit,
): Promise<string> {
  const actual = await readLayer(repository, layer, { subject, limits }, sha256OfStream);
  if (actual === undefined) throw missingPartError(subject, `the layer ${layer.digest}`);
  return actual.value;
}
