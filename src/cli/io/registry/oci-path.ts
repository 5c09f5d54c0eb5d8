import { InputError } from '../../../model/input-error.js';
import { parseReference, type Reference } from '../../../model/reference.js';

const SCHEME = 'oci://';

/** Whether a path names something at a registry: `oci://registry.example.org/team/lock:v1`. */
export function isOciPath(path: string): boolean {
  return path.startsWith(SCHEME);
}

/** The reference in an `oci://` path; throws where there is none. */
export function parseOciPath(path: string): Reference {
  const reference = isOciPath(path)
    ? parseReference(path.slice(SCHEME.length), { strict: true })
    : undefined;
  if (reference !== undefined) return reference;
  throw new InputError(`\`${path}\` does not name an artifact at a registry`, {
    hint: 'write all of it: `oci://REGISTRY/REPOSITORY:TAG` or `oci://REGISTRY/REPOSITORY@sha256:…`',
  });
}
