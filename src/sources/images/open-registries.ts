import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { ImageConfig } from '../../crossplane/package-manager/image-config.js';
import { InputError } from '../../base/errors.js';
import type { PackageSource } from '../package-source.js';
import type { Reference } from '../../crossplane/packages/reference.js';
import { isPlainHttpAllowed } from '../../oci/registry/address-rules.js';
import type { Artifact, PushOptions } from '../../oci/image/artifact.js';
import {
  configCredentials,
  fileCredentials,
  credentialHelpers,
  parseDockerConfig,
} from '../../oci/registry/docker-credentials.js';
import { combinedCredentials } from '../../oci/registry/credentials.js';
import type { DiskCache } from '../../oci/store/disk-cache.js';
import type { ImageDestination, ImageRepository } from '../../oci/image/image-repository.js';
import { cachedRepository, offlineRepository } from '../../oci/store/cached-repository.js';
import { RegistryClient } from '../../oci/registry/client.js';
import { RegistryPusher } from '../../oci/registry/pusher.js';
import type { RemoteName } from '../../oci/registry/session.js';
import { limitedClock, realClock, type TimeBudget } from '../../base/time.js';
import {
  limitedTransport,
  type NetworkObserver,
  observedTransport,
} from '../../oci/registry/transport.js';
import { undiciTransport, type Certificates } from '../../oci/registry/undici-transport.js';
import { parsedPackages } from './fetch-image.js';
import { registrySource, type ImageRepositories } from './registry-source.js';

export interface RegistriesOptions {
  /** Environment with proxies, certificates and locations of credential files. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Maximum connections per host. */
  readonly connections: number;
  readonly observer?: NetworkObserver | undefined;
  /** Hosts for which plain HTTP is allowed: `HOST:PORT`, or `HOST` for all its ports. */
  readonly insecure?: ReadonlySet<string> | undefined;
  readonly imageConfigs?: readonly ImageConfig[] | undefined;
  /** Docker configs from pull secrets. Those with a name also serve ImageConfigs that name them. */
  readonly pullSecrets?: readonly GivenSecret[] | undefined;
  /** Download cache; with `offline`, registries are not contacted. */
  readonly cache?: DiskCache | undefined;
  /** Time limit for all requests together; if undefined, only each request is limited. */
  readonly budget?: TimeBudget | undefined;
  /** Called with a message if an ImageConfig points to a missing image. */
  readonly note?: ((line: string) => void) | undefined;
  /** Part of the cache key of parsed packages, because versions may parse them differently. */
  readonly toolVersion?: string | undefined;
}

export interface GivenSecret {
  readonly name: string | undefined;
  readonly dockerConfig: string;
  /** Path of the file; for messages. */
  readonly file: string;
}

/** Access to all registries, with shared connections and tokens. */
export interface Registries {
  /** Packages, from the location that their names or ImageConfigs define. */
  readonly packages: PackageSource;
  /** Returns the repository of a reference. ImageConfigs do not apply. */
  repository(reference: Reference): ImageRepository;
  /** Returns the repository of a reference, to copy images to. */
  destination(reference: Reference): ImageDestination;
  /** Stores an artifact under the tag of a reference. Returns false if `before` prevented that. */
  push(reference: Reference, artifact: Artifact, options?: PushOptions): Promise<boolean>;
}

/** Returns a source for all registries. Nothing is read or connected before the first request. */
export function openRegistries(options: RegistriesOptions): PackageSource {
  return connectRegistries(options).packages;
}

export function connectRegistries(options: RegistriesOptions): Registries {
  const { cache, insecure = new Set() } = options;
  const { byName, credentials } = credentialsIn(options);
  const { env, connections, budget, observer = {} } = options;
  const { send } = undiciTransport({ env, connections, certificates: () => certificatesIn(env) });
  const limited = budget === undefined ? send : limitedTransport(send, budget);
  const transport = observedTransport(limited, observer);
  const clock = budget === undefined ? realClock : limitedClock(realClock, budget);
  const online = new RegistryClient({ transport, clock });
  const client = cache === undefined ? online : cachedClient(online, cache, connections);
  const pusher = new RegistryPusher(online);
  const remoteName = ({ registry: host, path }: Reference): RemoteName => {
    const plainHttp = isPlainHttpAllowed(host, { dotLocal: false, insecure });
    return { host, path, plainHttp, credentials };
  };
  return {
    packages: registrySource({
      client,
      parsed: cache && parsedPackages(cache, options.toolVersion ?? ''),
      credentials,
      insecure,
      imageConfigs: options.imageConfigs,
      pullSecrets: byName,
      note: options.note,
    }),
    repository: (reference) => client.repository(remoteName(reference)),
    destination: (reference) => pusher.destination(remoteName(reference)),
    push: (reference, artifact, pushOptions) =>
      pusher.push(remoteName(reference), reference.identifier, artifact, pushOptions),
  };
}

function credentialsIn({ env, budget, pullSecrets = [] }: RegistriesOptions) {
  const askHelper = credentialHelpers(env, budget);
  const secrets = pullSecrets.map(({ name, dockerConfig, file }) => ({
    name,
    store: configCredentials(parseDockerConfig(dockerConfig, file), askHelper),
  }));
  const stores = [...secrets.map(({ store }) => store), fileCredentials(env, askHelper)];
  const namedStores = secrets.flatMap(({ name, store }) =>
    name === undefined ? [] : [[name, store] as const],
  );
  // The first of several secrets with one name wins.
  return { byName: new Map(namedStores.toReversed()), credentials: combinedCredentials(stores) };
}

function cachedClient(
  client: RegistryClient,
  cache: DiskCache,
  connections: number,
): ImageRepositories {
  // Prefetches may be useless, so half of the connections are reserved for other requests.
  const prefetchLimit = pLimit(Math.max(1, Math.floor(connections / 2)));
  return {
    repository: (name) => {
      if (cache.offline) return offlineRepository(`${name.host}/${name.path}`, cache);
      const cached = cachedRepository(client.repository(name), cache, realClock);
      const prefetchBlob: ImageRepository['prefetchBlob'] = async (digest, signal) => {
        if (prefetchLimit.activeCount + prefetchLimit.pendingCount < prefetchLimit.concurrency)
          await prefetchLimit(() => cached.prefetchBlob!(digest, signal));
      };
      return { ...cached, prefetchBlob };
    },
  };
}

async function certificatesIn(env: RegistriesOptions['env']): Promise<Certificates> {
  const replacement = await pemFileOf('SSL_CERT_FILE', env);
  return { only: replacement, extra: await pemFileOf('NODE_EXTRA_CA_CERTS', env) };
}

async function pemFileOf(
  variable: string,
  env: RegistriesOptions['env'],
): Promise<string | undefined> {
  const file = env[variable];
  if (file === undefined || file === '') return undefined;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new InputError(`${variable} names \`${file}\`, which cannot be read`, { cause: error });
  });
  if (hasCertificate(text)) return text;
  throw new InputError(`${variable} names \`${file}\`, which holds no certificate`, {
    hint: 'it must hold authorities in PEM, each between `BEGIN CERTIFICATE` and `END CERTIFICATE`',
  });
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Node accepts any text as authorities and then trusts no server, so it is checked here. */
function hasCertificate(text: string): boolean {
  return (text.match(PEM_CERTIFICATE) ?? []).some((pem) => {
    try {
      return new X509Certificate(pem).raw.length > 0;
    } catch {
      return false;
    }
  });
}
