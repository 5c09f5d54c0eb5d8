import type { Digest } from '../text/digest.js';
import { joinReference } from '../model/reference.js';
import { SourceError } from '../model/source-error.js';
import type { Artifact, PushOptions } from '../image/artifact.js';
import type { ImageDestination } from '../image/image-destination.js';
import type { StoredManifest } from '../image/image-repository.js';
import { manifestMediaType } from '../image/manifest.js';
import { RegistryClient } from './client.js';
import { RegistrySession, type RemoteName, type SessionOptions } from './session.js';
import { shownUrl, type HttpRequest, type HttpResponse } from './transport/transport.js';

/** Bytes to send, and how many they are. */
interface Upload {
  readonly digest: Digest;
  readonly size: number;
  readonly body: NonNullable<HttpRequest['body']>;
}

/** Uploads that run at once. */
const AT_ONCE = 8;

/** Writes to registries, by the push side of the OCI distribution spec 1.1. */
export class RegistryPusher {
  readonly #session: RegistrySession;
  readonly #client: RegistryClient;

  constructor(options: SessionOptions) {
    this.#session = new RegistrySession(options);
    this.#client = new RegistryClient(options);
  }

  /**
   * Blobs first, then the manifests that name them, and the one with the tag last: a tag never
   * points at half an artifact. What `has` knows to be there is not sent.
   */
  async push(
    name: RemoteName,
    tag: string,
    { manifest, manifests = [], blobs }: Artifact,
    { has = () => false, before = async () => true }: PushOptions = {},
  ): Promise<boolean> {
    const all = [...blobs];
    const send = (some: readonly (readonly [Digest, Uint8Array])[]) =>
      inTurns(some, ([digest, bytes]) =>
        this.#blob(name, { digest, size: bytes.length, body: bytes }),
      );
    await send(all.filter(([digest]) => !has(digest)));
    const rest = all.filter(([digest]) => has(digest));
    for (const below of manifests) {
      if (has(below.digest)) continue;
      try {
        await this.#manifest(name, below.digest, below);
      } catch (error) {
        if (!(error instanceof SourceError) || rest.length === 0) throw error;
        // What was there may be gone: registries take away what they count as garbage.
        await send(rest.splice(0));
        await this.#manifest(name, below.digest, below);
      }
    }
    return this.#manifest(name, tag, manifest, before);
  }

  /** A repository that images are copied to, one by one. */
  destination(name: RemoteName): ImageDestination {
    return {
      name: `${name.host}/${name.path}`,
      manifest: (reference) => this.#client.repository(name).manifest(reference),
      hasBlob: ({ digest }) => this.#hasBlob(name, digest),
      putBlob: (blob, chunks) => this.#blob(name, { ...blob, body: chunks }),
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

  /** False: `before`, which is asked before each try, kept it from being sent. */
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

  #blob(name: RemoteName, { digest, size, body }: Upload): Promise<void> {
    const subject = `${name.host}/${name.path}@${digest}`;
    return this.#session.retried(subject, async () => {
      const start = await this.#session.url(name, 'blobs/uploads/');
      const empty = { 'content-length': '0' };
      const begun = await this.#session.send(
        name,
        { method: 'POST', url: start, headers: empty },
        subject,
      );
      await begun.discard();
      const url = uploadUrl(begun.header('location'), start, { digest, subject });
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

/** The URL to upload to; another host is refused, because the request carries a token. */
function uploadUrl(
  location: string | undefined,
  from: URL,
  { digest, subject }: { readonly digest: Digest; readonly subject: string },
): URL {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw new SourceError('UNREACHABLE', subject, 'the registry does not say where to upload to');
  }
  const url = new URL(location, from);
  if (url.origin !== from.origin) {
    const what = `the registry wants the upload sent to \`${shownUrl(url)}\`, another host, which is refused`;
    throw new SourceError('UNREACHABLE', subject, what);
  }
  // Appended as text: `searchParams` would encode the registry's own parameters anew.
  url.search = `${url.search === '' ? '?' : `${url.search}&`}digest=${encodeURIComponent(digest)}`;
  return url;
}

function checkDigest(response: HttpResponse, digest: Digest, subject: string): void {
  const told = response.header('docker-content-digest');
  if (told === undefined || told === digest) return;
  throw new SourceError('BAD_DIGEST', subject, 'the registry stored other bytes than were sent');
}

/**
 * Does something with each item, several at a time, in this order; the first alone, for where that
 * fails the others would. After a failure none is begun.
 */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const [first, ...others] = items;
  if (first === undefined) return;
  await work(first);
  let failed = false;
  const rest = others.values();
  const worker = async () => {
    for (const item of rest) {
      if (failed) return;
      await work(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
