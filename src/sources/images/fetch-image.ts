import { fieldsOf } from '../../base/json.js';
import { RegistryPackage } from '../../crossplane/legacy/registry-package.js';
import { readPackageYaml } from '../../crossplane/package-yaml/read-package-yaml.js';
import type { PackageContents } from '../../crossplane/packages/package-contents.js';
import type { Released } from '../../crossplane/packages/package.js';
import type { ReleaseRules, TargetRules } from '../../crossplane/releases/release-facts.js';
import { isImageBuiltHere } from '../../oci/image/build-image.js';
import { readImageConfig } from '../../oci/image/image-config.js';
import { type ImageRepository } from '../../oci/image/image-repository.js';
import { type LocatedPackage, locatePackage } from '../../oci/image/locate-package.js';
import { readPackage, type ReadPackage } from '../../oci/image/read-package.js';
import type { DiskCache } from '../../oci/store/disk-cache.js';
import type { AskedPackage, FetchedPackage, PackageSource } from '../package-source.js';

/** A source that can also provide whole images. */
export interface ImageSource extends PackageSource {
  /** Returns the repository that may have the image of a package. May prefetch known parts. */
  images(candidate: AskedPackage, target: ReleaseRules): Promise<ImageRepository | undefined>;
}

export function hasImages(source: PackageSource): source is ImageSource {
  return 'images' in source;
}

const COMPRESSION_TEXT = { zstd: 'packed by zstd', none: 'a plain tar' } as const;

/** Reads the package in an image. Returns undefined if there is no such tag or digest. */
export async function fetchImage(
  repository: ImageRepository,
  reference: string,
  { rules }: ReleaseRules,
  parsed?: ParsedPackages,
): Promise<FetchedPackage | undefined> {
  const located = await locatePackage(repository, reference, rules);
  if (located === undefined) return undefined;
  const { digest, manifest } = located;
  const readers = { read: readPackageYaml, files: new RegistryPackage() };
  const read = () => readPackage(repository, located, rules, readers);
  const result = await (parsed === undefined ? read() : parsed(located, rules, read));
  if (result.status === 'refused') {
    const contents = { metas: [], objects: [], problems: [{ message: result.why }], warnings: [] };
    const artifact = located.location.place === 'layer' ? undefined : located.location.artifact;
    return { contents, digest, manifest, artifact };
  }
  const { value, baseLayer, packageYaml, packings } = result;
  const unreadablePacking = rules.gzipLayersOnly
    ? packings.find((packing) => packing !== 'gzip')
    : undefined;
  const found = { contents: value, digest, manifest, baseLayer, packageYaml };
  if (unreadablePacking === undefined) return { ...found, notes: result.notes };
  const why = `its layer is ${COMPRESSION_TEXT[unreadablePacking]}, and Crossplane before v2.2 reads gzip alone (\`invalid package layer: gzip: invalid header\`)`;
  const isBuiltHere =
    located.image !== undefined && isImageBuiltHere(located.image, manifest ?? digest);
  if (!isBuiltHere) {
    const problems = [{ message: why }, ...value.problems];
    return { ...found, contents: { ...value, problems } };
  }
  const unreadable = `${why}: publish it with \`crossplane xpkg push\` before a cluster pulls it`;
  return { ...found, notes: [...result.notes, unreadable], unreadable };
}

type ReadResult = Extract<ReadPackage<PackageContents>, { status: 'read' }>;

/** Must be incremented when the parsed result for the same package.yaml changes. */
const PARSER_VERSION = 7;

/**
 * A cache of parsed packages, so that layers are not unpacked and parsed again. Returns the cached
 * result for a layer and the rules, or calls `read`.
 */
export type ParsedPackages = (
  located: LocatedPackage,
  rules: Pick<TargetRules, 'tarEntry'>,
  read: () => Promise<ReadPackage<PackageContents>>,
) => Promise<ReadPackage<PackageContents>>;

export function parsedPackages(cache: DiskCache, toolVersion: string): ParsedPackages {
  return async (located, { tarEntry }, read) => {
    const bytes = contentKey(located);
    if (bytes === undefined) return read();
    const cacheKeyText = JSON.stringify([bytes, tarEntry, PARSER_VERSION, toolVersion]);
    const known = await cache.record('packages', cacheKeyText);
    // The cast is safe: the key includes the tool version, and a checksum protects the record.
    if (fieldsOf(known)?.get('question') === cacheKeyText)
      return (known as { read: ReadResult }).read;
    const result = await read();
    if (result.status === 'read' && isJsonSafe(result)) {
      await cache.keepRecord('packages', cacheKeyText, { question: cacheKeyText, read: result });
    }
    return result;
  };
}

/** Returns the key of the parsed bytes, with their size, so that wrong sizes are noticed. */
function contentKey({
  location: at,
  digest,
  manifest,
}: LocatedPackage): readonly (string | number)[] | undefined {
  if (at.place === 'refused') return undefined;
  return at.place === 'layer'
    ? ['layer', at.layer.digest, at.layer.size]
    : ['image', manifest ?? digest];
}

/** Whether JSON preserves a value: YAML has -0, which JSON.stringify loses. */
function isJsonSafe(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((inner) => isJsonSafe(inner));
}

/** Returns the date in the config of an image, or undefined if there is no such image. */
export async function imageDate(
  repository: ImageRepository,
  reference: string,
  rules: Pick<TargetRules, 'severalBaseLayers' | 'maxLayers'>,
): Promise<Released | undefined> {
  const located = await locatePackage(repository, reference, rules);
  if (located?.image === undefined) return located && {};
  const subject = `${repository.name}@${located.digest}`;
  const { created } = (await readImageConfig(repository, located.image.config, subject)) ?? {};
  return created === undefined ? {} : { created };
}
