import type { Candidate } from '../model/package.js';
import type { FetchedPackage } from '../model/package-source.js';
import { SourceError } from '../model/source-error.js';
import { isDigest, type Digest } from '../text/digest.js';

/** A package of a source whose digests have been checked: lockfiles, names and paths hold them. */
export interface CheckedPackage extends FetchedPackage {
  readonly digest: Digest | undefined;
  readonly manifest: Digest | undefined;
  readonly baseLayer: Digest | undefined;
  readonly packageYaml: Digest | undefined;
}

/** Refuses a package with a digest that is none: anyone may write a source, and its type is `string`. */
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
