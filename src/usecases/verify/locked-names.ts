import { suffixedName } from '../../bundle/object-name.js';
import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import { objectNameOf } from '../../model/name.js';
import type { Target } from '../../model/target/target.js';
import type { Mismatch } from '../mismatch.js';

interface NameFindings {
  readonly mismatches: readonly Mismatch[];
  readonly notes: readonly string[];
}

/**
 * Names of objects that the inputs do not lead to.
 *
 * `resolve` keeps the names of a lockfile, so that objects keep theirs, and a pull request may edit
 * them: a name has to be given in the inputs, or be one that Crossplane or this tool derives. Of
 * repositories that derive the same name, whichever came first may have it.
 */
export function lockedNames(lockfile: Lockfile, derived: Lockfile, target: Target): NameFindings {
  const names = new Map(derived.packages.map(({ repository, name }) => [repository, name]));
  const mismatches: Mismatch[] = [];
  const notes: string[] = [];
  for (const { repository, version, name } of lockfile.packages) {
    const found = names.get(repository);
    if (found === undefined || found === name) continue;
    const base = objectNameOf(repository, target);
    const isDerived = [base, suffixedName(base, repository)].includes(found);
    if (isDerived && sharesFairly(lockfile.packages, base, target)) {
      const text = `its object is named \`${name}\`, not \`${found}\`, by the lockfile alone`;
      notes.push(`${repository} ${version}: ${text}`);
    } else mismatches.push(unasked({ repository, version, name }, found));
  }
  return { mismatches, notes };
}

/** Whether one of several packages has the name that all derive, and the others theirs by hash. */
function sharesFairly(packages: readonly LockedPackage[], base: string, target: Target): boolean {
  const rivals = packages.filter(({ repository }) => objectNameOf(repository, target) === base);
  const others = rivals.filter(({ name }) => name !== base);
  return (
    rivals.length > 1 &&
    others.length === rivals.length - 1 &&
    others.every(({ repository, name }) => name === suffixedName(base, repository))
  );
}

function unasked(
  { repository, version, name }: Pick<LockedPackage, 'repository' | 'version' | 'name'>,
  found: string,
): Mismatch {
  const text =
    'its `name` is given by the lockfile alone: give it in the inputs or, to have the object ' +
    'renamed, take its block out of the lockfile and resolve again';
  return { kind: 'input', repository, version, text, locked: name, found };
}
