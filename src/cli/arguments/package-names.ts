import { InputError } from '../../base/errors.js';
import { didYouMean } from '../../base/messages.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { packageName } from '../../crossplane/packages/repository-names.js';
import { referenceMistake } from '../../project/inputs/references.js';
import type { LockedPackage, Lockfile } from '../../project/lockfile/lockfile.js';
import type { PackageSource } from '../../sources/package-source.js';

/** Known packages, in which a short package name is looked up. */
interface KnownPackages {
  readonly lockfile: Lockfile | undefined;
  readonly source: PackageSource;
}

/** Returns whether a reference is valid except that its name is short. */
export function isShort(ref: string): boolean {
  return SHORT_NAME.test(ref) && referenceMistake(ref) === undefined;
}

const SHORT_NAME = /^[^@:/]+(?=[@:]|$)/;

/** Returns the reference with the full name, if a known package has the short name. */
export async function fullReference(ref: string, known: KnownPackages): Promise<string> {
  if (!isShort(ref)) return ref;
  const [name] = SHORT_NAME.exec(ref)!;
  return (await fullName(name, known)) + ref.slice(name.length);
}

/** Returns the repository of a known package, by its full or short name. */
export async function fullName(typed: string, known: KnownPackages): Promise<Repository> {
  const locked = known.lockfile && lockedPackage(typed, known.lockfile);
  if (locked !== undefined) return locked.repository;
  const listed = (await known.source.repositories?.()) ?? [];
  if (listed.includes(typed)) return typed;
  const withShortName = listed.filter((repository) => repository.endsWith(`/${typed}`));
  if (withShortName.length === 1) return withShortName[0]!;
  if (withShortName.length > 1) throw ambiguousNameError(typed, withShortName);
  const meant =
    didYouMean(typed, listed) ??
    (typed.includes('/') ? undefined : didYouMean(typed, [...new Set(listed.map(packageName))]));
  if (meant !== undefined) {
    throw new InputError(`no source knows \`${typed}\``, { hint: `did you mean \`${meant}\`?` });
  }
  if (typed.includes('/')) return typed;
  throw new InputError(`\`${typed}\` is neither locked nor listed by a source`, {
    hint: 'name the package in full, registry included',
  });
}

/** Returns a locked package by its repository, short name or object name; undefined if there is none. */
export function lockedPackage(typed: string, { packages }: Lockfile): LockedPackage | undefined {
  const exact = packages.find(({ repository }) => repository === typed);
  if (exact !== undefined) return exact;
  const withName = packages.filter(
    ({ repository, name }) => name === typed || repository.endsWith(`/${typed}`),
  );
  if (withName.length < 2) return withName[0];
  throw ambiguousNameError(
    typed,
    withName.map(({ repository }) => repository),
  );
}

/** Returns the error for a short name that several packages have. */
export function ambiguousNameError(typed: string, names: readonly string[]): InputError {
  const candidates = names.map((name) => `\`${name}\``).join(' or ');
  return new InputError(`\`${typed}\` could be ${candidates}`, { hint: 'name one in full' });
}

/**
 * Returns the error for a name that no locked package has, with a similar name if there is one. `where`
 * has the paths of lockfiles, unless the reader knows which one; `also` has other names to suggest.
 */
export function notLockedError(
  typed: string,
  { packages }: Pick<Lockfile, 'packages'>,
  { where = [], also = [] }: Partial<Record<'where' | 'also', readonly string[]>> = {},
): InputError {
  const repositories = packages.map(({ repository }) => repository);
  const byShortName = new Map(repositories.map((each) => [packageName(each), each]));
  const meant =
    didYouMean(typed, [...repositories, ...also]) ??
    byShortName.get(didYouMean(packageName(typed), [...byShortName.keys()]) ?? '');
  const hint =
    meant === undefined ? '`xpkg-resolve tree` lists what is locked' : `did you mean \`${meant}\`?`;
  if (where.length > 1) {
    return new InputError(`\`${typed}\` is in none of the ${where.length} lockfiles`, { hint });
  }
  const named = where.map((path) => ` \`${path}\``).join('');
  return new InputError(`\`${typed}\` is not in the lockfile${named}`, { hint });
}

/** Returns the error for a package that no source knows. */
export function unknownPackageError(
  repository: Repository,
  hint = 'a package is named as dependsOn names it, registry included, without a tag',
): InputError {
  return new InputError(`no source knows \`${repository}\``, { hint });
}
