import { readFile } from 'node:fs/promises';
import type { ImageConfig } from '../model/image-config.js';
import { InputError } from '../model/input-error.js';
import type { PackageSource } from '../model/package-source.js';
import { configCredentials, fileCredentials } from '../oci/credential-files.js';
import { firstOf, type CredentialStore } from '../oci/credentials.js';
import { parseDockerConfig } from '../oci/docker-config.js';
import { RegistryClient } from '../oci/registry-client.js';
import { observed, type NetworkObserver } from '../oci/transport.js';
import { undiciTransport, type Certificates } from '../oci/undici-transport.js';
import { registrySource } from './registry-source.js';

export interface RegistriesOptions {
  /** Proxies, certificates and the places of credential files are read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Connections kept to one host. */
  readonly connections: number;
  readonly observer?: NetworkObserver | undefined;
  /** Hosts, with their port, that may speak plain HTTP. */
  readonly insecure?: ReadonlySet<string> | undefined;
  readonly imageConfigs?: readonly ImageConfig[] | undefined;
  /** Docker configs from pull secrets; those with a name serve ImageConfigs that name them, too. */
  readonly pullSecrets?: readonly GivenSecret[] | undefined;
}

export interface GivenSecret {
  readonly name: string | undefined;
  readonly dockerConfig: string;
  /** Where it was read; for messages. */
  readonly file: string;
}

/** The network as a source. Nothing is read or opened before the first question. */
export function openRegistries(options: RegistriesOptions): PackageSource {
  const { env, connections, observer } = options;
  const transport = undiciTransport({ env, connections, certificates: () => certificatesIn(env) });
  const client = new RegistryClient({ transport: observed(transport.send, observer ?? {}) });
  const secrets = (options.pullSecrets ?? []).map(({ name, dockerConfig, file }) => ({
    name,
    store: configCredentials(parseDockerConfig(dockerConfig, file), env),
  }));
  return registrySource({
    client,
    credentials: firstOf([...secrets.map(({ store }) => store), fileCredentials(env)]),
    insecure: options.insecure,
    imageConfigs: options.imageConfigs,
    pullSecrets: byName(secrets),
  });
}

function byName(
  secrets: readonly { readonly name: string | undefined; readonly store: CredentialStore }[],
): ReadonlyMap<string, CredentialStore> {
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
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new InputError(`${variable} names \`${file}\`, which cannot be read`, { cause: error });
  }
}
