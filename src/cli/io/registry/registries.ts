import { imageConfigsIn } from '../../../model/cluster/image-config.js';
import { InputError } from '../../../model/input-error.js';
import type { KeptObject } from '../../../model/request.js';
import { openArtifact, type HeldArtifact } from '../../../image/artifact.js';
import type { ReadStats } from '../../../driver/read-stats.js';
import { connectRegistries, type Registries } from '../../../sources/registry/open-registries.js';
import { openCache } from './cache-folder.js';
import type { Io } from '../io.js';
import {
  insecureHosts,
  pullSecretsIn,
  refuseNoRequests,
  traced,
  type NetworkArgs,
} from '../../flags/source/network-flags.js';
import { parseOciPath } from './oci-path.js';
import { toolVersion } from '../tool-version.js';

/** Flags that say how to open registries. */
export interface RegistryArgs extends NetworkArgs {
  /** Ignore the cache and read everything from its registry. */
  readonly anew?: boolean | undefined;
}

/** What registries are opened for. */
interface RegistryUse {
  /** Counts the bytes that come in. */
  readonly stats?: ReadStats | undefined;
  /** The user's objects, of which ImageConfigs say where packages are pulled from. */
  readonly kept?: readonly KeptObject[] | undefined;
}

/** Registries as the flags say; undefined: `--offline` forbids them, and there is no cache. */
export async function registriesFor(
  args: RegistryArgs,
  io: Io,
  { stats, kept = [] }: RegistryUse = {},
): Promise<Registries | undefined> {
  refuseNoRequests(args);
  const cache = args.anew === true && !args.offline ? undefined : await openCache(args, io);
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
      ...(stats === undefined ? {} : { bytes: (count) => (stats.bytes += count) }),
      ...(args.trace ? { exchange: (exchange) => io.note(traced(exchange)) } : {}),
    },
  });
}

/** The artifact that `xpkg-resolve push` stored under a reference; throws if there is none. */
export async function requireArtifact(
  text: string,
  registries: Registries | undefined,
): Promise<HeldArtifact> {
  const artifact = await findArtifact(text, registries);
  if (artifact !== undefined) return artifact;
  throw new InputError(`there is no \`${text}\``, {
    hint: '`xpkg-resolve push` stores a lockfile, `xpkg-resolve index push` an index',
  });
}

/** The artifact under a reference; undefined: there is none. */
export async function findArtifact(
  text: string,
  registries: Registries | undefined,
): Promise<HeldArtifact | undefined> {
  const reference = parseOciPath(text);
  if (registries === undefined) {
    throw new InputError(`\`${text}\`: \`--offline\` forbids the network, and there is no cache`);
  }
  const repository = registries.repository(reference);
  return openArtifact(repository, reference.identifier);
}

/** A file of an artifact; throws if there is none of that title. */
export async function requireFile(artifact: HeldArtifact, title: string, shown: string) {
  const bytes = await artifact.file(title);
  if (bytes !== undefined) return bytes;
  throw new InputError(`\`${shown}\` holds no \`${title}\``, {
    hint: `it is a ${artifact.kind}, stored by \`xpkg-resolve ${artifact.kind === 'lock' ? 'push' : 'index push'}\``,
  });
}

export const LOCK_TITLE = 'xpkg.lock.yaml';
export const INDEX_TITLE = 'index.json';
