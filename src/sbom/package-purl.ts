import { PackageURL } from 'packageurl-js';
import type { LockedPackage } from '../lock/lockfile.js';
import { isDigest } from '../text/digest.js';

/** `pkg:oci/NAME@sha256:…?repository_url=…&tag=…`, as the purl specification has it for images. */
export function packagePurl({ repository, version, digest }: LockedPackage): string {
  const name = repository.slice(repository.lastIndexOf('/') + 1).toLowerCase();
  const qualifiers = {
    repository_url: repository,
    ...(isDigest(version) ? {} : { tag: version }),
  };
  return new PackageURL('oci', undefined, name, digest, qualifiers, undefined).toString();
}
