import { createHash } from 'node:crypto';
import { byCodePoint, groupBy } from '../../base/collections.js';
import { formatOrigin, InputError, type Origin } from '../../base/errors.js';
import { type JsonObject, mappingOf, stringOf } from '../../base/json.js';
import {
  MAX_NAME_LENGTH,
  objectNameOf,
  objectNameProblem,
} from '../../crossplane/packages/object-names.js';
import type { Repository } from '../../crossplane/packages/package.js';
import { pullName } from '../../crossplane/packages/reference.js';
import type { Target } from '../../crossplane/releases/target.js';

/** A package whose object needs a name. */
export interface NameRequest {
  readonly repository: Repository;
  /** Name chosen by the user. */
  readonly given?: string | undefined;
  /** Name in the last lockfile. */
  readonly locked?: string | undefined;
  readonly origin?: Origin | undefined;
}

/**
 * Assigns names to the objects of packages, which are in resolution order.
 *
 * A name of the user has priority over one in the lockfile, which has priority over the default of
 * Crossplane. The first package wins a name. Throws an `InputError` for two packages with the same
 * chosen name and for two names for one repository: a cluster would reject all packages.
 */
export function assignNames(
  packages: readonly NameRequest[],
  target?: Target,
): { readonly names: ReadonlyMap<Repository, string>; readonly warnings: readonly string[] } {
  const names = new Map<Repository, string>();
  const holders = new Map<string, NameRequest>();
  const warnings: string[] = [];
  const assign = (name: string, holder: NameRequest) => {
    names.set(holder.repository, name);
    holders.set(name, holder);
  };
  for (const each of withGivenNames(packages)) {
    refuseBadName(each, holders.get(each.given));
    assign(each.given, each);
  }
  for (const each of packages) {
    if (names.has(each.repository) || each.locked === undefined || holders.has(each.locked))
      continue;
    assign(each.locked, each);
    const derived = objectNameOf(each.repository, target);
    if (![derived, suffixedName(derived, each.repository)].includes(each.locked)) {
      warnings.push(
        `the object of \`${each.repository}\` keeps the name \`${each.locked}\`, which the lockfile alone gives it; \`verify\` wants it in the inputs`,
      );
    }
  }
  for (const each of packages) {
    if (names.has(each.repository)) continue;
    const derived = objectNameOf(each.repository, target);
    const name = freeName(derived, each.repository, holders);
    if (name !== derived) {
      warnings.push(otherNameWarning(each.repository, name, holders.get(derived)));
    }
    assign(name, each);
  }
  return { names, warnings };
}

type ChosenName = NameRequest & { readonly given: string };

/** Returns packages with a chosen name. Throws an `InputError` if a repository has two. */
function withGivenNames(packages: readonly NameRequest[]): readonly ChosenName[] {
  const seen = new Map<Repository, ChosenName>();
  for (const each of packages) {
    const { given } = each;
    if (given === undefined) continue;
    const first = seen.get(each.repository);
    if (first !== undefined) throw sameNameError(first, { ...each, given });
    seen.set(each.repository, { ...each, given });
  }
  return [...seen.values()];
}

function sameNameError(first: ChosenName, second: ChosenName): InputError {
  return new InputError(
    `\`${second.repository}\` is asked for as two objects, ${givenNameText(first)} and ${givenNameText(second)}; ` +
      'two objects of one repository stop the package manager of a cluster for all packages',
    { origin: second.origin, hint: 'keep one of them' },
  );
}

function givenNameText({ given, origin }: ChosenName): string {
  return origin === undefined ? `\`${given}\`` : `\`${given}\` (${formatOrigin(origin)})`;
}

function refuseBadName({ given, repository, origin }: ChosenName, holder: NameRequest | undefined) {
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

/** Returns the name, extended by as much of the repository's hash as it needs to be unique. */
function freeName(derived: string, repository: Repository, holders: ReadonlyMap<string, unknown>) {
  if (derived !== '' && !holders.has(derived)) return derived;
  for (let digits = 8; ; digits += 8) {
    const name = suffixedName(derived, repository, digits);
    if (!holders.has(name)) return name;
  }
}

/** Returns a name with a hash of the repository, for a name that another package has. */
export function suffixedName(derived: string, repository: Repository, digits = 8): string {
  const hash = createHash('sha256').update(repository).digest('hex').slice(0, digits);
  const suffix = derived === '' ? hash : `-${hash}`;
  return derived.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix;
}

function otherNameWarning(repository: Repository, name: string, holder?: NameRequest): string {
  const why =
    holder === undefined
      ? 'nothing of its path can stand in a name'
      : `\`${holder.repository}\` has the name that Crossplane would give it`;
  return `the object of \`${repository}\` is named \`${name}\`: ${why}`;
}

/** Returns `metadata.name`; empty if there is none. */
export function nameOf(object: JsonObject): string {
  return stringOf(mappingOf(object['metadata'])?.['name']) ?? '';
}

/** Formats an object for messages: ``Provider `acme-p` ``. */
export function labelOf(object: JsonObject): string {
  return `${stringOf(object['kind']) ?? ''} \`${nameOf(object)}\``;
}

/** Returns warnings about repositories with one pull name that count as several packages. */
export function spellingWarnings(
  repositories: readonly Repository[],
  target: Target,
): readonly string[] {
  const sorted = [...repositories].sort(byCodePoint);
  const spellings = groupBy(sorted, (repository) => pullName(repository, target));
  return [...spellings.values()]
    .filter((group) => group.length > 1)
    .map(
      (group) =>
        `${group.map((each) => `\`${each}\``).join(' and ')} are one repository spelled ` +
        `${group.length === 2 ? 'two' : 'several'} ways; Crossplane takes them for different packages`,
    );
}
