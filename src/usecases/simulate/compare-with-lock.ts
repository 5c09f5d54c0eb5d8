import type { Settled } from '../../cluster/settle-cluster.js';
import type { Lockfile } from '../../lock/lockfile.js';
import type { Repository } from '../../model/package.js';
import { splitPackageReference } from '../../model/reference.js';
import type { Target } from '../../model/target/target.js';
import { byCodePoint } from '../../text/code-point-order.js';

/** A package that a cluster and a lockfile have at different versions, or one of them not at all. */
export interface Disagreement {
  readonly repository: Repository;
  /** undefined: it is not locked. */
  readonly locked: string | undefined;
  /** undefined: the cluster does not have it. */
  readonly installed: string | undefined;
}

/** Where a cluster ends otherwise than a lockfile has it, by repository. */
export function compareWithLock(
  { state }: Settled,
  { packages }: Pick<Lockfile, 'packages'>,
  target: Target,
): Disagreement[] {
  const locked = new Map(packages.map((each) => [each.repository, each]));
  const installed = new Map(
    state.objects.flatMap(({ reference }) => {
      const split = splitPackageReference(reference, target);
      return split === undefined ? [] : [[split.source, split.version] as const];
    }),
  );
  return [...new Set([...locked.keys(), ...installed.keys()])]
    .sort(byCodePoint)
    .filter((repository) => {
      const { version, digest } = locked.get(repository) ?? {};
      const found = installed.get(repository);
      return found === undefined || (found !== version && found !== digest);
    })
    .map((repository) => ({
      repository,
      locked: locked.get(repository)?.version,
      installed: installed.get(repository),
    }));
}
