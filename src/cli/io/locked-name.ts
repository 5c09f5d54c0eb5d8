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

interface NotLockedOptions {
  /** Paths of the lockfiles that it was looked for in; absent: the reader knows which one. */
  readonly where?: readonly string[];
  /** Other names that may be meant. */
  readonly also?: readonly string[];
}

/** The error for a name that nothing locked has, with the name that may be meant. */
export function notLocked(
  typed: string,
  { packages }: Pick<Lockfile, 'packages'>,
  { where = [], also = [] }: NotLockedOptions = {},
): InputError {
  const repositories = packages.map(({ repository }) => repository);
  const ends = new Map(repositories.map((each) => [each.slice(each.lastIndexOf('/') + 1), each]));
  const meant =
    didYouMean(typed, [...repositories, ...also]) ??
    ends.get(didYouMean(typed.slice(typed.lastIndexOf('/') + 1), [...ends.keys()]) ?? '');
  const hint =
    meant === undefined ? '`xpkg-resolve tree` lists what is locked' : `did you mean \`${meant}\`?`;
  if (where.length > 1) {
    return new InputError(`\`${typed}\` is in none of the ${where.length} lockfiles`, { hint });
  }
  const named = where.map((path) => ` \`${path}\``).join('');
  return new InputError(`\`${typed}\` is not in the lockfile${named}`, { hint });
}
