import { createHash } from 'node:crypto';
import { formatOrigin, InputError } from '../model/input-error.js';
import { MAX_NAME_LENGTH, objectNameOf, objectNameProblem } from '../model/name.js';
import type { Origin, Repository } from '../model/package.js';
import type { Target } from '../model/target/target.js';

/** A package that needs a name for its object. */
export interface Nameless {
  readonly repository: Repository;
  /** By the user, for this package. */
  readonly given?: string | undefined;
  /** In the lockfile of the last resolution. */
  readonly locked?: string | undefined;
  readonly origin?: Origin | undefined;
}

interface AssignedNames {
  readonly names: ReadonlyMap<Repository, string>;
  readonly warnings: readonly string[];
}

/**
 * Names for the objects of packages, which come in resolution order.
 *
 * A name the user gave goes before one in the lockfile, and that before Crossplane's own; of two
 * packages with the same claim the first has it. Two claims by the user for one name, or two
 * objects for one repository, are refused: a cluster would have to refuse all packages.
 */
export function assignNames(packages: readonly Nameless[], target?: Target): AssignedNames {
  const names = new Map<Repository, string>();
  const holders = new Map<string, Nameless>();
  const warnings: string[] = [];
  const take = (name: string, holder: Nameless) => {
    names.set(holder.repository, name);
    holders.set(name, holder);
  };
  for (const each of named(packages)) {
    refuseBadName(each, holders.get(each.given));
    take(each.given, each);
  }
  for (const each of packages) {
    if (names.has(each.repository) || each.locked === undefined) continue;
    if (holders.has(each.locked)) continue;
    take(each.locked, each);
    const derived = objectNameOf(each.repository, target);
    if (![derived, suffixedName(derived, each.repository)].includes(each.locked)) {
      warnings.push(keeping(each.repository, each.locked));
    }
  }
  for (const each of packages) {
    if (names.has(each.repository)) continue;
    const derived = objectNameOf(each.repository, target);
    const name = freeName(derived, each.repository, holders);
    if (name !== derived) warnings.push(renaming(each.repository, name, holders.get(derived)));
    take(name, each);
  }
  return { names, warnings };
}

type Named = Nameless & { readonly given: string };

/** Those with a name given, once it is sure that no repository has two objects. */
function named(packages: readonly Nameless[]): readonly Named[] {
  const seen = new Map<Repository, Named>();
  for (const each of packages) {
    if (!isNamed(each)) continue;
    const first = seen.get(each.repository);
    if (first !== undefined) throw twoObjects(first, each);
    seen.set(each.repository, each);
  }
  return [...seen.values()];
}

function isNamed(each: Nameless): each is Named {
  return each.given !== undefined;
}

function twoObjects(first: Named, second: Named): InputError {
  return new InputError(
    `\`${second.repository}\` is asked for as two objects, ${called(first)} and ${called(second)}; ` +
      'two objects of one repository stop the package manager of a cluster for all packages',
    { origin: second.origin, hint: 'keep one of them' },
  );
}

function called({ given, origin }: Named): string {
  return origin === undefined ? `\`${given}\`` : `\`${given}\` (${formatOrigin(origin)})`;
}

function refuseBadName({ given, repository, origin }: Named, holder: Nameless | undefined): void {
  const problem = objectNameProblem(given);
  if (problem !== undefined) {
    throw new InputError(`\`${given}\`, given to \`${repository}\`, ${problem}`, { origin });
  }
  if (holder === undefined) return;
  throw new InputError(
    `the name \`${given}\` is given to both \`${holder.repository}\` and \`${repository}\``,
    { origin, hint: 'give one of them another name' },
  );
}

/** The name itself, or with as much of the repository's hash as makes it free. */
function freeName(
  derived: string,
  repository: Repository,
  holders: ReadonlyMap<string, unknown>,
): string {
  if (derived !== '' && !holders.has(derived)) return derived;
  for (let digits = 8; ; digits += 8) {
    const name = suffixedName(derived, repository, digits);
    if (!holders.has(name)) return name;
  }
}

/** A derived name that another package has, told apart by the hash of its repository. */
export function suffixedName(derived: string, repository: Repository, digits = 8): string {
  const hash = createHash('sha256').update(repository).digest('hex').slice(0, digits);
  const suffix = derived === '' ? hash : `-${hash}`;
  return derived.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix;
}

function keeping(repository: Repository, name: string): string {
  return `the object of \`${repository}\` keeps the name \`${name}\`, which the lockfile alone gives it; \`verify\` wants it in the inputs`;
}

function renaming(repository: Repository, name: string, holder: Nameless | undefined): string {
  const why =
    holder === undefined
      ? 'nothing of its path can stand in a name'
      : `\`${holder.repository}\` has the name that Crossplane would give it`;
  return `the object of \`${repository}\` is named \`${name}\`: ${why}`;
}
