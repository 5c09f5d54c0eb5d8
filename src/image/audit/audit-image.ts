import type { Digest } from '../../text/digest.js';
import { printable } from '../../text/printable.js';
import { SourceError } from '../../model/source-error.js';
import { allEnded } from '../../model/time/all-ended.js';
import type { TargetRules } from '../../model/target/target.js';
import { packagePlace, type PackagePlace } from '../package-place.js';
import type { Descriptor } from '../descriptor.js';
import { checkDiffIds } from './diff-id.js';
import { undefinedIfOffline, isComplete, missingPart } from './missing-part.js';
import type { ImageRepository } from '../image-repository.js';
import { LIMITS, type Limits } from '../limits.js';
import { locatePackage, type LocatedPackage } from '../locate-package.js';
import { parseManifest, type ImageManifest } from '../manifest.js';
import { readPackage } from '../read-package.js';

type Rules = Pick<TargetRules, 'severalBaseLayers' | 'maxLayers' | 'tarEntry'>;

interface Audit {
  readonly repository: ImageRepository;
  readonly rules: Rules;
  readonly limits: Limits;
  /** Names the image in messages. */
  readonly subject: string;
}

/**
 * Checks what resolving does not need: whether layers unpack to the diffIDs in the config, and
 * whether all platforms hold the same package. Throws where the image contradicts itself; returns
 * notes on what could not be checked.
 */
export async function auditImage(
  repository: ImageRepository,
  reference: string,
  rules: Rules,
  limits: Limits = LIMITS,
): Promise<readonly string[]> {
  const located = await locatePackage(repository, reference, rules, limits);
  if (located === undefined || located.at.place === 'refused') return [];
  const subject = `${repository.name}@${located.digest}`;
  const audit = { repository, rules, limits, subject };
  const { image, at } = located;
  // At once, so that the config and the manifests of other platforms take one round.
  const [unchecked, compared] = await allEnded([
    image && checkDiffIds(repository, image, placeLayers(at), audit),
    located.manifest === undefined ? [] : compare(located, audit),
  ]);
  return unchecked === undefined ? compared : [unchecked, ...compared];
}

function placeLayers(at: PackagePlace): readonly Descriptor[] {
  if (at.place === 'layer') return [at.layer];
  return at.place === 'flattened' ? at.layers : [];
}

/** Compares package.yaml between platforms: a package must not depend on the machine that reads it. */
async function compare(located: LocatedPackage, audit: Audit): Promise<readonly string[]> {
  const notes: string[] = [];
  let expected: Digest | undefined;
  for (const child of await childrenOf(located.digest, audit)) {
    if (child.digest === located.manifest || isAttachment(child)) continue;
    const platform = platformText(child);
    const image = await imageAt(child.digest, audit);
    if (image === undefined) {
      if (isComplete(audit.repository))
        throw missingPart(audit.subject, `the manifest ${child.digest}`);
      notes.push(`its image for ${platform} is not at hand, so it was not compared`);
      continue;
    }
    const place = packagePlace(image, audit.rules);
    if (sameLayer(place, located.at)) continue;
    if (place.place === 'refused') {
      notes.push(`its image for ${platform} was not compared: ${place.why}`);
      continue;
    }
    expected ??= await packageYamlAt(located.at, located, audit);
    const got = await packageYamlAt(place, located, audit);
    if (got !== expected) throw disagreement(platform, { expected, got }, audit);
  }
  return notes;
}

function disagreement(
  platform: string,
  { expected, got }: { expected: Digest | undefined; got: Digest | undefined },
  { subject }: Audit,
): SourceError {
  const what =
    `its platforms disagree about what the package is: package.yaml is ${expected ?? 'missing'} ` +
    `for linux/amd64, which Crossplane reads everywhere, and ${got ?? 'missing'} for ${platform}`;
  return new SourceError('BAD_IMAGE', subject, what, {
    hint: 'ask its publisher to build all platforms from one package.yaml',
  });
}

function sameLayer(a: PackagePlace, b: PackagePlace): boolean {
  return a.place === 'layer' && b.place === 'layer' && a.layer.digest === b.layer.digest;
}

/** Attestations and the like are listed beside images, with no platform to run on. */
function isAttachment({ platform, annotations }: Descriptor): boolean {
  return platform?.os === 'unknown' || annotations.has('vnd.docker.reference.type');
}

function platformText({ platform, digest }: Descriptor): string {
  return platform === undefined ? digest : printable(`${platform.os}/${platform.architecture}`, 40);
}

async function packageYamlAt(
  at: PackagePlace,
  located: LocatedPackage,
  { repository, rules, limits }: Audit,
): Promise<Digest | undefined> {
  const got = await readPackage(repository, { ...located, at }, rules, { read: drain, limits });
  return got.status === 'read' ? got.packageYaml : undefined;
}

async function drain(stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of stream);
}

/** Children of an index, and of indexes within it. */
async function childrenOf(digest: Digest, audit: Audit, depth = 0): Promise<readonly Descriptor[]> {
  const { repository, subject, limits } = audit;
  const stored = await undefinedIfOffline(repository.manifest(digest));
  const manifest = stored && parseManifest(stored, subject, limits);
  if (manifest?.kind !== 'index' || depth > limits.indexDepth) return [];
  const nested = await Promise.all(
    manifest.children.map(async (child) => {
      const inner = await childrenOf(child.digest, audit, depth + 1);
      return inner.length > 0 ? inner : [child];
    }),
  );
  return nested.flat();
}

/** undefined: it is missing, as in a layout that holds only what resolving reads. */
async function imageAt(
  digest: Digest,
  { repository, subject, limits }: Audit,
): Promise<ImageManifest | undefined> {
  const stored = await undefinedIfOffline(repository.manifest(digest));
  const manifest = stored && parseManifest(stored, subject, limits);
  return manifest?.kind === 'image' ? manifest : undefined;
}
