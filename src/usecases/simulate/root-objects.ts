import { objectTemplate } from '../../bundle/object-template.js';
import { clusterImage, type ClusterImage } from '../../cluster/cluster-image.js';
import { askImage, askTags, type ClusterWork } from '../../cluster/cluster-question.js';
import type { WantedObject } from '../../cluster/cluster-state.js';
import { wantedObject } from '../../cluster/wanted-object.js';
import { lockGraph } from '../../lock/lock-graph.js';
import type { LockedPackage, Lockfile } from '../../lock/lockfile.js';
import { crdDemandText } from '../../model/crd-demand.js';
import { InputError } from '../../model/input-error.js';
import { objectNameOf, toDnsLabel } from '../../model/name.js';
import type { Repository } from '../../model/package.js';
import { joinReference } from '../../model/reference.js';
import {
  replacedRepository,
  type LocalRoot,
  type PackageRoot,
  type Request,
} from '../../model/request.js';
import type { Target } from '../../model/target/target.js';
import { parseConstraint } from '../../semver/constraint.js';
import { newestOf } from '../../semver/newest.js';
import { exactTag } from '../../semver/version.js';
import { isDigest } from '../../text/digest.js';

interface RootOptions {
  readonly target: Target;
  /** Roots enter at the versions that it locks; undefined: at the newest that they admit. */
  readonly locked: Lockfile | undefined;
}

/** Objects that ask for the roots of a request, and what there is to say about them. */
interface RootObjects {
  readonly objects: readonly WantedObject[];
  /** Packages under development, which no registry has, by reference. */
  readonly images: ReadonlyMap<string, ClusterImage>;
  readonly notes: readonly string[];
}

/** What a user would apply who asks for the roots alone, and leaves the rest to the cluster. */
export function* rootObjects(request: Request, options: RootOptions): ClusterWork<RootObjects> {
  const objects: WantedObject[] = [];
  const images = new Map<string, ClusterImage>();
  const notes = [...ownRules(request)];
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
    if (owner !== undefined) objects.push(lockedObject(owner));
    else {
      const why =
        options.locked === undefined
          ? 'no cluster takes it; with --locked, its owner enters'
          : 'no cluster takes it, and no locked package owns it';
      notes.push(`\`crd: ${crdDemandText(root.demand)}\` is left out: ${why}`);
    }
  }
  return { objects, images, notes };
}

/** Rules of a request that are kept by solving; an object cannot tell a cluster of them. */
function* ownRules({ overrides, replace, exclude, policies = [] }: Request): Generator<string> {
  const rules = [
    ...(overrides.length > 0 ? ['overrides'] : []),
    ...(replace.length > 0 ? ['replace'] : []),
    ...(exclude.length > 0 ? ['exclude'] : []),
    ...(policies.length > 0 ? ['policy'] : []),
  ];
  if (rules.length > 0) yield `${rules.join(', ')} of the request: a cluster knows of none`;
}

function* packageObjectOf(
  root: PackageRoot,
  request: Request,
  { target, locked }: RootOptions,
): ClusterWork<WantedObject> {
  const repository = locked ? replacedRepository(request, root.repository) : root.repository;
  const entry = locked?.packages.find((each) => each.repository === repository);
  if (locked !== undefined && entry === undefined) {
    throw new InputError(`\`${repository}\` is not locked`, {
      origin: root.origin,
      hint: 'lock it with `xpkg-resolve resolve`, or leave `--locked` out',
    });
  }
  const version = entry?.version ?? (yield* newestVersion(root, request, target));
  const kind = root.kind ?? entry?.kind ?? (yield* askImage({ repository, version }))?.kind;
  if (kind === undefined) {
    throw new InputError(`there is no package \`${joinReference(repository, version)}\``, {
      origin: root.origin,
    });
  }
  const { spec, object } = root;
  const template = objectTemplate({ kind, defaults: request.defaults, spec, object });
  return wantedObject({
    apiVersion: 'pkg.crossplane.io/v1',
    kind,
    metadata: { name: root.name ?? entry?.name ?? objectNameOf(repository, target) },
    spec: { ...template.spec, package: joinReference(repository, version) },
  })!;
}

function* newestVersion(
  { repository, kind, version, origin }: PackageRoot,
  { prereleases }: Request,
  { rules }: Target,
): ClusterWork<string> {
  if (version.form === 'tag') return version.tag;
  if (version.form === 'digest') return version.digest;
  const { text } = version;
  const range = parseConstraint(text, rules.dialect);
  if (isDigest(text) || range.invalid) return text;
  const exact = exactTag(text, rules.dialect);
  if (exact !== undefined && (yield* askImage({ repository, version: exact }))) return exact;
  const admitting = { prereleases: prereleases?.includes(repository) === true };
  const tags = yield* askTags(repository);
  const newest = newestOf(tags ?? [], rules, (each) => range.admits(each, admitting));
  if (newest !== undefined) return newest.raw;
  // As an object with that tag: the cluster takes it, and is stuck.
  if (exact !== undefined && kind !== undefined) return exact;
  const why = tags === undefined ? 'no source knows the repository' : 'none that is published fits';
  throw new InputError(`there is no version of \`${repository}\` in \`${text}\`: ${why}`, {
    origin,
  });
}

/** Where packages under development are taken to be: no registry has such a name. */
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
    object: plainObject(kind, objectNameOf(repository, target), reference),
    image: clusterImage(contents, undefined, target),
  };
}

function lockedObject({ kind, name, repository, version }: LockedPackage): WantedObject {
  return plainObject(kind, name, joinReference(repository, version));
}

function plainObject(kind: WantedObject['kind'], name: string, reference: string): WantedObject {
  return {
    kind,
    name,
    reference,
    skipDependencyResolution: false,
    ignoreCrossplaneConstraints: false,
    manual: false,
  };
}
