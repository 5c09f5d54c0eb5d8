import { objectTemplate } from '../../project/manifests/object-template.js';
import {
  requestImage,
  requestTags,
  type ClusterImage,
  clusterImage,
  type ClusterTask,
} from '../../crossplane/package-manager/cluster-image.js';
import { wantedObject, type WantedObject } from '../../crossplane/package-manager/cluster-state.js';
import { lockGraph } from '../../project/lockfile/lock-graph.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import { formatCrdRef } from '../../crossplane/packages/crd-ref.js';
import { InputError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { objectNameOf, toDnsLabel } from '../../crossplane/packages/object-names.js';
import type { PackageKind, Repository } from '../../crossplane/packages/package.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import {
  replacedRepository,
  type LocalRoot,
  type PackageRoot,
  type Request,
} from '../../project/inputs/request.js';
import type { Target } from '../../crossplane/releases/target.js';
import { parseConstraint } from '../../crossplane/constraints/constraint.js';
import { installableVersions } from '../../crossplane/constraints/installable-versions.js';
import { exactTag } from '../../crossplane/constraints/version.js';
import { isDigest } from '../../base/digest.js';

interface RootOptions {
  readonly target: Target;
  /** The lockfile with the versions of the roots; undefined: each root has its newest version. */
  readonly locked: Lockfile | undefined;
}

/** The package objects of the roots of a request. */
interface RootObjects {
  readonly objects: readonly WantedObject[];
  /** Images of packages under development, which no registry has, by reference. */
  readonly images: ReadonlyMap<string, ClusterImage>;
  readonly notes: readonly string[];
}

/** Returns the objects of a user who applies only the roots and lets the cluster install the rest. */
export function* rootObjects(request: Request, options: RootOptions): ClusterTask<RootObjects> {
  const objects: WantedObject[] = [];
  const images = new Map<string, ClusterImage>();
  const notes = ignoredRules(request);
  for (const root of request.roots) {
    if (root.root === 'package') {
      objects.push(yield* packageObjectOf(root, request, options));
      continue;
    }
    if (root.root === 'local') {
      const { object, image } = localObject(root, options.target);
      objects.push(object);
      images.set(object.reference, image);
      notes.push(`\`${root.name}\`, which is not published, stands as ${object.reference}`);
      continue;
    }
    const owner = options.locked && lockGraph(options.locked).ownerOf(root.demand);
    if (owner !== undefined) {
      const { kind, name, repository, version } = owner;
      objects.push(packageObject(kind, name, joinReference(repository, version)));
      continue;
    }
    const why =
      options.locked === undefined
        ? 'no cluster takes it; with --locked, its owner enters'
        : 'no cluster takes it, and no locked package owns it';
    notes.push(`\`crd: ${formatCrdRef(root.demand)}\` is left out: ${why}`);
  }
  return { objects, images, notes };
}

/** Returns a note on the rules of a request that only the solver applies, not a cluster. */
function ignoredRules({ overrides, replace, exclude, policies = [] }: Request): string[] {
  const rules = Object.entries({ overrides, replace, exclude, policy: policies })
    .filter(([, list]) => list.length > 0)
    .map(([name]) => name);
  return rules.length === 0 ? [] : [`${rules.join(', ')} of the request: a cluster knows of none`];
}

function* packageObjectOf(
  root: PackageRoot,
  request: Request,
  { target, locked }: RootOptions,
): ClusterTask<WantedObject> {
  const repository = locked ? replacedRepository(request, root.repository) : root.repository;
  const entry = locked?.packages.find((each) => each.repository === repository);
  if (locked !== undefined && entry === undefined) {
    throw new InputError(`\`${repository}\` is not locked`, {
      origin: root.origin,
      hint: 'lock it with `xpkg-resolve resolve`, or leave `--locked` out',
    });
  }
  const version = entry?.version ?? (yield* newestVersion(root, request, target));
  const kind = root.kind ?? entry?.kind ?? (yield* requestImage({ repository, version }))?.kind;
  if (kind === undefined) {
    throw new InputError(`there is no package \`${joinReference(repository, version)}\``, {
      origin: root.origin,
    });
  }
  const { object } = root;
  const { defaults } = request;
  const { spec, untagged } = objectTemplate({ kind, defaults, spec: root.spec, object });
  const name = root.name ?? entry?.name ?? objectNameOf(repository, target);
  const reference = untagged === true ? repository : joinReference(repository, version);
  return packageObject(kind, name, reference, spec);
}

function* newestVersion(
  { repository, kind, version, origin }: PackageRoot,
  { prereleases }: Request,
  target: Target,
): ClusterTask<string> {
  if (version.form === 'tag') return version.tag;
  if (version.form === 'digest') return version.digest;
  const { text } = version;
  const { dialect } = target.rules;
  const range = parseConstraint(text, dialect);
  if (isDigest(text) || range.invalid) return text;
  const exact = exactTag(text, dialect);
  if (exact !== undefined && (yield* requestImage({ repository, version: exact }))) return exact;
  const admitting = { prereleases: prereleases?.includes(repository) === true };
  const tags = yield* requestTags(repository);
  const newest = installableVersions(tags ?? [], target).find((each) =>
    range.admits(each, admitting),
  );
  if (newest !== undefined) return newest.raw;
  // A cluster accepts an object with this tag although it cannot pull the image.
  if (exact !== undefined && kind !== undefined) return exact;
  const why = tags === undefined ? 'no source knows the repository' : 'none that is published fits';
  throw new InputError(`there is no version of \`${repository}\` in \`${text}\`: ${why}`, {
    origin,
  });
}

/** The registry of packages under development; no real registry has this name. */
const LOCAL_REGISTRY = 'xpkg.local';
const LOCAL_VERSION = '0.0.0';

function localObject(root: LocalRoot, target: Target) {
  const repository: Repository = `${LOCAL_REGISTRY}/${toDnsLabel(root.name)}`;
  const { kind, name, crossplane, dependsOn, objects } = root;
  const meta = {
    apiVersion: undefined,
    kind,
    name,
    labels: {},
    annotations: {},
    crossplane: crossplane === undefined ? undefined : { version: crossplane },
    dependsOn: dependsOn.map(({ entry }) => entry),
    capabilities: [],
  };
  const contents = { metas: [meta], objects, problems: [], warnings: [] };
  const reference = joinReference(repository, LOCAL_VERSION);
  return {
    object: packageObject(kind, objectNameOf(repository, target), reference),
    image: clusterImage(contents, undefined, target),
  };
}

function packageObject(
  kind: PackageKind,
  name: string,
  reference: string,
  settings: JsonObject = {},
): WantedObject {
  const spec = { ...settings, package: reference };
  return wantedObject({ apiVersion: 'pkg.crossplane.io/v1', kind, metadata: { name }, spec })!;
}
