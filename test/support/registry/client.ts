import type { LookupFunction } from 'node:net';
import type { Credentials, CredentialStore } from '../../../src/registry/auth/credentials.js';
import type { ImageRepository } from '../../../src/image/image-repository.js';
import type { Limits } from '../../../src/image/limits.js';
import { RegistryClient } from '../../../src/registry/client.js';
import { RETRY_POLICY } from '../../../src/registry/retry.js';
import type { Clock } from '../../../src/model/time/clock.js';
import { observed, type Exchange } from '../../../src/registry/transport/transport.js';
import {
  undiciTransport,
  type Certificates,
  type Timeouts,
} from '../../../src/registry/transport/undici-transport.js';
import { Registry, type RegistryOptions } from './registry.js';

/** A clock that never waits: sleeping moves it on. */
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

/** Runs `body` against a registry of its own and a client that does not wait. */
export async function withRegistry(
  options: RegistryOptions & {
    readonly limits?: Limits;
    /** Tries of each question; as many as the policy says unless told. */
    readonly tries?: number;
    readonly timeouts?: Partial<Timeouts>;
    readonly env?: Readonly<Record<string, string>>;
    readonly certificates?: Certificates;
    /** Finds addresses of names. */
    readonly lookup?: LookupFunction;
    /** Whether the client may fall back to plain HTTP; it may unless told. */
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
    transport: observed(transport.send, { exchange: (exchange) => trace.push(exchange) }),
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
