import { assignNames } from '../../bundle/object-name.js';
import { objectTemplate, withoutClusterState } from '../../bundle/object-template.js';
import { spellingWarnings } from '../../bundle/spelling.js';
import type { LockedPackage, LockedSigner, Lockfile } from '../../lock/lockfile.js';
import { byCodePoint } from '../../text/code-point-order.js';
import type { Repository } from '../../model/package.js';
import type { IndexState } from '../../model/package-source.js';
import type { CheckedPackage } from '../../driver/checked-package.js';
import { joinReference } from '../../model/reference.js';
import { replacedRepository, type PackageRoot, type Request } from '../../model/request.js';
import type { Target } from '../../model/target/target.js';
import type { Selected } from '../../solver/search-result.js';
import { clusterRefusals } from './cluster-refusals.js';

/** A selection with what the sources said of it. */
export interface ChosenPackage extends Selected {
  readonly fetched: CheckedPackage;
}

/** A selection with as much as a lockfile keeps of it. */
interface Lockable extends Selected {
  readonly fetched: Pick<CheckedPackage, 'digest' | 'manifest' | 'baseLayer' | 'packageYaml'>;
}

/** The answer as a lockfile; `chosen` in the order of decision. */
export function toLockfile(
  chosen: readonly Lockable[],
  request: Request,
  context: {
    readonly target: Target;
    readonly previous: Lockfile | undefined;
    /** States of indexes to record; those of a lockfile that records some are. */
    readonly indexes?: readonly IndexState[] | undefined;
    readonly signerOf?: SignerOf | undefined;
  },
): { readonly lockfile: Lockfile; readonly warnings: readonly string[] } {
  const { target, previous, indexes = [], signerOf } = context;
  const roots = new Map<Repository, PackageRoot>();
  for (const root of request.roots) {
    if (root.root !== 'package') continue;
    roots.set(replacedRepository(request, root.repository), root);
  }
  const lockedNames = new Map(previous?.packages.map((p) => [p.repository, p.name]));
  const signers = new Map(previous?.packages.map((p) => [signedName(p), p.signature]));
  const longer = new Map(
    previous?.packages.map((p) => [joinReference(p.repository, p.version), p.longerTags]),
  );
  const { names, warnings } = assignNames(
    chosen.map(({ repository }) => ({
      repository,
      given: roots.get(repository)?.name,
      locked: lockedNames.get(repository),
      origin: roots.get(repository)?.origin,
    })),
    target,
  );
  const packages = chosen.map((one): LockedPackage => {
    const { repository, version, meta, fetched } = one;
    const root = roots.get(repository);
    const { digest } = fetched;
    const named = { repository, version, digest };
    const signature = signerOf ? signerOf(named, target) : signers.get(signedName(named));
    const longerTags = longer.get(joinReference(repository, version));
    return {
      repository,
      version,
      digest,
      manifest: fetched.manifest,
      baseLayer: fetched.baseLayer,
      packageYaml: fetched.packageYaml,
      ...(signature !== undefined && { signature }),
      ...(longerTags !== undefined && { longerTags }),
      kind: meta.kind,
      name: names.get(repository)!,
      direct: root !== undefined,
      crossplane: meta.crossplane,
      requirements: meta.requirements,
      owns: meta.owns,
      object: objectTemplate({
        kind: meta.kind,
        defaults: request.defaults,
        spec: root?.spec ?? {},
        object: root?.object,
      }),
    };
  });
  const lockfile: Lockfile = {
    crossplane: target.version,
    packages: packages.sort((a, b) => byCodePoint(a.repository, b.repository)),
    objects: request.kept.map(({ object }) => withoutClusterState(object)),
    ...(indexes.length > 0 && { indexes }),
    skipDependencyResolution: skipReasons(chosen, request, target),
  };
  const spellings = spellingWarnings([...names.keys()], target);
  return { lockfile, warnings: [...warnings, ...spellings] };
}

/** Who signed a package; undefined: no policy is for it. */
export type SignerOf = (
  locked: Pick<LockedPackage, 'repository' | 'version' | 'digest'>,
  target: Target,
) => LockedSigner | undefined;

/** What a signature is for: as long as it stays, so does what was verified. */
function signedName({
  repository,
  version,
  digest,
}: Pick<LockedPackage, 'repository' | 'version' | 'digest'>): string {
  return `${repository}\n${version}\n${digest}`;
}

/** The reason to skip dependency resolution where an input object asks for it. */
export const INPUTS_SAY_SO = 'the input objects say so';

function skipReasons(chosen: readonly Selected[], request: Request, target: Target): string[] {
  const asked = request.roots.some((r) => r.root === 'package' && r.skipDependencyResolution);
  if (asked) return [INPUTS_SAY_SO];
  return clusterRefusals(chosen, target);
}
