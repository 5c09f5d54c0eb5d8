import { InputError } from '../../model/input-error.js';
import { isRepository } from '../../model/reference.js';

/** Refuses an option that names a package by what cannot be a repository: it would match nothing. */
export function refuseOtherNames(option: string, names: Iterable<string>): void {
  for (const name of names) {
    if (isRepository(name)) continue;
    throw new InputError(`\`${name}\`, given in \`${option}\`, is not a repository`, {
      hint: 'write `registry/path`: no tag, no digest',
    });
  }
}
