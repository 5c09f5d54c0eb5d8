import type { CoreEntry } from '../../src/explain/core-entries.js';
import type { Failure, ObservedEnd } from './observed-end.js';

/**
 * Whether the cluster fails for a reason that a refusal gives: a package, or the Lock, tells a fault of
 * the same sort, of the same package, and where there is a constraint, of the same constraint.
 */
export function isSaidReason(
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
        // Of an exact version that a root asks for.
        return isMissed || isOwn(/cannot unpack package/);
      }
      return breaks(requirement, failure) || lacks(requirement, failure, rows);
    case 'crossplane':
      return isOwn(/incompatible Crossplane version/);
    case 'ownership':
      return isOwn(/cannot establish control of object/);
    case 'kind':
      return isOwn(/package meta type is not/);
    case 'source': {
      // The resolver does not say whose constraint it cannot read.
      const [constraint] = /improper constraint: .*/.exec(message) ?? [];
      if (constraint !== undefined && text.includes(constraint)) return true;
      if (isNamedIn(text, repositoryOf(failure)) && misses(text, message)) return true;
      return isOwn(/cannot unpack package|cannot parse package|package contents failed/);
    }
    case 'policy':
      // A cluster knows of none.
      return false;
    case 'cycle':
      return isNamedIn(text, /detected cycle on: (\S+)/.exec(message)?.[1]);
  }
}

type Requirement = NonNullable<CoreEntry['requirement']>;

/** What is installed does not fit, or nothing would. Before v1.20 the first names the package alone. */
function breaks({ by, on, constraint }: Requirement, failure: Failure): boolean {
  const { message } = failure;
  if (message.includes('incompatible dependencies: [')) return isNamedIn(message, on);
  // A digest is held against a range; what has it is not told.
  if (/invalid semantic version/i.test(message)) return repositoryOf(failure) === by;
  if (message.includes(`dependency (${on}) does not`)) return message.includes(constraint);
  const told = message.matchAll(
    /existing package (\S+)@\S+ is incompatible with constraint ([^;]+)/g,
  );
  return [...told].some(([, source, asked]) => source === on && asked === constraint.trim());
}

/**
 * It waits to be installed, and there is nothing to install. Of two constraints that a package has on the same
 * one, the first is told, whichever cannot be met.
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

/** What a package of the Lock wants of another. */
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

/** Packages of which a message says that they are missing. */
function missingIn(message: string): string[] {
  const [, listed = ''] = /missing dependencies: (.*)/.exec(message) ?? [];
  return Array.from(listed.matchAll(/[^\s"[\]]+\/[^\s"[\]]+/g), ([name]) => name);
}

/**
 * Whether the dependency is missing that a text says cannot be read: before v1.20 no condition tells why the
 * resolver stopped at it. Where its name cannot be read, one without a name is.
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

/** Whether a text speaks of a package; a name is not found in a longer one. */
export function isNamedIn(text: string, name: string | undefined): boolean {
  if (name === undefined) return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!/[\w/-]/.test(text[at + name.length] ?? ' ')) return true;
  }
  return false;
}
