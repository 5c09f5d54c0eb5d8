import { SourceError } from '../model/source-error.js';
import { Authenticator, type AuthScope } from './auth/authenticator.js';
import type { Credentials, CredentialStore } from './auth/credentials.js';
import { asSourceError, isCertificateError, unreachableIn } from './transport/network-failure.js';
import { HostUnreachable } from './transport/host-unreachable.js';
import { sendFollowingRedirects, type FinalResponse } from './redirect.js';
import {
  asTransient,
  isTransientStatus,
  retryAfterMs,
  retrying,
  RETRY_POLICY,
  TransientFailure,
  type RetryPolicy,
} from './retry.js';
import { realClock, type Clock } from '../model/time/clock.js';
import { OutOfTime } from '../model/time/out-of-time.js';
import { signInHint } from './auth/token.js';
import type { HttpRequest, HttpResponse, Transport } from './transport/transport.js';

/** A repository at a registry, and how to connect to it. */
export interface RemoteName {
  /** Port included. */
  readonly host: string;
  readonly path: string;
  /** Plain HTTP may be used if HTTPS does not answer. */
  readonly plainHttp: boolean;
  readonly credentials: CredentialStore;
}

export interface SessionOptions {
  readonly transport: Transport;
  readonly clock?: Clock | undefined;
  readonly retry?: RetryPolicy | undefined;
}

const CONDITIONAL_HEADERS = ['if-none-match', 'if-modified-since'];

/** Sends requests to registries: chooses HTTPS or HTTP, authenticates, follows redirects, retries. */
export class RegistrySession {
  readonly clock: Clock;
  readonly #transport: Transport;
  readonly #retry: RetryPolicy;
  readonly #authenticator: Authenticator;
  readonly #origins = new Map<string, Promise<URL>>();
  /** How HTTPS failed, by the plain-HTTP origin used instead. */
  readonly #fallbacks = new Map<string, HostUnreachable>();
  readonly #contacts = new Map<string, Promise<void>>();

  constructor(options: SessionOptions) {
    this.#transport = options.transport;
    this.clock = options.clock ?? realClock;
    this.#retry = options.retry ?? RETRY_POLICY;
    this.#authenticator = new Authenticator(this.#transport, {
      clock: this.clock,
      policy: this.#retry,
    });
  }

  /** The URL of `rest` below a repository: `manifests/v1.0.0`. */
  async url(name: RemoteName, rest: string): Promise<URL> {
    const subject = `${name.host}/${name.path}`;
    if (!URL.canParse(`https://${name.host}`)) {
      throw new SourceError('BAD_SOURCE', subject, `no registry can be at \`${name.host}\``);
    }
    const url = new URL(`/v2/${name.path}/${rest}`, await this.#origin(name));
    if (!url.href.endsWith(`/v2/${name.path}/${rest}`)) {
      throw new SourceError(
        'BAD_SOURCE',
        subject,
        'no registry can hold a repository of this name',
      );
    }
    return url;
  }

  /** The origin of a registry: HTTPS, or plain HTTP where that is allowed and HTTPS fails. */
  #origin(name: RemoteName): Promise<URL> {
    const key = `${name.plainHttp ? 'http' : 'https'}://${name.host}`;
    const known = this.#origins.get(key) ?? this.#probe(name);
    this.#origins.set(key, known);
    return known;
  }

  async #probe({ host, plainHttp }: RemoteName): Promise<URL> {
    const secure = new URL(`https://${host}`);
    if (!plainHttp) return secure;
    try {
      const ping = new URL('/v2/', secure);
      await (await this.#transport({ method: 'GET', url: ping, headers: {} })).discard();
      return secure;
    } catch (error) {
      if (!(error instanceof HostUnreachable)) throw error;
      // A port that answered with a certificate speaks TLS: plain HTTP would only leak a password.
      if (isCertificateError(error.code) && secure.port !== '') return secure;
      const plain = new URL(`http://${host}`);
      this.#fallbacks.set(plain.origin, error);
      return plain;
    }
  }

  /** Retries transient failures as the policy says; throws the last one as a `SourceError`. */
  async retried<T>(subject: string, attempt: () => Promise<T>): Promise<T> {
    try {
      return await retrying(
        async () => {
          try {
            return await attempt();
          } catch (error) {
            throw asTransient(error);
          }
        },
        this.clock,
        this.#retry,
      );
    } catch (error) {
      if (error instanceof OutOfTime) throw error.about(subject);
      const failed = unreachableIn(error)?.request.url.origin;
      const before = failed === undefined ? undefined : this.#fallbacks.get(failed);
      throw asSourceError(error, subject, before);
    }
  }

  /**
   * Sends a GET. Returns a 200, 206 or 404, a 304 to a conditional request and a 416 to a range;
   * throws for any other status.
   */
  async get(
    name: RemoteName,
    url: URL,
    headers: Readonly<Record<string, string>>,
    subject: string,
    signal?: AbortSignal,
  ): Promise<FinalResponse> {
    const scope = scopeOf(name, url, 'pull');
    const landed = await this.#authorized(
      scope,
      { method: 'GET', url, headers, signal },
      (request) => sendFollowingRedirects(this.#transport, request, subject),
    );
    const { status } = landed.response;
    if (status === 200 || status === 206 || status === 404) return landed;
    if (status === 416 && 'range' in headers) return landed;
    if (status === 304 && CONDITIONAL_HEADERS.some((condition) => condition in headers))
      return landed;
    await landed.response.discard();
    throw await this.#refusal(landed, scope, subject);
  }

  /** Whether a registry has something; where it would send a reader elsewhere for it, it has it. */
  async has(name: RemoteName, url: URL, subject: string): Promise<boolean> {
    const landed = await this.#head(name, url, {});
    const { status } = landed.response;
    if (status === 404) return false;
    if (status >= 200 && status < 400) return true;
    throw await this.#refusal(landed, scopeOf(name, url, 'pull'), subject);
  }

  /** Sends a HEAD, and returns whatever the answer is; redirects are not followed. */
  async head(
    name: RemoteName,
    url: URL,
    headers: Readonly<Record<string, string>>,
  ): Promise<HttpResponse> {
    return (await this.#head(name, url, headers)).response;
  }

  async #head(
    name: RemoteName,
    url: URL,
    headers: Readonly<Record<string, string>>,
  ): Promise<FinalResponse> {
    const landed = await this.#authorized(
      scopeOf(name, url, 'pull'),
      { method: 'HEAD', url, headers },
      async (request) => ({ response: await this.#transport(request), url: request.url }),
    );
    await landed.response.discard();
    return landed;
  }

  /** Sends a request that changes a repository. Redirects are not followed: no other host gets it. */
  async send(name: RemoteName, request: HttpRequest, subject: string): Promise<HttpResponse> {
    const scope = scopeOf(name, request.url, 'pull,push');
    const landed = await this.#authorized(scope, request, async (sent) => ({
      response: await this.#transport(sent),
      url: sent.url,
    }));
    const { response } = landed;
    if (response.status >= 200 && response.status < 300) return response;
    await response.discard();
    throw await this.#refusal(landed, scope, subject);
  }

  /** Lets the first request to a registry go alone, until it is known how to authenticate. */
  async #afterFirstContact<T>(registry: URL, send: (met: () => void) => Promise<T>): Promise<T> {
    const contact = this.#contacts.get(registry.origin);
    if (contact !== undefined) {
      await contact;
      return send(() => {});
    }
    let meet: (() => void) | undefined;
    this.#contacts.set(registry.origin, new Promise<void>((resolve) => (meet = resolve)));
    try {
      return await send(() => meet?.());
    } finally {
      meet?.();
    }
  }

  async #authorized(
    scope: AuthScope,
    request: HttpRequest,
    deliver: (request: HttpRequest) => Promise<FinalResponse>,
  ): Promise<FinalResponse> {
    const { url, headers } = request;
    const send = (authorization: string | undefined) =>
      deliver(
        authorization === undefined
          ? request
          : { ...request, headers: { ...headers, authorization } },
      );
    return this.#afterFirstContact(scope.registry, async (met) => {
      const before = await this.#authenticator.header(scope);
      const first = await send(before);
      // Only the registry itself may ask for credentials, not a host it redirects to.
      if (first.response.status !== 401 || first.url.origin !== url.origin) return first;
      await first.response.discard();
      const challenge = first.response.header('www-authenticate');
      const answer = this.#authenticator.answer(scope, challenge, before);
      // The challenge is noted by now: others may ask for tokens of their own.
      met();
      const better = await answer;
      return better === undefined ? first : send(better);
    });
  }

  async #refusal(
    { response, url }: FinalResponse,
    scope: AuthScope,
    subject: string,
  ): Promise<Error> {
    const { status } = response;
    if (status === 401 || status === 403) {
      const own = url.origin === scope.registry.origin;
      const proven = own ? await this.#authenticator.credentialsSent(scope) : undefined;
      return new SourceError('UNAUTHORIZED', subject, `the registry refuses access (${status})`, {
        hint: `${accessHint(proven)}; many registries answer like this for a repository that does not exist, too`,
      });
    }
    if (isTransientStatus(status)) {
      return new TransientFailure(`the registry answered ${status}`, {
        retryAfterMs: retryAfterMs(response, this.clock, this.#retry),
      });
    }
    return new SourceError('UNREACHABLE', subject, `the registry answered ${status}`);
  }
}

function scopeOf(name: RemoteName, url: URL, actions: AuthScope['actions']): AuthScope {
  const { host, path, credentials } = name;
  return { registry: new URL(url.origin), host, path, actions, credentials };
}

function accessHint(proven: Credentials | 'anonymous' | undefined): string {
  return proven === undefined
    ? 'sign in (`docker login`, `crane auth login`) or give a pull secret'
    : signInHint(proven === 'anonymous' ? undefined : proven);
}
