import { printable } from '../../text/printable.js';
import { SourceError } from '../../model/source-error.js';
import { addressClass } from '../address-class.js';
import { shownUrl } from '../transport.js';

/**
 * The token server a registry points to, if it may be asked.
 *
 * A registry chooses where credentials go, so the place is checked before any are looked up: no
 * downgrade to plain HTTP, no user in the URL, and no address inside the network (a metadata
 * service, say) unless the registry itself stands there.
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
