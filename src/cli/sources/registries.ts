import {
  insecureHosts,
  type NetworkArgs,
  openCache,
  pullSecretsIn,
  traceLine,
} from './network-flags.js';
import { parseOciPath, parseTaggedPath } from './oci-path.js';
import { InputError } from '../../base/errors.js';
import { imageConfigsIn, type KeptObject } from '../../crossplane/package-manager/image-config.js';
import type { Reference } from '../../crossplane/packages/reference.js';
import { type StoredArtifact, openArtifact } from '../../oci/image/artifact.js';
import type { Exchange } from '../../oci/registry/transport.js';
import type { ReadStats } from '../../resolver/driver/read-stats.js';
import { connectRegistries, type Registries } from '../../sources/images/open-registries.js';
import { mustBeWhole } from '../arguments/argument-errors.js';
import { toolVersion } from '../terminal/environment.js';
import type { RunIo } from '../terminal/io.js';

/** Flags for opening registries. */
export interface RegistryArgs extends NetworkArgs {
  /** Whether to ignore the cache and read everything from the registry. */
  readonly ignoreCache?: boolean | undefined;
}

/**
 * Opens registries according to the flags; undefined with `--offline` and no cache. Counts received
 * bytes in `stats`. ImageConfigs in `kept` rewrite where packages are pulled from.
 */
export async function registriesFor(
  args: RegistryArgs,
  io: RunIo,
  stats?: ReadStats,
  kept: readonly KeptObject[] = [],
): Promise<Registries | undefined> {
  mustBeWhole('--concurrency', args.concurrency, 1);
  const cache = args.ignoreCache === true && !args.offline ? undefined : await openCache(args, io);
  if (args.offline && cache === undefined) return undefined;
  return connectRegistries({
    env: io.env,
    connections: args.concurrency,
    budget: args.timeout,
    cache,
    toolVersion: toolVersion(),
    insecure: insecureHosts(args),
    pullSecrets: await pullSecretsIn(args, io),
    imageConfigs: imageConfigsIn(kept),
    note: (line) => io.afterwards(`note: ${line}`),
    observer: {
      ...(stats && { bytes: (count: number) => (stats.bytes += count) }),
      ...(args.trace && { exchange: (exchange: Exchange) => io.note(traceLine(exchange)) }),
    },
  });
}

/** Returns the artifact that `xpkg-resolve push` stored under a reference. Throws if there is none. */
export async function requireArtifact(
  text: string,
  registries: Registries | undefined,
): Promise<StoredArtifact> {
  const artifact = await findArtifact(text, registries);
  if (artifact !== undefined) return artifact;
  throw new InputError(`there is no \`${text}\``, {
    hint: '`xpkg-resolve push` stores a lockfile, `xpkg-resolve index push` an index',
  });
}

/** Returns the artifact under a reference; undefined if there is none. */
export async function findArtifact(
  text: string,
  registries: Registries | undefined,
): Promise<StoredArtifact | undefined> {
  const reference = parseOciPath(text);
  if (registries === undefined) {
    throw new InputError(`\`${text}\`: \`--offline\` forbids the network, and there is no cache`);
  }
  const repository = registries.repository(reference);
  return openArtifact(repository, reference.identifier);
}

/** Returns a file of an artifact by its title. Throws if there is none. */
export async function requireFile(artifact: StoredArtifact, title: string, shown: string) {
  const bytes = await artifact.file(title);
  if (bytes !== undefined) return bytes;
  throw new InputError(`\`${shown}\` holds no \`${title}\``, {
    hint: `it is a ${artifact.kind}, stored by \`xpkg-resolve ${artifact.kind === 'lock' ? 'push' : 'index push'}\``,
  });
}

export const LOCK_TITLE = 'xpkg.lock.yaml';
export const INDEX_TITLE = 'index.json';

/** Returns the tag to push to, and the opened registries. Throws with `--offline`. */
export async function pushPlace(
  text: string,
  args: RegistryArgs,
  io: RunIo,
): Promise<{ readonly reference: Reference; readonly registries: Registries }> {
  const reference = parseTaggedPath(text);
  return { reference, registries: await onlineRegistries(args, io, 'so nothing is pushed') };
}

/** Returns the registries. Throws with `--offline`; `consequence` ends the message. */
export async function onlineRegistries(
  args: RegistryArgs,
  io: RunIo,
  consequence: string,
): Promise<Registries> {
  const registries = args.offline ? undefined : await registriesFor(args, io);
  if (registries !== undefined) return registries;
  throw new InputError(`\`--offline\` forbids the network, ${consequence}`);
}
