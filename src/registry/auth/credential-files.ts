import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, isAbsent } from '../../files/error-code.js';
import { InputError } from '../../model/input-error.js';
import type { AskHelper } from './credential-helper.js';
import type { CredentialStore } from './credentials.js';
import { entryFor, helperServer, parseDockerConfig, type DockerConfig } from './docker-config.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Files in which docker, podman and others keep credentials, in the order of look-up. */
export function credentialFiles(env: Env): readonly string[] {
  const home = env['HOME'] ?? env['USERPROFILE'];
  const docker = env['DOCKER_CONFIG'] || (home === undefined ? undefined : join(home, '.docker'));
  const config = env['XDG_CONFIG_HOME'] || (home === undefined ? undefined : join(home, '.config'));
  return [
    ...new Set([
      ...below(docker, 'config.json'),
      ...below(env['REGISTRY_AUTH_FILE']),
      ...below(env['XDG_RUNTIME_DIR'], 'containers', 'auth.json'),
      ...below(config, 'containers', 'auth.json'),
      ...below(home, '.docker', 'config.json'),
      ...below(home, '.dockercfg'),
    ]),
  ];
}

function below(folder: string | undefined, ...path: readonly string[]): readonly string[] {
  return folder === undefined || folder === '' ? [] : [join(folder, ...path)];
}

/** Credentials from the files of `credentialFiles`; each is read once, when first needed. */
export function fileCredentials(env: Env, askHelper: AskHelper): CredentialStore {
  let loading: Promise<readonly CredentialStore[]> | undefined;
  return {
    find: async (host, path) => {
      loading ??= Promise.all(
        credentialFiles(env).map(async (file) =>
          configCredentials(await configIn(file), askHelper),
        ),
      );
      for (const store of await loading) {
        const found = await store.find(host, path);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** Credentials from one config: the helper of the registry, else `credsStore`, else an entry. */
export function configCredentials(
  config: DockerConfig | undefined,
  askHelper: AskHelper,
): CredentialStore {
  return {
    find: async (host, path) => {
      if (config === undefined) return undefined;
      const helper = entryFor(config.credHelpers, host, path) ?? config.credsStore;
      if (helper !== undefined) {
        const found = await askHelper(helper, helperServer(host));
        if (found !== undefined) return { ...found, from: `docker-credential-${helper}` };
      }
      const entry = entryFor(config.auths, host, path);
      return entry && { ...entry, from: config.file };
    },
  };
}

async function configIn(file: string): Promise<DockerConfig | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw new InputError(`cannot be read (${codeOf(error)})`, { origin: { file }, cause: error });
  }
  return text.trim() === '' ? undefined : parseDockerConfig(text, file);
}
