import { createHash } from 'node:crypto';
import { PackageURL } from 'packageurl-js';
import { isDigest } from '../../base/digest.js';
import { packageName } from '../../crossplane/packages/repository-names.js';
import type { LockedPackage, Lockfile } from '../../project/lockfile/lockfile.js';

/** The input of a bill of materials. */
export interface SbomSubject {
  readonly lockfile: Lockfile;
  /** The text of the lockfile, from which the UUID is derived. */
  readonly text: string;
  readonly name: string;
  /** Creation time; undefined: none, so that the same lockfile gives the same bytes. */
  readonly created: Date | undefined;
  /** Version of this tool. */
  readonly tool: string;
}

/** A random UUID: the namespace of the derived UUIDs. */
const NAMESPACE = '5f0b7f0e-3c1d-4a86-9d5e-6d1d0c4f2a77';

/** Returns the UUID (RFC 9562, version 5) for a name and a lockfile. */
export function subjectUuid({ text, name }: Pick<SbomSubject, 'text' | 'name'>): string {
  const hash = createHash('sha1');
  hash.update(Buffer.from(NAMESPACE.replaceAll('-', ''), 'hex'));
  const bytes = hash.update(`${name}\n${text}`).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Returns the purl of an image: `pkg:oci/NAME@sha256:…?repository_url=…&tag=…`. */
export function packagePurl({ repository, version, digest }: LockedPackage): string {
  const name = packageName(repository).toLowerCase();
  const qualifiers = { repository_url: repository, ...(isDigest(version) ? {} : { tag: version }) };
  return new PackageURL('oci', undefined, name, digest, qualifiers, undefined).toString();
}
