import type { Digest } from '../text/digest.js';
import { SourceError } from '../model/source-error.js';
import type { Artifact } from '../image/artifact.js';
import { MEDIA_TYPE } from '../image/descriptor.js';
import { RegistrySession, type RemoteName, type SessionOptions } from './session.js';
import { shownUrl, type HttpResponse } from './transport/transport.js';

/** Writes to registries, by the push side of the OCI distribution spec 1.1. */
export class RegistryPusher {
  readonly #session: RegistrySession;

  constructor(options: SessionOptions) {
    this.#session = new RegistrySession(options);
  }

  /** Blobs first, then the manifest that names them: a tag never points at half an artifact. */
  async push(name: RemoteName, tag: string, { manifest, blobs }: Artifact): Promise<void> {
    for (const [digest, bytes] of blobs) await this.#blob(name, digest, bytes);
    const subject = `${name.host}/${name.path}:${tag}`;
    const url = await this.#session.url(name, `manifests/${tag}`);
    await this.#session.retried(subject, async () => {
      const headers = { 'content-type': MEDIA_TYPE.ociManifest };
      const request = { method: 'PUT', url, headers, body: manifest.bytes } as const;
      const response = await this.#session.send(name, request, subject);
      await response.discard();
      checkDigest(response, manifest.digest, subject);
    });
  }

  #blob(name: RemoteName, digest: Digest, bytes: Uint8Array): Promise<void> {
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
      const headers = { 'content-type': 'application/octet-stream' };
      const request = { method: 'PUT', url, headers, body: bytes } as const;
      const done = await this.#session.send(name, request, subject);
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
