import type { Repository } from '../../../model/package.js';

/** `provider-aws-s3`: a provider, its family, and what it is for. */
const MEMBER = /^provider-([^-]+)-(.+)$/;
const FAMILY_PACKAGE = /^provider-family-(.+)$/;

/** The last part of a repository's path. */
export function lastPart(repository: Repository): string {
  return repository.slice(repository.lastIndexOf('/') + 1);
}

/** What stands before it: the registry and the organisation. */
export function placeOf(repository: Repository): string {
  return repository.slice(0, Math.max(0, repository.lastIndexOf('/')));
}

/** Whether this is the package that all members of a family require. */
export function isFamilyPackage(repository: Repository): boolean {
  return FAMILY_PACKAGE.test(lastPart(repository));
}

/** `aws` for `provider-aws-s3` and `provider-family-aws`; undefined: of no family. */
export function familyOf(repository: Repository): string | undefined {
  const name = lastPart(repository);
  return FAMILY_PACKAGE.exec(name)?.[1] ?? MEMBER.exec(name)?.[1];
}
