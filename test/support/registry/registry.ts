import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { TEST_CERTIFICATE, TEST_KEY } from './certificate.js';
import type { Image, Manifest } from './image.js';

export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly body: string;
  /** The body as received. */
  readonly bytes: Uint8Array;
}

export type Access =
  | { readonly mode: 'open' }
  | { readonly mode: 'basic'; readonly user: string; readonly password: string }
  /** Tokens come from `/token` of the registry itself, unless there is a realm. */
  | {
      readonly mode: 'bearer';
      readonly user?: string;
      readonly password?: string;
      readonly refreshToken?: string;
      readonly realm?: string;
      readonly expiresIn?: number;
    };

export interface RegistryOptions {
  readonly access?: Access;
  /** Uses HTTPS; with `true`, with `TEST_CERTIFICATE`. */
  readonly tls?: boolean | SecureContextOptions;
  /** Tags per page; undefined: all tags on one page. */
  readonly pageSize?: number;
  /** Faults in order; the first one that returns true has answered the request. */
  readonly faults?: readonly Fault[];
}

export type Fault = (
  request: LoggedRequest,
  response: ServerResponse,
  registry: Registry,
) => boolean;

/** A registry in this process: the pull part of the distribution spec, with a log of requests. */
export class Registry {
  readonly log: LoggedRequest[] = [];
  /** Maximum number of open connections; a client that tries HTTPS first adds one. */
  mostConnections = 0;
  readonly #repositories = new Map<string, Repository>();
  readonly #options: RegistryOptions;
  readonly #faults: Fault[];
  readonly #tokens = new Set<string>();
  readonly #server;

  constructor(options: RegistryOptions = {}) {
    this.#options = options;
    this.#faults = [...(options.faults ?? [])];
    const serve = (request: IncomingMessage, response: ServerResponse) =>
      void this.#serve(request, response);
    const { tls = false } = options;
    const own = tls === true ? { cert: TEST_CERTIFICATE, key: TEST_KEY } : tls;
    this.#server = own === false ? createServer(serve) : createSecureServer(own, serve);
  }

  async start(): Promise<this> {
    let open = 0;
    this.#server.on('connection', (socket: Socket) => {
      open += 1;
      this.mostConnections = Math.max(this.mostConnections, open);
      socket.on('close', () => (open -= 1));
    });
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Returns host and port. */
  get host(): string {
    // A listening TCP server has an AddressInfo.
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  push(path: string, tag: string | undefined, image: Image): this {
    const repository = this.#repositories.get(path) ?? emptyRepository();
    this.#repositories.set(path, repository);
    for (const manifest of [image, ...image.manifests]) {
      repository.manifests.set(manifest.digest, manifest);
    }
    for (const { digest, bytes } of image.blobs) repository.blobs.set(digest, bytes);
    if (tag !== undefined) repository.tags.set(tag, image.digest);
    return this;
  }

  /** Adds a fault before the existing ones. */
  fail(fault: Fault): this {
    this.#faults.unshift(fault);
    return this;
  }

  /** Returns the requests without token requests: `GET /v2/a/p/manifests/v1`. */
  get asked(): readonly string[] {
    return this.log.map(({ method, path }) => `${method} ${path}`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const bytes = Buffer.concat(chunks);
    const logged: LoggedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      authorization: request.headers.authorization,
      range: request.headers.range,
      ifRange: request.headers['if-range']?.toString(),
      body: bytes.toString('utf8'),
      bytes,
    };
    this.log.push(logged);
    if (this.#faults.some((fault) => fault(logged, response, this))) return;
    this.answer(logged, response);
  }

  /** Answers a request correctly, without faults. */
  answer(request: LoggedRequest, response: ServerResponse): void {
    const url = new URL(request.path, `http://${this.host}`);
    if (url.pathname === '/token') return this.#token(request, url, response);
    if (!this.#admits(request)) return this.#challenge(response);
    const [, path, what, reference] =
      /^\/v2\/(.+)\/(tags|manifests|blobs|referrers)\/([^/]+)$/.exec(url.pathname) ?? [];
    const repository = this.#repositories.get(path ?? '');
    if (repository === undefined) return send(response, 404, '{"errors":[]}');
    if (what === 'tags') return this.#tags(path!, url, response);
    if (what === 'referrers') return sendReferrers(repository, reference!, response);
    if (what === 'manifests') return sendManifest(repository, reference!, response);
    return sendBlob(repository, reference!, request, response);
  }

  #tags(name: string, url: URL, response: ServerResponse): void {
    const { pageSize } = this.#options;
    const all = [...this.#repositories.get(name)!.tags.keys()].sort();
    const last = url.searchParams.get('last');
    const rest = last === null ? all : all.slice(all.indexOf(last) + 1);
    const page = rest.slice(0, pageSize ?? rest.length);
    if (page.length < rest.length) {
      const next = `${url.pathname}?n=${page.length}&last=${page.at(-1)}`;
      response.setHeader('Link', `<${next}>; rel="next"`);
    }
    send(response, 200, JSON.stringify({ name, tags: page }));
  }

  #admits({ authorization = '' }: LoggedRequest): boolean {
    const access = this.#options.access ?? { mode: 'open' };
    if (access.mode === 'open') return true;
    if (access.mode === 'basic') return authorization === basic(access.user, access.password);
    return this.#tokens.has(authorization);
  }

  #challenge(response: ServerResponse): void {
    const access = this.#options.access;
    response.setHeader(
      'WWW-Authenticate',
      access?.mode === 'bearer'
        ? `Bearer realm="${access.realm ?? `http://${this.host}/token`}",service="test registry"`
        : 'Basic realm="test"',
    );
    send(response, 401, '{"errors":[]}');
  }

  #token(request: LoggedRequest, url: URL, response: ServerResponse): void {
    const access = this.#options.access;
    if (access?.mode !== 'bearer' || !allowsToken(access, request)) {
      return send(response, 401, '{}');
    }
    const scope = url.searchParams.get('scope') ?? new URLSearchParams(request.body).get('scope');
    const token = Buffer.from(`${this.log.length} ${scope}`).toString('base64url');
    this.#tokens.add(`Bearer ${token}`);
    return send(response, 200, JSON.stringify({ token, expires_in: access.expiresIn ?? 300 }));
  }

  /** Returns the valid tokens. */
  get tokens(): readonly string[] {
    return [...this.#tokens].map((header) => header.slice('Bearer '.length));
  }

  /** Revokes all tokens. */
  forgetTokens(): void {
    this.#tokens.clear();
  }
}

interface Repository {
  readonly tags: Map<string, string>;
  readonly manifests: Map<string, Manifest>;
  readonly blobs: Map<string, Uint8Array>;
}

function emptyRepository(): Repository {
  return { tags: new Map(), manifests: new Map(), blobs: new Map() };
}

function allowsToken(access: Access & { mode: 'bearer' }, request: LoggedRequest): boolean {
  if (access.refreshToken !== undefined) {
    const form = new URLSearchParams(request.body);
    return request.method === 'POST' && form.get('refresh_token') === access.refreshToken;
  }
  return access.user === undefined
    ? true
    : request.authorization === basic(access.user, access.password ?? '');
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function sendManifest(repository: Repository, reference: string, response: ServerResponse): void {
  const manifest = repository.manifests.get(repository.tags.get(reference) ?? reference);
  if (manifest === undefined) return send(response, 404, '{"errors":[]}');
  response.setHeader('Content-Type', manifest.mediaType);
  response.setHeader('Docker-Content-Digest', manifest.digest);
  return send(response, 200, manifest.bytes);
}

/** Lists manifests by their `subject`, as in the distribution spec 1.1. */
function sendReferrers(repository: Repository, digest: string, response: ServerResponse): void {
  const manifests = [...repository.manifests.values()].flatMap((manifest) => {
    const { subject, artifactType } = JSON.parse(Buffer.from(manifest.bytes).toString('utf8')) as {
      readonly subject?: { readonly digest: string };
      readonly artifactType?: string;
    };
    if (subject?.digest !== digest) return [];
    const { mediaType, bytes } = manifest;
    return [{ mediaType, digest: manifest.digest, size: bytes.length, artifactType }];
  });
  return send(response, 200, JSON.stringify({ schemaVersion: 2, manifests }));
}

function sendBlob(
  repository: Repository,
  digest: string,
  { range, ifRange }: LoggedRequest,
  response: ServerResponse,
): void {
  const bytes = repository.blobs.get(digest);
  if (bytes === undefined) return send(response, 404, '{"errors":[]}');
  const etag = `"${digest}"`;
  response.setHeader('ETag', etag);
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  if (from === 0 || ifRange !== etag) return send(response, 200, bytes);
  if (from >= bytes.length) return send(response, 416, '');
  response.setHeader('Content-Range', `bytes ${from}-${bytes.length - 1}/${bytes.length}`);
  return send(response, 206, bytes.subarray(from));
}

export function send(response: ServerResponse, status: number, body: Uint8Array | string): void {
  response.writeHead(status, { 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
