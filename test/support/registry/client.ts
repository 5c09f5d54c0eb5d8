import type { LookupFunction } from 'node:net';
import type { Credentials, CredentialStore } from '../../../src/oci/registry/credentials.js';
import type { ImageRepository } from '../../../src/oci/image/image-repository.js';
import type { Limits } from '../../../src/oci/image/limits.js';
import { RegistryClient } from '../../../src/oci/registry/client.js';
import { RETRY_POLICY } from '../../../src/oci/registry/retry.js';
import type { Clock } from '../../../src/base/time.js';
import { observedTransport, type Exchange } from '../../../src/oci/registry/transport.js';
import {
  undiciTransport,
  type Certificates,
  type Timeouts,
} from '../../../src/oci/registry/undici-transport.js';
import { Registry, type RegistryOptions } from './registry.js';

/** A clock that never waits: sleeping advances it. */
export class TestClock implements Clock {
  readonly slept: number[] = [];
  #now = 1_000_000;

  now(): number {
    return this.#now;
  }

  async sleep(milliseconds: number): Promise<void> {
    this.slept.push(milliseconds);
    this.#now += milliseconds;
  }

  random(): number {
    return 0.5;
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

export function storeOf(credentials: Credentials | undefined): CredentialStore {
  return { find: async () => credentials };
}

export const anonymous = storeOf(undefined);

export interface Bench {
  readonly registry: Registry;
  readonly clock: TestClock;
  readonly trace: Exchange[];
  readonly client: RegistryClient;
  readonly repository: (path: string, credentials?: CredentialStore) => ImageRepository;
}

/** Runs `body` with its own registry and a client that does not wait. */
export async function withRegistry(
  options: RegistryOptions & {
    readonly limits?: Limits;
    /** Number of attempts for each request; the default is that of the policy. */
    readonly tries?: number;
    readonly timeouts?: Partial<Timeouts>;
    readonly env?: Readonly<Record<string, string>>;
    readonly certificates?: Certificates;
    /** Resolves host names. */
    readonly lookup?: LookupFunction;
    /** Whether the client may fall back to plain HTTP; true by default. */
    readonly plainHttp?: boolean;
  },
  body: (bench: Bench) => Promise<void>,
): Promise<void> {
  const registry = await new Registry(options).start();
  const clock = new TestClock();
  const trace: Exchange[] = [];
  const transport = undiciTransport({
    env: options.env ?? {},
    connections: 4,
    timeouts: options.timeouts,
    certificates: async () => options.certificates ?? {},
    lookup: options.lookup,
  });
  const client = new RegistryClient({
    transport: observedTransport(transport.send, { exchange: (exchange) => trace.push(exchange) }),
    clock,
    limits: options.limits,
    retry: { ...RETRY_POLICY, maxTries: options.tries ?? RETRY_POLICY.maxTries },
  });
  try {
    await body({
      registry,
      clock,
      trace,
      client,
      repository: (path, credentials = anonymous) =>
        client.repository({
          host: registry.host,
          path,
          plainHttp: options.plainHttp ?? true,
          credentials,
        }),
    });
  } finally {
    await transport.close();
    await registry.stop();
  }
}
