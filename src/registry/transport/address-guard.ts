import type { LookupFunction } from 'node:net';
import { addressClass } from './address-class.js';
import type { Referrer } from './transport.js';

/** A host that may not be asked, because of the address that it has or is. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
  readonly code = 'ERR_REFUSED_ADDRESS';

  constructor(address: string) {
    const kind = addressClass(address);
    super(`its address \`${address}\` is ${kind}, and that of the registry is not`);
  }
}

/** What a host that a registry refers to may be. */
export interface AddressRule {
  readonly as: Referrer['as'];
  /** The class of the address at which the registry itself was reached. */
  readonly registry: ReturnType<typeof addressClass>;
}

/**
 * Whether a host may be asked at an address, or be asked by that address.
 *
 * A registry on the Internet has no business with the network of this machine: its metadata service
 * gives away credentials, and others may trust whatever comes from inside. One exception: a redirect
 * to a name in a private network, for storage of clouds has private endpoints under public names.
 */
export function mayAsk(address: string, { as, registry }: AddressRule, byName: boolean): boolean {
  const kind = addressClass(address);
  if (kind === 'public' || kind === registry) return true;
  return as === 'redirect' && kind === 'private' && byName;
}

/**
 * Looks names up, and passes on only the addresses that may be asked. The connection is made to
 * what it returns, so a name that resolves differently the next time gains nothing.
 */
export function guardedLookup(lookup: LookupFunction, rule: AddressRule): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      // With `all`, as asked for, it is a list.
      const all = Array.isArray(found) ? found : [];
      const allowed = all.filter(({ address }) => mayAsk(address, rule, true));
      const [first] = allowed;
      if (first === undefined) return callback(new RefusedAddress(all[0]?.address ?? hostname), '');
      if (options.all === true) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
  };
}
