import type { FetchedPackage } from '../../model/package-source.js';
import type { Target } from '../../model/target/target.js';
import type { ImageRepository } from '../../image/image-repository.js';
import { isBuiltImage } from '../../image/build-image.js';
import { locatePackage } from '../../image/locate-package.js';
import { readPackage } from '../../image/read-package.js';
import type { ParsedPackages } from './parsed-packages.js';
import { RegistryPackage } from '../../package-yaml/dot-registry/registry-package.js';
import { readPackageYaml } from '../../package-yaml/read-package-yaml.js';

const HOW = { zstd: 'packed by zstd', none: 'a plain tar' } as const;

/** Reads the package in an image; undefined: there is no such tag or digest. */
export async function fetchImage(
  repository: ImageRepository,
  reference: string,
  { rules }: Target,
  parsed?: ParsedPackages,
): Promise<FetchedPackage | undefined> {
  const located = await locatePackage(repository, reference, rules);
  if (located === undefined) return undefined;
  const { digest, manifest } = located;
  const read = () =>
    readPackage(repository, located, rules, {
      read: readPackageYaml,
      files: new RegistryPackage(),
    });
  const got = await (parsed === undefined ? read() : parsed.find(located, rules, read));
  if (got.status === 'refused') {
    const contents = { metas: [], objects: [], problems: [{ message: got.why }], warnings: [] };
    const { at } = located;
    return {
      contents,
      digest,
      manifest,
      artifact: at.place === 'layer' ? undefined : at.artifact,
    };
  }
  const { value, baseLayer, packageYaml, packings } = got;
  const unread = rules.gzipLayersOnly ? packings.find((packing) => packing !== 'gzip') : undefined;
  if (unread === undefined) {
    return { contents: value, digest, manifest, baseLayer, packageYaml, notes: got.notes };
  }
  const why = `its layer is ${HOW[unread]}, and Crossplane before v2.2 reads gzip alone (\`invalid package layer: gzip: invalid header\`)`;
  const isOurs = located.image !== undefined && isBuiltImage(located.image, manifest ?? digest);
  if (!isOurs) {
    const problems = [{ message: why }, ...value.problems];
    return { contents: { ...value, problems }, digest, manifest, baseLayer, packageYaml };
  }
  const unreadable = `${why}: publish it with \`crossplane xpkg push\` before a cluster pulls it`;
  const notes = [...got.notes, unreadable];
  return { contents: value, digest, manifest, baseLayer, packageYaml, notes, unreadable };
}
