import type { CoreEntry } from '../../src/resolver/explain/refusal.js';
import type { Failure, ObservedEnd } from './observed-end.js';

/**
 * Whether the cluster fails for a reason in a refusal: a package or the Lock reports the same kind
 * of error, for the same package and, if there is one, the same constraint.
 */
export function isStatedReason(
  core: readonly CoreEntry[],
  { failures = [], rows }: ObservedEnd,
): boolean {
  return core.some((entry) => failures.some((failure) => saysSame(entry, failure, rows)));
}

function saysSame(entry: CoreEntry, failure: Failure, rows: readonly string[]): boolean {
  const { kind, text, requirement } = entry;
  const { message } = failure;
  const isOwn = (sort: RegExp) => sort.test(message) && isNamedIn(text, repositoryOf(failure));
  switch (kind) {
    case 'requirement':
    case 'digest':
      return requirement !== undefined && breaks(requirement, failure);
    case 'missing':
      if (requirement === undefined) {
        const isMissed = missingIn(message).some((name) => isNamedIn(text, name));
        // An exact version that a root requires.
        return isMissed || isOwn(/cannot unpack package/);
      }
      return breaks(requirement, failure) || lacks(requirement, failure, rows);
    case 'crossplane':
      return isOwn(/incompatible Crossplane version/);
    case 'ownership':
    case 'content':
      return isOwn(/cannot establish control of object/);
    case 'kind':
      return isOwn(/package meta type is not/);
    case 'source': {
      // The resolver does not state which package has the invalid constraint.
      const [constraint] = /improper constraint: .*/.exec(message) ?? [];
      if (constraint !== undefined && text.includes(constraint)) return true;
      if (isNamedIn(text, repositoryOf(failure)) && misses(text, message)) return true;
      return isOwn(/cannot unpack package|cannot parse package|package contents failed/);
    }
    case 'policy':
      // A cluster does not know them.
      return false;
    case 'cycle':
      return isNamedIn(text, /detected cycle on: (\S+)/.exec(message)?.[1]);
  }
}

type Requirement = NonNullable<CoreEntry['requirement']>;

/**
 * The installed version does not satisfy the constraint, or no version does. Before v1.20, the
 * first message only names the package.
 */
function breaks({ by, on, constraint }: Requirement, failure: Failure): boolean {
  const { message } = failure;
  if (message.includes('incompatible dependencies: [')) return isNamedIn(message, on);
  // A digest is compared with a range; the message does not name the package with the digest.
  if (/invalid semantic version/i.test(message)) return repositoryOf(failure) === by;
  if (message.includes(`dependency (${on}) does not`)) return message.includes(constraint);
  const told = message.matchAll(
    /existing package (\S+)@\S+ is incompatible with constraint ([^;]+)/g,
  );
  return [...told].some(([, source, asked]) => source === on && asked === constraint.trim());
}

/**
 * The package is missing, and no version can be installed. Of two constraints of one package on
 * another, the message states the first.
 */
function lacks(
  { by, on, constraint }: Requirement,
  failure: Failure,
  rows: readonly string[],
): boolean {
  const { message } = failure;
  if (message.includes('missing dependencies: [')) return isNamedIn(message, on);
  if (message.includes(`"${on}" (${constraint})`)) return true;
  const constraints = constraintsIn(rows, by, on);
  return (
    repositoryOf(failure) === by &&
    constraints.includes(constraint) &&
    constraints.some((other) => message.includes(`"${on}" (${other})`))
  );
}

/** Returns the constraints of a package in the Lock on another package. */
function constraintsIn(rows: readonly string[], by: string, on: string): string[] {
  return rows
    .map((row) => JSON.parse(row) as ReadRow)
    .filter(({ source }) => source === by)
    .flatMap(({ dependencies }) => dependencies)
    .filter((dependency) => dependency.package === on)
    .map(({ constraints }) => constraints);
}

interface ReadRow {
  readonly source: string;
  readonly dependencies: readonly { readonly package: string; readonly constraints: string }[];
}

/** Returns the packages that a message reports as missing. */
function missingIn(message: string): string[] {
  const [, listed = ''] = /missing dependencies: (.*)/.exec(message) ?? [];
  return Array.from(listed.matchAll(/[^\s"[\]]+\/[^\s"[\]]+/g), ([name]) => name);
}

/**
 * Whether a dependency with an invalid constraint is missing: before v1.20, no condition states why
 * the resolver stopped. If its name is unreadable, a missing dependency without a name matches.
 */
function misses(text: string, message: string): boolean {
  const [, dependency] = /dependsOn entry `\w+: ([^`]+)`/.exec(text) ?? [];
  const [, listed] = /missing dependencies: \[(.*)\]/.exec(message) ?? [];
  if (dependency === undefined || listed === undefined) return false;
  return listed.split(' ').includes(text.includes(' names no package: ') ? '' : dependency);
}

function repositoryOf({ reference }: Failure): string | undefined {
  return reference?.replace(/@sha256:.*|:[^:/]*$/, '');
}

/** Whether a text contains a package name that is not part of a longer name. */
export function isNamedIn(text: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!/[\w/-]/.test(text[at + name.length] ?? ' ')) return true;
  }
  return false;
}
