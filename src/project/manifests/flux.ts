import { type Bundle, kustomization, objectFiles, withAnnotations, withObjects } from './bundle.js';
import { getOrCreate } from '../../base/collections.js';
import type { JsonObject } from '../../base/json.js';
import { writeYaml, writeYamlStream } from '../../base/yaml/write-yaml.js';
import { PACKAGE_KINDS } from '../../crossplane/packages/package.js';
import { dependencyDepths } from '../lockfile/lock-graph.js';
import type { Lockfile } from '../lockfile/lockfile.js';

interface FluxLayout {
  readonly source: FluxSource;
  /** Folder of the manifests in the source. */
  readonly path: string;
  /** Prefix of the names of Kustomizations. */
  readonly name: string;
  readonly split: boolean;
}

const FLUX_FILE = 'flux.yaml';
/** A layer folder: the first for extra manifests, then one for each depth. */
export const LAYER_FOLDER = /^layer-\d{2,}$/;

/** Keeps packages when their files are deleted, because their CRDs would be deleted with them. */
export function withPruneDisabled(bundle: Bundle): Bundle {
  return withObjects(bundle, (object) =>
    (PACKAGE_KINDS as readonly unknown[]).includes(object['kind'])
      ? withAnnotations(object, KEEP_ANNOTATION)
      : object,
  );
}

/** Returns one folder per layer and the Kustomizations that apply them in order. */
export function fluxFiles(
  bundle: Bundle,
  lockfile: Lockfile,
  { source, path, name, split }: FluxLayout,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const layers: FluxLayer[] = [];
  for (const [number, objects] of layersOf(bundle, lockfile)) {
    const digits = String(number).padStart(2, '0');
    const folder = `layer-${digits}`;
    const texts = objectFiles(objects, split);
    for (const [file, text] of texts) files.set(`${folder}/${file}`, text);
    files.set(`${folder}/kustomization.yaml`, writeYaml(kustomization([...texts.keys()])));
    layers.push({ name: `${name}-${digits}`, path: `${path}/${folder}`, objects });
  }
  files.set(FLUX_FILE, writeYamlStream(fluxKustomizations(layers, source)));
  files.set('kustomization.yaml', writeYaml(kustomization([FLUX_FILE])));
  return files;
}

/** Returns the objects of each layer that is not empty, in order. */
function layersOf({ kept, packages }: Bundle, lockfile: Lockfile) {
  const depths = dependencyDepths(lockfile.packages);
  const layers = new Map<number, JsonObject[]>([[0, [...kept]]]);
  for (const [repository, object] of packages) {
    const layer = depths.get(repository)! + 1;
    getOrCreate(layers, layer, () => []).push(object);
  }
  return [...layers].filter(([, objects]) => objects.length > 0).sort(([a], [b]) => a - b);
}

export interface FluxSource {
  /** GitRepository, OCIRepository or Bucket. */
  readonly kind: string;
  /** Namespace of the source and of the Kustomizations. */
  readonly namespace: string;
  readonly name: string;
}

/** The objects of one Kustomization. */
interface FluxLayer extends Pick<FluxLayout, 'name' | 'path'> {
  readonly objects: readonly JsonObject[];
}

/** Flux must not prune packages: one that moves to another layer would be deleted and recreated. */
const KEEP_ANNOTATION = { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' } as const;

/** CEL: the package in the spec is installed and healthy. Without `status`, Flux waits. */
export const PACKAGE_IS_CURRENT =
  "has(status.conditions) && ['Installed', 'Healthy'].all(type, " +
  "status.conditions.exists(c, c.type == type && c.status == 'True')) && " +
  '(!has(status.currentIdentifier) || status.currentIdentifier == spec.package)';

/** CEL: Crossplane still works on the package. No state is a failure; each may be temporary. */
export const PACKAGE_IN_PROGRESS =
  "!has(status.conditions) || status.conditions.exists(c, c.type in ['Installed', 'Healthy'] && " +
  "c.status != 'True')";

/** Returns one Kustomization per layer. Each depends on the previous one. */
function fluxKustomizations(
  layers: readonly FluxLayer[],
  source: FluxSource,
): readonly JsonObject[] {
  return layers.map(({ name, path, objects }, n) => {
    const before = layers[n - 1];
    const checks = healthChecks(objects);
    return {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name, namespace: source.namespace },
      spec: {
        ...(before === undefined ? {} : { dependsOn: [{ name: before.name }] }),
        sourceRef: { kind: source.kind, name: source.name },
        path,
        interval: '10m',
        retryInterval: '1m',
        timeout: '15m',
        prune: true,
        wait: true,
        ...(checks.length === 0 ? {} : { healthCheckExprs: checks }),
      },
    };
  });
}

/** Flux selects a check by group and kind; the version of a Function varies. */
function healthChecks(objects: readonly JsonObject[]): readonly JsonObject[] {
  return PACKAGE_KINDS.flatMap((kind) => {
    const object = objects.find((each) => each['kind'] === kind);
    if (object === undefined) return [];
    const apiVersion = object['apiVersion']!;
    return [{ apiVersion, kind, inProgress: PACKAGE_IN_PROGRESS, current: PACKAGE_IS_CURRENT }];
  });
}
