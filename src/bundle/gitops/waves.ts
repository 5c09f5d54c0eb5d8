import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import { lockGraph } from '../../lock/lock-graph.js';
import { dependencyDepths, inApplyOrder } from '../../lock/order.js';
import { stringOf, type JsonObject } from '../../text/json.js';
import type { BundleObjects } from '../bundle.js';
import { annotationsOf } from '../annotations.js';
import { labelOf } from '../object-label.js';

/** Annotation in which Argo CD reads the wave of an object. */
export const WAVE_ANNOTATION = 'argocd.argoproj.io/sync-wave';

/** Wave of what packages rely on: ImageConfigs, runtime configs, activation policies. */
const FIRST_WAVE = -20;
/** Waves from here on are left to what uses the packages, such as ProviderConfigs. */
const FREE_WAVE = 0;

export interface Waves {
  /** By object, as it stands in the bundle. */
  readonly of: ReadonlyMap<JsonObject, number>;
  readonly warnings: readonly string[];
}

/**
 * Waves in which to apply the objects of a bundle: what packages rely on first, then packages, each
 * after all that it depends on. A wave that the user gave is kept, and what comes after it moves up;
 * where that is against the order, a warning says so.
 *
 * The numbers change little as a set grows: they count up from the first wave by depth.
 */
export function wavesOf(lockfile: Pick<Lockfile, 'packages'>, objects: BundleObjects): Waves {
  const depths = dependencyDepths(lockfile.packages);
  const deepest = Math.max(0, ...depths.values());
  const first = Math.min(FIRST_WAVE, FREE_WAVE - 2 - deepest);
  const waves = new Map<JsonObject, number>();
  const warnings: string[] = [];
  for (const object of objects.kept) waves.set(object, givenWave(object, warnings) ?? first);
  const graph = lockGraph(lockfile);
  const isBelow = ({ repository }: LockedPackage, other: LockedPackage) =>
    depths.get(other.repository)! < depths.get(repository)!;
  for (const locked of inApplyOrder(lockfile.packages)) {
    const object = objects.packages.get(locked.repository)!;
    const needed = graph
      .requirementsOf(locked.repository)
      .filter(({ to }) => isBelow(locked, to))
      .map(({ to }) => objects.packages.get(to.repository)!);
    const before = [...objects.kept, ...needed];
    const given = givenWave(object, warnings);
    const last = Math.max(...before.map((each) => waves.get(each)!), -Infinity);
    const own = Math.max(first + 1 + depths.get(locked.repository)!, last + 1);
    waves.set(object, given ?? own);
    if (given === undefined || given > last) continue;
    const late = before.find((each) => waves.get(each) === last)!;
    warnings.push(
      `${labelOf(object)} has wave ${given}, and ${labelOf(late)}, which must be there first, has wave ` +
        `${last}: Argo CD does not wait for it`,
    );
  }
  return { of: waves, warnings };
}

function givenWave(object: JsonObject, warnings: string[]): number | undefined {
  const text = annotationsOf(object)[WAVE_ANNOTATION];
  if (text === undefined) return undefined;
  const given = stringOf(text) ?? '';
  if (/^[+-]?\d{1,9}$/.test(given)) return Number(given);
  warnings.push(
    `${labelOf(object)}: \`${WAVE_ANNOTATION}: ${given}\` is no integer; Argo CD takes it for 0`,
  );
  return 0;
}
