import { createHash } from 'node:crypto';
import { labelOf, nameOf } from './object-names.js';
import { isDnsSubdomain } from '../../base/dns-name.js';
import { InputError } from '../../base/errors.js';
import { type JsonObject, stringOf } from '../../base/json.js';
import { writeYaml, writeYamlStream } from '../../base/yaml/write-yaml.js';

export const PACKAGES_FILE = 'packages.yaml';

/** Maximum length of a file name without its extension, for file systems and archives. */
const MAX_STEM_LENGTH = 120;

/**
 * Returns the files for objects, in the order of applying them: one stream, or one file per object.
 */
export function objectFiles(
  objects: readonly JsonObject[],
  split: boolean,
): ReadonlyMap<string, string> {
  if (!split) return new Map([[PACKAGES_FILE, writeYamlStream(objects)]]);
  return new Map(objects.map((object) => [objectFileName(object), writeYaml(object)]));
}

/**
 * Returns `provider-acme-p.yaml`. The name is unique, because kinds contain no dash, and does not
 * depend on other objects.
 */
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
