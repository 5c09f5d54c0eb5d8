import { Authenticator, type AuthScope, signInHint } from './authenticator.js';
import type { CredentialStore } from './credentials.js';
import {
  asSourceError,
  isCertificateError,
  unreachableCause,
  HostUnreachableError,
  isTransientStatus,
  RETRY_POLICY,
  retryAfterMs,
  withRetries,
  type RetryPolicy,
  TransientError,
} from './retry.js';
import { type HttpRequest, type HttpResponse, shownUrl, type Transport } from './transport.js';
import { getOrCreate } from '../../base/collections.js';
import { SourceError } from '../../base/errors.js';
import { type Clock, OutOfTime, realClock } from '../../base/time.js';

/** A repository at a registry, and how to connect to it. */
export interface RemoteName {
  /** With port. */
  readonly host: string;
  readonly path: string;
  /** Whether plain HTTP is allowed if HTTPS fails. */
  readonly plainHttp: boolean;
  readonly credentials: CredentialStore;
}

export interface SessionOptions {
  readonly transport: Transport;
  readonly clock?: Clock | undefined;
  readonly retry?: RetryPolicy | undefined;
}

const CONDITIONAL_HEADERS = ['if-none-match', 'if-modified-since'];

/** Sends requests to registries: picks HTTPS or HTTP, authenticates, follows redirects, retries. */
export class RegistrySession {
  readonly clock: Clock;
  readonly #transport: Transport;
  readonly #retry: RetryPolicy;
  readonly #authenticator: Authenticator;
  readonly #origins = new Map<string, Promise<URL>>();
  /** HTTPS failures, by the plain-HTTP origin used instead. */
  readonly #fallbacks = new Map<string, HostUnreachableError>();
  readonly #firstContacts = new Map<string, Promise<void>>();

  constructor(options: SessionOptions) {
    this.#transport = options.transport;
    this.clock = options.clock ?? realClock;
    this.#retry = options.retry ?? RETRY_POLICY;
    const timing = { clock: this.clock, policy: this.#retry };
    this.#authenticator = new Authenticator(this.#transport, timing);
  }

  /** Returns the URL of a path such as `manifests/v1.0.0` in a repository. */
  async url(name: RemoteName, rest: string): Promise<URL> {
    const subject = `${name.host}/${name.path}`;
    if (!URL.canParse(`https://${name.host}`)) {
      throw new SourceError('BAD_SOURCE', subject, `no registry can be at \`${name.host}\``);
    }
    const key = `${name.plainHttp ? 'http' : 'https'}://${name.host}`;
    const origin = await getOrCreate(this.#origins, key, () => this.#probe(name));
    const url = new URL(`/v2/${name.path}/${rest}`, origin);
    if (!url.href.endsWith(`/v2/${name.path}/${rest}`)) {
      throw new SourceError(
        'BAD_SOURCE',
        subject,
        'no registry can hold a repository of this name',
      );
    }
    return url;
  }

  /** Returns the origin of a registry: HTTPS, or plain HTTP if that is allowed and HTTPS fails. */
  async #probe({ host, plainHttp }: RemoteName): Promise<URL> {
    const httpsUrl = new URL(`https://${host}`);
    if (!plainHttp) return httpsUrl;
    try {
      const ping = new URL('/v2/', httpsUrl);
      await (await this.#transport({ method: 'GET', url: ping, headers: {} })).discard();
      return httpsUrl;
    } catch (error) {
      if (!(error instanceof HostUnreachableError)) throw error;
      // A port that answered with a certificate uses TLS: plain HTTP would only leak a password.
      if (isCertificateError(error.code) && httpsUrl.port !== '') return httpsUrl;
      const plain = new URL(`http://${host}`);
      this.#fallbacks.set(plain.origin, error);
      return plain;
    }
  }

  /** Retries transient failures by the policy. Throws the last failure as a `SourceError`. */
  async retried<T>(subject: string, attempt: () => Promise<T>): Promise<T> {
    try {
      return await withRetries(attempt, this.clock, this.#retry);
    } catch (error) {
      if (error instanceof OutOfTime) throw error.about(subject);
      const failedOrigin = unreachableCause(error)?.request.url.origin;
      const before = failedOrigin === undefined ? undefined : this.#fallbacks.get(failedOrigin);
      throw asSourceError(error, subject, before);
    }
  }

  /** Sends a GET. Throws for statuses that the caller does not expect. */
  async get(
    name: RemoteName,
    url: URL,
    headers: Readonly<Record<string, string>>,
    subject: string,
    signal?: AbortSignal,
  ): Promise<FinalResponse> {
    const scope = scopeOf(name, url, 'pull');
    const sent = { method: 'GET', url, headers, signal } as const;
    const result = await this.#authorized(scope, sent, (request) =>
      sendFollowingRedirects(this.#transport, request, subject),
    );
    const { status } = result.response;
    if (
      [200, 206, 404].includes(status) ||
      (status === 416 && 'range' in headers) ||
      (status === 304 && CONDITIONAL_HEADERS.some((condition) => condition in headers))
    ) {
      return result;
    }
    await result.response.discard();
    throw await this.#responseError(result, scope, subject);
  }

  /** Whether a registry has a blob or manifest. A redirect means that it does. */
  async has(name: RemoteName, url: URL, subject: string): Promise<boolean> {
    const result = await this.head(name, url, {});
    const { status } = result.response;
    if (status === 404) return false;
    if (status >= 200 && status < 400) return true;
    throw await this.#responseError(result, scopeOf(name, url, 'pull'), subject);
  }

  /** Sends a HEAD without following redirects. Returns the response, whatever its status. */
  async head(
    name: RemoteName,
    url: URL,
    headers: Readonly<Record<string, string>>,
  ): Promise<FinalResponse> {
    const request = { method: 'HEAD', url, headers } as const;
    const result = await this.#authorized(scopeOf(name, url, 'pull'), request);
    await result.response.discard();
    return result;
  }

  /** Sends a write request. Redirects are not followed, so that no other host receives it. */
  async send(name: RemoteName, request: HttpRequest, subject: string): Promise<HttpResponse> {
    const scope = scopeOf(name, request.url, 'pull,push');
    const result = await this.#authorized(scope, request);
    const { response } = result;
    if (response.status >= 200 && response.status < 300) return response;
    await response.discard();
    throw await this.#responseError(result, scope, subject);
  }

  /** Concurrent requests wait until the first one to a registry knows how to authenticate. */
  async #authorized(
    scope: AuthScope,
    request: HttpRequest,
    deliver = async (sent: HttpRequest): Promise<FinalResponse> => ({
      response: await this.#transport(sent),
      url: sent.url,
    }),
  ): Promise<FinalResponse> {
    const { url, headers } = request;
    const send = (authorization: string | undefined) =>
      deliver({ ...request, headers: authorization ? { ...headers, authorization } : headers });
    const { origin } = scope.registry;
    const firstContact = this.#firstContacts.get(origin);
    let markReady: (() => void) | undefined;
    if (firstContact === undefined) {
      this.#firstContacts.set(origin, new Promise<void>((resolve) => (markReady = resolve)));
    }
    await firstContact;
    try {
      const before = await this.#authenticator.header(scope);
      const first = await send(before);
      // Only the registry may request credentials, not a host that it redirects to.
      if (first.response.status !== 401 || first.url.origin !== url.origin) return first;
      await first.response.discard();
      const challenge = first.response.header('www-authenticate');
      const answer = this.#authenticator.headerForRetry(scope, challenge, before);
      // The challenge is stored now, so other requests can fetch their own tokens.
      markReady?.();
      const retryHeader = await answer;
      return retryHeader === undefined ? first : await send(retryHeader);
    } finally {
      markReady?.();
    }
  }

  async #responseError(
    { response, url }: FinalResponse,
    scope: AuthScope,
    subject: string,
  ): Promise<Error> {
    const { status } = response;
    if (status === 401 || status === 403) {
      const own = url.origin === scope.registry.origin;
      const credentials = own ? await this.#authenticator.credentialsSent(scope) : undefined;
      const advice =
        credentials === undefined
          ? 'sign in (`docker login`, `crane auth login`) or give a pull secret'
          : signInHint(credentials === 'anonymous' ? undefined : credentials);
      return new SourceError('UNAUTHORIZED', subject, `the registry refuses access (${status})`, {
        hint: `${advice}; many registries answer like this for a repository that does not exist, too`,
      });
    }
    if (isTransientStatus(status)) {
      return new TransientError(`the registry answered ${status}`, {
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

const MAX_REDIRECTS = 5;
const REDIRECT_STATUS = new Set([301, 302, 303, 307, 308]);
/** Headers that must not be sent to another origin. */
const ORIGIN_BOUND = ['authorization', 'cookie', 'proxy-authorization'];

interface FinalResponse {
  readonly response: HttpResponse;
  /** The URL after all redirects. */
  readonly url: URL;
}

/** Follows redirects. Credentials are dropped for good at the first one to another origin. */
export async function sendFollowingRedirects(
  transport: Transport,
  request: HttpRequest,
  subject: string,
): Promise<FinalResponse> {
  let current = request;
  for (let hops = 0; ; hops += 1) {
    const response = await transport(current);
    const location = response.header('location');
    if (!REDIRECT_STATUS.has(response.status) || location === undefined) {
      return { response, url: current.url };
    }
    await response.discard();
    if (hops === MAX_REDIRECTS) {
      throw new SourceError('UNREACHABLE', subject, `more than ${MAX_REDIRECTS} redirects`);
    }
    current = redirectedRequest(current, location, subject);
  }
}

function redirectedRequest(from: HttpRequest, location: string, subject: string): HttpRequest {
  if (!URL.canParse(location, from.url.href)) {
    throw new SourceError('UNREACHABLE', subject, 'redirected to what is not a URL');
  }
  const url = new URL(location, from.url);
  const secure = url.protocol === 'https:';
  if (!secure && (url.protocol !== 'http:' || from.url.protocol === 'https:')) {
    const what = `redirected from ${from.url.protocol.slice(0, -1)} to \`${shownUrl(url)}\`, which is refused`;
    throw new SourceError('UNREACHABLE', subject, what);
  }
  url.username = '';
  url.password = '';
  const isSameOrigin = url.origin === from.url.origin;
  const headers = Object.entries(from.headers).filter(
    ([name]) => isSameOrigin || !ORIGIN_BOUND.includes(name),
  );
  return {
    ...from,
    url,
    referrer: from.referrer ?? { registry: from.url, as: 'redirect' },
    headers: Object.fromEntries(headers),
  };
}
