import { didYouMean } from '../../text/did-you-mean.js';
import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import { InputError } from '../../model/input-error.js';

/** A locked package by its repository, the end of it, or its object's name; undefined: none. */
export function lockedPackage(typed: string, { packages }: Lockfile): LockedPackage | undefined {
  const exact = packages.find(({ repository }) => repository === typed);
  if (exact !== undefined) return exact;
  const close = packages.filter(
    ({ repository, name }) => name === typed || repository.endsWith(`/${typed}`),
  );
  if (close.length < 2) return close[0];
  const names = close.map(({ repository }) => `\`${repository}\``);
  throw new InputError(`\`${typed}\` could be ${names.join(' or ')}`, { hint: 'name one in full' });
}

/** The error for a name that nothing locked has, with the name that may be meant. */
export function notLocked(
  typed: string,
  { packages }: Lockfile,
  also: readonly string[] = [],
): InputError {
  const repositories = packages.map(({ repository }) => repository);
  const ends = new Map(repositories.map((each) => [each.slice(each.lastIndexOf('/') + 1), each]));
  const meant =
    didYouMean(typed, [...repositories, ...also]) ??
    ends.get(didYouMean(typed.slice(typed.lastIndexOf('/') + 1), [...ends.keys()]) ?? '');
  const hint =
    meant === undefined ? '`xpkg-resolve tree` lists what is locked' : `did you mean \`${meant}\`?`;
  return new InputError(`\`${typed}\` is not in the lockfile`, { hint });
}
