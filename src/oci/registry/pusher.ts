import type { Digest } from '../../base/digest.js';
import { inParallel as limitedParallel } from '../../base/collections.js';
import { joinReference } from '../../crossplane/packages/reference.js';
import { SourceError } from '../../base/errors.js';
import type { Artifact, PushOptions } from '../image/artifact.js';
import type { ExpectedBlob, ImageDestination, StoredManifest } from '../image/image-repository.js';
import { manifestMediaType } from '../image/manifest.js';
import type { RegistryClient } from './client.js';
import type { RegistrySession, RemoteName } from './session.js';
import { shownUrl, type HttpRequest, type HttpResponse } from './transport.js';

const MAX_PARALLEL_UPLOADS = 8;

/** Writes to registries by the push part of the OCI distribution spec 1.1. */
export class RegistryPusher {
  readonly #client: RegistryClient;
  readonly #session: RegistrySession;

  /** Shares the session of `client`, so that each registry is authenticated with once. */
  constructor(client: RegistryClient) {
    this.#client = client;
    this.#session = client.session;
  }

  /**
   * Uploads what `has` lacks: blobs, child manifests and last the tagged manifest, so that no tag
   * points at an incomplete artifact. Returns whether the tag was set.
   */
  async push(
    name: RemoteName,
    tag: string,
    { manifest, manifests = [], blobs }: Artifact,
    { has = () => false, beforeTag }: PushOptions = {},
  ): Promise<boolean> {
    const all = [...blobs];
    const send = (some: readonly (readonly [Digest, Uint8Array])[]) =>
      inParallel(some, ([digest, bytes]) =>
        this.#blob(name, { digest, size: bytes.length }, bytes),
      );
    await send(all.filter(([digest]) => !has(digest)));
    const existing = all.filter(([digest]) => has(digest));
    for (const child of manifests) {
      if (has(child.digest)) continue;
      try {
        await this.#manifest(name, child.digest, child);
      } catch (error) {
        if (!(error instanceof SourceError) || existing.length === 0) throw error;
        // The registry may have garbage-collected blobs that it had before.
        await send(existing.splice(0));
        await this.#manifest(name, child.digest, child);
      }
    }
    return this.#manifest(name, tag, manifest, beforeTag);
  }

  destination(name: RemoteName): ImageDestination {
    return {
      name: `${name.host}/${name.path}`,
      manifest: (reference) => this.#client.repository(name).manifest(reference),
      hasBlob: ({ digest }) => this.#hasBlob(name, digest),
      putBlob: (blob, chunks) => this.#blob(name, blob, chunks),
      putManifest: async (reference, manifest) => {
        await this.#manifest(name, reference, manifest);
      },
    };
  }

  async #hasBlob(name: RemoteName, digest: Digest): Promise<boolean> {
    const subject = `${name.host}/${name.path}@${digest}`;
    const url = await this.#session.url(name, `blobs/${digest}`);
    return this.#session.retried(subject, () => this.#session.has(name, url, subject));
  }

  /** Returns false if `before`, which is called before each attempt, canceled the upload. */
  async #manifest(
    name: RemoteName,
    reference: string,
    manifest: StoredManifest,
    before: () => Promise<boolean> = async () => true,
  ): Promise<boolean> {
    const subject = joinReference(`${name.host}/${name.path}`, reference);
    const url = await this.#session.url(name, `manifests/${reference}`);
    return this.#session.retried(subject, async () => {
      if (!(await before())) return false;
      const headers = { 'content-type': manifestMediaType(manifest) };
      const request = { method: 'PUT', url, headers, body: manifest.bytes } as const;
      const response = await this.#session.send(name, request, subject);
      await response.discard();
      checkDigest(response, manifest.digest, subject);
      return true;
    });
  }

  #blob(
    name: RemoteName,
    { digest, size }: ExpectedBlob,
    body: HttpRequest['body'],
  ): Promise<void> {
    const subject = `${name.host}/${name.path}@${digest}`;
    return this.#session.retried(subject, async () => {
      const start = await this.#session.url(name, 'blobs/uploads/');
      const begin = { method: 'POST', url: start, headers: { 'content-length': '0' } } as const;
      const begun = await this.#session.send(name, begin, subject);
      await begun.discard();
      const url = uploadUrl(begun.header('location'), start, digest, subject);
      const headers = {
        'content-type': 'application/octet-stream',
        'content-length': String(size),
      };
      const done = await this.#session.send(name, { method: 'PUT', url, headers, body }, subject);
      await done.discard();
      checkDigest(done, digest, subject);
    });
  }
}

/** Returns the upload URL. Another host is rejected, because the request carries a token. */
function uploadUrl(location: string | undefined, from: URL, digest: Digest, subject: string): URL {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw new SourceError('UNREACHABLE', subject, 'the registry does not say where to upload to');
  }
  const url = new URL(location, from);
  if (url.origin !== from.origin) {
    const what = `the registry wants the upload sent to \`${shownUrl(url)}\`, another host, which is refused`;
    throw new SourceError('UNREACHABLE', subject, what);
  }
  // Appended as text: `searchParams` would re-encode the registry's own parameters.
  url.search = `${url.search === '' ? '?' : `${url.search}&`}digest=${encodeURIComponent(digest)}`;
  return url;
}

function checkDigest(response: HttpResponse, digest: Digest, subject: string): void {
  const advertised = response.header('docker-content-digest');
  if (advertised === undefined || advertised === digest) return;
  throw new SourceError('BAD_DIGEST', subject, 'the registry stored other bytes than were sent');
}

/**
 * Processes items in order, several at a time. The first one is processed alone, because if it
 * fails the others usually do, too. After a failure no other item is started.
 */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const [first, ...others] = items;
  if (first === undefined) return;
  await work(first);
  let hasFailed = false;
  await limitedParallel(others, MAX_PARALLEL_UPLOADS, async (item) => {
    if (hasFailed) return;
    await work(item).catch((error: unknown) => {
      hasFailed = true;
      throw error;
    });
  });
}
