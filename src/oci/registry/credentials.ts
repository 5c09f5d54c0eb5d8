import { inspect } from 'node:util';

export type Credentials = Proof & {
  /** File or helper that provided the credentials; for messages. */
  readonly from?: string | undefined;
};

type Proof =
  | { readonly kind: 'basic'; readonly username: string; readonly password: Secret }
  /** Exchanged for a short-lived token at the token server. */
  | { readonly kind: 'identity'; readonly token: Secret }
  /** Sent unchanged. */
  | { readonly kind: 'bearer'; readonly token: Secret };

/** Looks up credentials. Called only after a registry has answered 401. */
export interface CredentialStore {
  find(host: string, path: string): Promise<Credentials | undefined>;
}

/** Returns a store that uses the first of several stores with credentials. */
export function combinedCredentials(stores: readonly CredentialStore[]): CredentialStore {
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

/** A value that is printed as `[redacted]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}
