import { InputError } from '../../../model/input-error.js';
import type { Repository } from '../../../model/package.js';

/** A package that was named, and that neither an index nor any source knows. */
export function unknownPackage(repository: Repository, hint = NAMED): InputError {
  return new InputError(`no source knows \`${repository}\``, { hint });
}

const NAMED = 'a package is named as dependsOn names it, registry included, without a tag';
