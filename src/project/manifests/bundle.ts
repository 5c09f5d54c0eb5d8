import { createHash } from 'node:crypto';
import { adaptToTarget } from './extra-manifests.js';
import { pinImages } from './image-pins.js';
import { labelOf, nameOf } from './object-names.js';
import { packageObject, type Pin } from './package-object.js';
import { byCodePoint } from '../../base/collections.js';
import { isDnsSubdomain } from '../../base/dns-name.js';
import { InputError } from '../../base/errors.js';
import { type JsonObject, mappingOf, stringOf } from '../../base/json.js';
import { writeYaml, writeYamlStream } from '../../base/yaml/write-yaml.js';
import { objectNameOf } from '../../crossplane/packages/object-names.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { Target } from '../../crossplane/releases/target.js';
import { inApplyOrder } from '../lockfile/lock-graph.js';
import type { LockedPackage, Lockfile } from '../lockfile/lockfile.js';

/** The objects to apply. */
export interface BundleObjects {
  /** ImageConfigs, runtime configs, activation policies and image pins. */
  readonly kept: readonly JsonObject[];
  /** Package objects, dependencies first. */
  readonly packages: ReadonlyMap<Repository, JsonObject>;
}

export interface Bundle extends BundleObjects {
  /** All objects, in the order to apply them. */
  readonly objects: readonly JsonObject[];
  /** Reasons why every package has `skipDependencyResolution: true`; empty if none has. */
  readonly skips: readonly string[];
  readonly warnings: readonly string[];
}

export function bundleOf(lockfile: Lockfile, target: Target, pin: Pin): Bundle {
  const skips = skipReasons(lockfile, pin);
  const adapted = lockfile.objects.map((object) => adaptToTarget(object, target));
  const inOrder = inApplyOrder(lockfile.packages);
  const packages = inOrder.map((locked) =>
    packageObject(locked, target, { pin, skipDependencyResolution: skips.length > 0 }),
  );
  const adaptedObjects = adapted.flatMap(({ object }) => (object ? [object] : []));
  const pinned =
    pin === 'locked'
      ? pinImages(inOrder, adaptedObjects, target)
      : { kept: adaptedObjects, pins: [], warnings: [] };
  const kept = [...pinned.kept, ...pinned.pins];
  const objects = [...kept, ...packages.map(({ object }) => object)];
  refuseDuplicates(objects);
  return {
    kept,
    packages: new Map(packages.map(({ object }, n) => [inOrder[n]!.repository, object])),
    objects,
    skips,
    warnings: [
      ...[...adapted, pinned, ...packages].flatMap(({ warnings }) => warnings),
      ...(skips.length > 0 ? [] : nameWarnings(lockfile, target)),
    ],
  };
}

/** Returns the bundle with each object replaced by the result of `change`. */
export function withObjects(bundle: Bundle, change: (object: JsonObject) => JsonObject): Bundle {
  const kept = bundle.kept.map(change);
  const packages = new Map(Array.from(bundle.packages, ([name, each]) => [name, change(each)]));
  return { ...bundle, kept, packages, objects: [...kept, ...packages.values()] };
}

/**
 * Returns why all packages skip dependency resolution. A package that skips is not in the Lock, so
 * packages that do not skip would miss it.
 */
function skipReasons(lockfile: Lockfile, pin: Pin): readonly string[] {
  const pinned = pin === 'digest' ? ['packages are pinned by digest, which no range admits'] : [];
  const reasons = [...lockfile.skipDependencyResolution, ...pinned];
  const skipping = lockfile.packages.filter(skips);
  if (reasons.length > 0 || skipping.length === 0) return reasons;
  const other = lockfile.packages.find((each) => !skips(each));
  if (other === undefined) return ['every package was given with it'];
  throw new InputError(
    `\`${skipping[0]!.repository}\` has \`skipDependencyResolution: true\` and \`${other.repository}\` ` +
      'has not; a package that skips is missing to all that do not',
    { hint: 'set it on every package, or on none' },
  );
}

function skips({ object }: LockedPackage): boolean {
  return object.spec['skipDependencyResolution'] === true;
}

function refuseDuplicates(objects: readonly JsonObject[]): void {
  const seen = new Set<string>();
  for (const object of objects) {
    const id = labelOf(object);
    if (seen.has(id)) throw new InputError(`${id} is given twice`, { hint: 'keep one of them' });
    seen.add(id);
  }
}

/** Returns warnings about names under which a cluster does not find a dependency. */
function nameWarnings({ packages }: Lockfile, target: Target): readonly string[] {
  const taken = new Set(packages.map(({ name }) => name));
  return packages.flatMap(({ repository, name }) => {
    const own = objectNameOf(repository, target);
    const dependent = packages.find(({ requirements }) =>
      requirements.some((each) => each.requires === 'package' && each.repository === repository),
    );
    if (taken.has(own) || dependent === undefined) return [];
    return [
      `\`${repository}\` is named \`${name}\`, and \`${dependent.repository}\` depends on it: a ` +
        `cluster that meets the dependent first installs it again as \`${own}\`, and can then ` +
        'resolve no package at all',
    ];
  });
}

/** Returns `metadata.annotations`; empty if there are none. */
export function annotationsOf(object: JsonObject): JsonObject {
  return mappingOf(mappingOf(object['metadata'])?.['annotations']) ?? {};
}

/** Returns the object with annotations added, sorted by key. */
export function withAnnotations(object: JsonObject, annotations: JsonObject): JsonObject {
  const metadata = mappingOf(object['metadata']) ?? {};
  const all = Object.entries({ ...annotationsOf(object), ...annotations });
  const sorted = Object.fromEntries(all.sort(([a], [b]) => byCodePoint(a, b)));
  return { ...object, metadata: { ...metadata, annotations: sorted } };
}

export const PACKAGES_FILE = 'packages.yaml';

/** Maximum length of a file name without its extension, for file systems and archives. */
const MAX_STEM_LENGTH = 120;

/** Returns the files for objects, in apply order: one stream, or one file per object. */
export function objectFiles(
  objects: readonly JsonObject[],
  split: boolean,
): ReadonlyMap<string, string> {
  if (!split) return new Map([[PACKAGES_FILE, writeYamlStream(objects)]]);
  return new Map(objects.map((object) => [objectFileName(object), writeYaml(object)]));
}

/** Returns `provider-acme-p.yaml`: unique, because kinds contain no dash, and stable. */
export function objectFileName(object: JsonObject): string {
  const name = nameOf(object);
  if (!isDnsSubdomain(name)) {
    throw new InputError(`${labelOf(object)}: its name cannot be that of a file`, {
      hint: 'Kubernetes refuses it, too: `a-z`, `0-9`, `-` and `.` make a name',
    });
  }
  const stem = `${(stringOf(object['kind']) ?? '').toLowerCase()}-${name}`;
  if (stem.length <= MAX_STEM_LENGTH) return `${stem}.yaml`;
  const hash = createHash('sha256').update(stem).digest('hex').slice(0, 8);
  return `${stem.slice(0, MAX_STEM_LENGTH - 9)}-${hash}.yaml`;
}

/** Makes `kubectl apply -k` apply the files in this order. */
export function kustomization(resources: readonly string[]): JsonObject {
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources,
    // The default order, by kind, puts Configurations before Providers.
    sortOptions: { order: 'fifo' },
  };
}
