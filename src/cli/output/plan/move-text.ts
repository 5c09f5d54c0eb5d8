import { isNewer } from '../../../model/target/target.js';
import type { PackageMove } from '../../../plan/plan-journey.js';
import type { PlannedStep } from '../../../usecases/plan/plan.js';
import { shortVersion } from '../packages.js';

/** What a step does, a row each: a verb, a package, its versions. */
export function moveRows(step: PlannedStep): string[][] {
  const { release, releaseBefore, applied, removed } = step;
  return [
    ...(releaseBefore === undefined
      ? []
      : [
          [
            isNewer(release, releaseBefore) ? 'upgrade' : 'downgrade',
            'Crossplane',
            `${releaseBefore.version} → ${release.version}`,
          ],
        ]),
    ...[...applied, ...removed].map(rowOf),
  ];
}

function rowOf({ repository, from, to }: PackageMove): string[] {
  const [before, after] = [from?.locked.version, to?.locked.version].map(
    (version) => version && shortVersion(version),
  );
  if (before === undefined) return ['add', repository, after!];
  if (after === undefined) return ['remove', repository, before];
  if (before === after) return ['apply', repository, after];
  return ['move', repository, `${before} → ${after}`];
}
