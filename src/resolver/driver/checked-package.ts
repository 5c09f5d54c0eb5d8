import type { Candidate } from '../../crossplane/packages/package.js';
import type { FetchedPackage } from '../../sources/package-source.js';
import { SourceError } from '../../base/errors.js';
import { isDigest, type Digest } from '../../base/digest.js';

/** A package with valid digests, which are safe to use in lockfiles, names and paths. */
export interface CheckedPackage extends FetchedPackage {
  readonly digest: Digest | undefined;
  readonly manifest: Digest | undefined;
  readonly baseLayer: Digest | undefined;
  readonly packageYaml: Digest | undefined;
}

/** Throws `SourceError` if a digest is not valid. A custom source may return any string. */
export function checkedPackage(fetched: FetchedPackage, candidate: Candidate): CheckedPackage {
  const checked = (field: 'digest' | 'manifest' | 'baseLayer' | 'packageYaml') => {
    const digest = fetched[field];
    if (digest === undefined || isDigest(digest)) return digest;
    throw notDigest(digest, field, candidate);
  };
  return {
    ...fetched,
    digest: checked('digest'),
    manifest: checked('manifest'),
    baseLayer: checked('baseLayer'),
    packageYaml: checked('packageYaml'),
  };
}

function notDigest(text: string, field: string, { repository, version }: Candidate): SourceError {
  return new SourceError(
    'BAD_SOURCE',
    `${repository} ${version}`,
    `its source gives \`${text}\` as \`${field}\`, which is not a digest`,
    { hint: 'a digest is `sha256:` and 64 lower-case hex digits' },
  );
}
