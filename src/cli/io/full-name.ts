import type { Lockfile } from '../../lock/lockfile.js';
import { referenceMistake } from '../../inputs/reference-mistake.js';
import { InputError } from '../../model/input-error.js';
import type { Repository } from '../../model/package.js';
import type { PackageSource } from '../../model/package-source.js';
import { didYouMean } from '../../text/did-you-mean.js';
import { lockedPackage } from './locked-name.js';

/** What is locked and listed, to find a package by the end of its name. */
interface Known {
  readonly lockfile: Lockfile | undefined;
  readonly source: PackageSource;
}

/** Whether a reference has but the end of a name, and is right otherwise. */
export function isShort(ref: string): boolean {
  return SHORT_NAME.test(ref) && referenceMistake(ref) === undefined;
}

const SHORT_NAME = /^[^@:/]+(?=[@:]|$)/;

/** The reference with the whole name, where only the end of one that is known is given. */
export async function fullReference(ref: string, known: Known): Promise<string> {
  if (!isShort(ref)) return ref;
  const [name] = SHORT_NAME.exec(ref)!;
  return (await fullName(name, known)) + ref.slice(name.length);
}

/** The repository that is meant by its name or the end of it, among what is locked and listed. */
export async function fullName(typed: string, known: Known): Promise<Repository> {
  const locked = known.lockfile && lockedPackage(typed, known.lockfile);
  if (locked !== undefined) return locked.repository;
  const listed = (await known.source.repositories?.()) ?? [];
  if (listed.includes(typed)) return typed;
  const ends = listed.filter((repository) => repository.endsWith(`/${typed}`));
  if (ends.length === 1) return ends[0]!;
  if (ends.length > 1) {
    const names = ends.map((repository) => `\`${repository}\``).join(' or ');
    throw new InputError(`\`${typed}\` could be ${names}`, { hint: 'name one in full' });
  }
  const meant =
    didYouMean(typed, listed) ??
    (typed.includes('/') ? undefined : didYouMean(typed, [...new Set(listed.map(lastPart))]));
  if (meant !== undefined) {
    throw new InputError(`no source knows \`${typed}\``, { hint: `did you mean \`${meant}\`?` });
  }
  if (typed.includes('/')) return typed;
  throw new InputError(`\`${typed}\` is neither locked nor listed by a source`, {
    hint: 'name the package in full, registry included',
  });
}

function lastPart(repository: Repository): string {
  return repository.slice(repository.lastIndexOf('/') + 1);
}
