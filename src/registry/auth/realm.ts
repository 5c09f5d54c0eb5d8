import { printable } from '../../text/printable.js';
import { SourceError } from '../../model/source-error.js';
import { addressClass } from '../transport/address-class.js';
import { shownUrl } from '../transport/transport.js';

/**
 * The URL of the token server that a registry names; throws if it is not allowed.
 *
 * The registry decides where credentials are sent, so the URL is checked before they are looked up:
 * no downgrade to plain HTTP, no user in the URL, and no private address, such as that of a metadata
 * service, unless the registry has an address of the same class.
 */
export function checkedRealm(realm: string, registry: URL): URL {
  const refuse = (why: string) =>
    new SourceError(
      'UNAUTHORIZED',
      registry.host,
      `the registry sends to the token server \`${shownRealm(realm)}\`, which is refused: ${why}`,
      { hint: 'no credential was sent; if this registry is yours, correct its token realm' },
    );
  if (!URL.canParse(realm)) throw refuse('it is not a URL');
  const url = new URL(realm);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && registry.protocol === 'http:')) {
    throw refuse('it is not https');
  }
  if (url.username !== '' || url.password !== '') throw refuse('it names a user');
  const inside = addressClass(url.hostname);
  if (inside !== 'public' && inside !== addressClass(registry.hostname)) {
    throw refuse(`it is a ${inside} address and the registry is not`);
  }
  return url;
}

function shownRealm(realm: string): string {
  return URL.canParse(realm) ? shownUrl(new URL(realm)) : printable(realm);
}
