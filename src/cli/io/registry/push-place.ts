import { InputError } from '../../../model/input-error.js';
import type { Reference } from '../../../model/reference.js';
import type { Registries } from '../../../sources/registry/open-registries.js';
import type { Io } from '../io.js';
import { parseTaggedPath } from './oci-path.js';
import { registriesFor, type RegistryArgs } from './registries.js';

/** Where something is pushed to: a tag, at a registry that may be asked. */
export async function pushPlace(
  text: string,
  args: RegistryArgs,
  io: Io,
): Promise<{ readonly reference: Reference; readonly registries: Registries }> {
  const reference = parseTaggedPath(text);
  const registries = args.offline ? undefined : await registriesFor(args, io);
  if (registries === undefined) {
    throw new InputError('`--offline` forbids the network, so nothing is pushed');
  }
  return { reference, registries };
}
