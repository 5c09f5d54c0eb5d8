import { InputError } from '../../base/errors.js';
import { parseReference, type Reference } from '../../crossplane/packages/reference.js';

const SCHEME = 'oci://';

/** Returns whether a path is at a registry: `oci://registry.example.org/team/lock:v1`. */
export function isOciPath(path: string): boolean {
  return path.startsWith(SCHEME);
}

/** Parses an `oci://` path. Throws if it is no reference. */
export function parseOciPath(path: string): Reference {
  const forms = '`oci://REGISTRY/REPOSITORY:TAG` or `oci://REGISTRY/REPOSITORY@sha256:…`';
  return parsePath(path, `write all of it: ${forms}`);
}

/** Parses the `oci://` path of a push. Throws if it has a digest. */
export function parseTaggedPath(path: string): Reference {
  const reference = parsePath(path, 'write all of it, with a tag: `oci://REGISTRY/REPOSITORY:TAG`');
  if (reference.digest === undefined) return reference;
  throw new InputError(`\`${path}\` names a digest, and what is pushed has its own`, {
    hint: 'name a tag: `oci://REGISTRY/REPOSITORY:TAG`',
  });
}

function parsePath(path: string, hint: string): Reference {
  const reference = isOciPath(path)
    ? parseReference(path.slice(SCHEME.length), { strict: true })
    : undefined;
  if (reference !== undefined) return reference;
  throw new InputError(`\`${path}\` does not name an artifact at a registry`, { hint });
}
