import type { FetchedPackage } from '../../model/package-source.js';
import type { Target } from '../../model/target/target.js';
import type { ImageRepository } from '../../image/image-repository.js';
import { locatePackage } from '../../image/locate-package.js';
import { readPackage } from '../../image/read-package.js';
import type { ParsedPackages } from './parsed-packages.js';
import { RegistryPackage } from '../../package-yaml/dot-registry/registry-package.js';
import { readPackageYaml } from '../../package-yaml/read-package-yaml.js';

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
  const { value: contents, baseLayer, packageYaml, notes } = got;
  return { contents, digest, manifest, baseLayer, packageYaml, notes };
}
