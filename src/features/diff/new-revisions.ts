import { renamesRevisions, type Target } from '../../crossplane/releases/target.js';
import {
  hasOtherSettings,
  lockedIn,
  type LockedPackage,
  type Lockfile,
} from '../../project/lockfile/lockfile.js';

/** Returns a sentence on an upgrade that gives every package another revision. */
export function renamedRevisionsText(before: Target, after: Target): string {
  return `Crossplane ${after.version} names package revisions in another way than ${before.version}: every package gets a new revision, and the pods of providers and functions are replaced`;
}

/** Returns a sentence on packages whose settings change while their version stays. */
export function changedSettingsText(
  packages: readonly Pick<LockedPackage, 'repository'>[],
  { version }: Target,
): string {
  const names = packages.map(({ repository }) => repository).join(', ');
  return `${names}: on Crossplane ${version} a change of \`spec\` makes a new revision, with new pods if the package has any, although the version stays`;
}

function skipsResolution({ skipDependencyResolution }: Lockfile): boolean {
  return skipDependencyResolution.length > 0;
}

/** Returns notes on packages that get a new revision although their version stays. */
export function revisionNotes(
  old: Lockfile,
  newer: Lockfile,
  [before, after]: readonly [Target | undefined, Target | undefined],
): string[] {
  if (before === undefined || after === undefined) return [];
  if (renamesRevisions(before, after)) {
    return [renamedRevisionsText(before, after)];
  }
  if (after.packageManager.revisionNames === 'digest') return [];
  const isSkipChanged = skipsResolution(old) !== skipsResolution(newer);
  const changed = newer.packages.filter((locked) => {
    const earlier = lockedIn(old, locked.repository);
    if (earlier?.version !== locked.version) return false;
    return isSkipChanged || hasOtherSettings(earlier, locked);
  });
  if (changed.length === 0) return [];
  return [changedSettingsText(changed, after)];
}
