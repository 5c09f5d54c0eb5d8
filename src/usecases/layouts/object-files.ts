import { createHash } from 'node:crypto';
import { labelOf, nameOf } from '../../bundle/object-label.js';
import { InputError } from '../../model/input-error.js';
import { isDnsSubdomain } from '../../text/dns-name.js';
import { stringOf, type JsonObject } from '../../text/json.js';
import { writeYaml, writeYamlStream } from '../../text/yaml/write-yaml.js';

export const PACKAGES_FILE = 'packages.yaml';

/** Characters of a file's name that file systems and archives take, the ending aside. */
const MAX_STEM_LENGTH = 120;

/** Objects as the texts of files, in the order to apply them: one stream, or a file for each. */
export function objectFiles(
  objects: readonly JsonObject[],
  split: boolean,
): ReadonlyMap<string, string> {
  if (!split) return new Map([[PACKAGES_FILE, writeYamlStream(objects)]]);
  return new Map(objects.map((object) => [objectFileName(object), writeYaml(object)]));
}

/**
 * `provider-acme-p.yaml`: the same for an object whatever else is in the set, and no other object has
 * it, as kinds hold no dash and names are told apart within a kind.
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
