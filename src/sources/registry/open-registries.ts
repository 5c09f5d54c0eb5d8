import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pLimit from 'p-limit';
import type { ImageConfig } from '../../model/cluster/image-config.js';
import { InputError } from '../../model/input-error.js';
import type { PackageSource } from '../../model/package-source.js';
import type { Reference } from '../../model/reference.js';
import { mayBePlainHttp } from '../../registry/transport/address-class.js';
import type { Artifact, PushOptions } from '../../image/artifact.js';
import { configCredentials, fileCredentials } from '../../registry/auth/credential-files.js';
import { installedHelpers } from '../../registry/auth/credential-helper.js';
import { firstOf, type CredentialStore } from '../../registry/auth/credentials.js';
import { parseDockerConfig } from '../../registry/auth/docker-config.js';
import type { DiskCache } from '../../store/disk-cache.js';
import type { ImageDestination } from '../../image/image-destination.js';
import type { ImageRepository } from '../../image/image-repository.js';
import { cachedRepository, offlineRepository } from '../../store/cached-repository.js';
import { RegistryClient } from '../../registry/client.js';
import { RegistryPusher } from '../../registry/pusher.js';
import type { RemoteName } from '../../registry/session.js';
import { realClock } from '../../model/time/clock.js';
import { limitedClock, type TimeBudget } from '../../model/time/time-budget.js';
import { limitedTransport } from '../../registry/transport/limited-transport.js';
import {
  observed,
  type NetworkObserver,
  type Transport,
} from '../../registry/transport/transport.js';
import { undiciTransport, type Certificates } from '../../registry/transport/undici-transport.js';
import { parsedPackages } from '../image/parsed-packages.js';
import { registrySource, type ImageRepositories } from './registry-source.js';

export interface RegistriesOptions {
  /** Proxies, certificates and the places of credential files are read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Connections kept to one host. */
  readonly connections: number;
  readonly observer?: NetworkObserver | undefined;
  /** Hosts that may speak plain HTTP: `HOST:PORT`, or `HOST` for all its ports. */
  readonly insecure?: ReadonlySet<string> | undefined;
  readonly imageConfigs?: readonly ImageConfig[] | undefined;
  /** Docker configs from pull secrets; those with a name serve ImageConfigs that name them, too. */
  readonly pullSecrets?: readonly GivenSecret[] | undefined;
  /** Keeps downloads; with `offline` it is the only one asked. */
  readonly cache?: DiskCache | undefined;
  /** The time for all requests together; undefined: only each request is limited. */
  readonly budget?: TimeBudget | undefined;
  /** Called with a line where an ImageConfig points to a missing image. */
  readonly note?: ((line: string) => void) | undefined;
  /** Part of the key of parsed packages: another version may parse them differently. */
  readonly toolVersion?: string | undefined;
}

export interface GivenSecret {
  readonly name: string | undefined;
  readonly dockerConfig: string;
  /** Where it was read; for messages. */
  readonly file: string;
}

/** All registries; everything shares connections and tokens. */
export interface Registries {
  /** Packages, from where their names or ImageConfigs point. */
  readonly packages: PackageSource;
  /** The repository that a reference names; ImageConfigs do not apply, for they are about packages. */
  repository(reference: Reference): ImageRepository;
  /** The repository that a reference names, to copy images to. */
  destination(reference: Reference): ImageDestination;
  /** Stores an artifact under the tag of a reference; false: `before` kept it from the tag. */
  push(reference: Reference, artifact: Artifact, options?: PushOptions): Promise<boolean>;
}

/** All registries as a source. Nothing is read or connected before the first request. */
export function openRegistries(options: RegistriesOptions): PackageSource {
  return connectRegistries(options).packages;
}

export function connectRegistries(options: RegistriesOptions): Registries {
  const { cache, insecure = new Set() } = options;
  const { secrets, credentials } = credentialsIn(options);
  const transport = transportFor(options);
  const clock = options.budget === undefined ? realClock : limitedClock(realClock, options.budget);
  const online = new RegistryClient({ transport, clock });
  const client = cache === undefined ? online : throughCache(online, cache, options.connections);
  const pusher = new RegistryPusher({ transport, clock });
  const named = ({ registry: host, path }: Reference): RemoteName => {
    const plainHttp = mayBePlainHttp(host, { dotLocal: false, insecure });
    return { host, path, plainHttp, credentials };
  };
  return {
    packages: registrySource({
      client,
      parsed: cache && parsedPackages(cache, options.toolVersion ?? ''),
      credentials,
      insecure,
      imageConfigs: options.imageConfigs,
      pullSecrets: byName(secrets),
      note: options.note,
    }),
    repository: (reference) => client.repository(named(reference)),
    destination: (reference) => pusher.destination(named(reference)),
    push: (reference, artifact, given) =>
      pusher.push(named(reference), reference.identifier, artifact, given),
  };
}

function transportFor({ env, connections, observer, budget }: RegistriesOptions): Transport {
  const { send } = undiciTransport({ env, connections, certificates: () => certificatesIn(env) });
  return observed(budget === undefined ? send : limitedTransport(send, budget), observer ?? {});
}

interface NamedStore {
  readonly name: string | undefined;
  readonly store: CredentialStore;
}

function credentialsIn({ env, budget, pullSecrets = [] }: RegistriesOptions): {
  readonly secrets: readonly NamedStore[];
  readonly credentials: CredentialStore;
} {
  const askHelper = installedHelpers(env, budget);
  const secrets = pullSecrets.map(({ name, dockerConfig, file }) => ({
    name,
    store: configCredentials(parseDockerConfig(dockerConfig, file), askHelper),
  }));
  const credentials = firstOf([
    ...secrets.map(({ store }) => store),
    fileCredentials(env, askHelper),
  ]);
  return { secrets, credentials };
}

function throughCache(
  client: RegistryClient,
  cache: DiskCache,
  connections: number,
): ImageRepositories {
  // Of what is asked ahead some may not be needed: half the connections are left for what is.
  const ahead = pLimit(Math.max(1, Math.floor(connections / 2)));
  return {
    repository: (name) => {
      if (cache.offline) return offlineRepository(`${name.host}/${name.path}`, cache);
      const kept = cachedRepository(client.repository(name), cache, realClock);
      const keepAhead: ImageRepository['keepAhead'] = async (digest, signal) => {
        if (ahead.activeCount + ahead.pendingCount < ahead.concurrency)
          await ahead(() => kept.keepAhead!(digest, signal));
      };
      return { ...kept, keepAhead };
    },
  };
}

function byName(secrets: readonly NamedStore[]): ReadonlyMap<string, CredentialStore> {
  const named = new Map<string, CredentialStore>();
  for (const { name, store } of secrets) {
    if (name !== undefined && !named.has(name)) named.set(name, store);
  }
  return named;
}

async function certificatesIn(env: RegistriesOptions['env']): Promise<Certificates> {
  return {
    only: await pemIn('SSL_CERT_FILE', env),
    extra: await pemIn('NODE_EXTRA_CA_CERTS', env),
  };
}

async function pemIn(variable: string, env: RegistriesOptions['env']): Promise<string | undefined> {
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

/** Node accepts any text as authorities and then trusts no server, so the text is checked here. */
function hasCertificate(text: string): boolean {
  return (text.match(PEM_CERTIFICATE) ?? []).some((pem) => {
    try {
      return new X509Certificate(pem).raw.length > 0;
    } catch {
      return false;
    }
  });
}
