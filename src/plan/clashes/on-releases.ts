import type { Target } from '../../model/target/target.js';
import { CROSSPLANE, type Cause, type Clash, type Position } from '../clash.js';
import type { Journey } from '../journey.js';

/** The clashes of some positions: one, where every release has it; else one for each that has. */
export function onReleases(
  { releases }: Journey,
  positions: readonly Position[],
  causeOn: (release: Target) => Cause | undefined,
): readonly Clash[] {
  const clashes = releases.flatMap((release, stop): Clash[] => {
    const cause = causeOn(release);
    const at = { route: CROSSPLANE, stop };
    return cause === undefined ? [] : [{ positions: [...positions, at], cause }];
  });
  if (clashes.length < releases.length) return clashes;
  return clashes.slice(-1).map(({ cause }) => ({ positions, cause }));
}
