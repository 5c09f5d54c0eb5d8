import { annotated } from '../../bundle/annotations.js';
import { withObjects, type Bundle } from '../../bundle/bundle.js';
import {
  fluxKustomizations,
  KEEP_ANNOTATION,
  type FluxLayer,
  type FluxSource,
} from '../../bundle/gitops/flux.js';
import { kustomization } from '../../bundle/kustomization.js';
import type { Lockfile } from '../../lock/lockfile.js';
import { dependencyDepths } from '../../lock/order.js';
import { PACKAGE_KINDS } from '../../model/package.js';
import type { JsonObject } from '../../text/json.js';
import { writeYaml, writeYamlStream } from '../../text/yaml/write-yaml.js';
import { objectFiles } from './object-files.js';

/** How a bundle is laid out for Flux. */
export interface FluxLayout {
  readonly source: FluxSource;
  /** Where the folder of the bundle is in that source. */
  readonly path: string;
  /** What names of Kustomizations begin with. */
  readonly name: string;
  readonly split: boolean;
}

const FLUX_FILE = 'flux.yaml';
/** A folder of a layer, the first for what packages rely on, then one for each depth. */
export const LAYER_FOLDER = /^layer-\d{2,}$/;

/** The bundle as Flux applies it: packages stay when a file goes, for they take their CRDs with them. */
export function forFlux(bundle: Bundle): Bundle {
  return withObjects(bundle, (object) =>
    (PACKAGE_KINDS as readonly unknown[]).includes(object['kind'])
      ? annotated(object, KEEP_ANNOTATION)
      : object,
  );
}

/** Layers, a folder each, and the Kustomizations that apply one after the other. */
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

/** Objects by layer, in order; a layer with none is left out. */
function layersOf(
  { kept, packages }: Bundle,
  lockfile: Lockfile,
): readonly (readonly [number, readonly JsonObject[]])[] {
  const depths = dependencyDepths(lockfile.packages);
  const layers = new Map<number, JsonObject[]>([[0, [...kept]]]);
  for (const [repository, object] of packages) {
    const layer = depths.get(repository)! + 1;
    layers.set(layer, [...(layers.get(layer) ?? []), object]);
  }
  return [...layers].filter(([, objects]) => objects.length > 0).sort(([a], [b]) => a - b);
}
