import type { Secret } from './secret.js';

/** Credentials for a registry. */
export type Credentials = Proof & {
  /** File or helper they were found in; for messages. */
  readonly from?: string | undefined;
};

type Proof =
  | { readonly kind: 'basic'; readonly username: string; readonly password: Secret }
  /** Exchanged for a short-lived token at the registry's token server. */
  | { readonly kind: 'identity'; readonly token: Secret }
  /** Sent as it is. */
  | { readonly kind: 'bearer'; readonly token: Secret };

/** Looks credentials up, only after a registry has answered 401. */
export interface CredentialStore {
  find(host: string, path: string): Promise<Credentials | undefined>;
}

/** The credentials of the first store that has any. */
export function firstOf(stores: readonly CredentialStore[]): CredentialStore {
  return {
    find: async (host, path) => {
      for (const store of stores) {
        const found = await store.find(host, path);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

export function basicAuthorization(username: string, password: Secret): string {
  return `Basic ${Buffer.from(`${username}:${password.reveal()}`, 'utf8').toString('base64')}`;
}
