import { SourceError } from '../../model/source-error.js';
import { shownUrl } from '../transport/transport.js';

interface Named {
  readonly registry: URL;
  readonly path: string;
}

/**
 * The token servers that registries named first.
 *
 * A registry that names another one later, in the middle of a run, may have been taken over; no
 * credentials go there. Repositories may differ in the path of theirs, which some registries build
 * from the name of the repository, and not in its host.
 */
export class FirstRealms {
  readonly #byRegistry = new Map<string, URL>();
  readonly #byRepository = new Map<string, URL>();

  /** Throws if the registry has named another realm before. */
  check({ registry, path }: Named, realm: URL): void {
    const first = remembered(this.#byRegistry, registry.origin, realm);
    const own = remembered(this.#byRepository, `${registry.origin}/${path}`, realm);
    if (first.origin !== realm.origin) throw changed(registry, first, realm);
    if (own.href !== realm.href) throw changed(registry, own, realm);
  }
}

function remembered(realms: Map<string, URL>, key: string, realm: URL): URL {
  const first = realms.get(key) ?? realm;
  realms.set(key, first);
  return first;
}

function changed(registry: URL, first: URL, realm: URL): SourceError {
  return new SourceError(
    'UNAUTHORIZED',
    registry.host,
    `the registry now sends to the token server \`${shownUrl(realm)}\`, and to \`${shownUrl(first)}\` before, which is refused`,
    {
      hint: 'no credential was sent to the new one; run again if the registry has just been moved, and ask its owner otherwise',
    },
  );
}
