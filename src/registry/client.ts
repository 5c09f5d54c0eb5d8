import { isDigest, sha256, type Digest } from '../text/digest.js';
import { printable } from '../text/printable.js';
import { isTag, joinReference } from '../model/reference.js';
import { SourceError } from '../model/source-error.js';
import { withPaceCheck, readBody, VerifiedBytes, WrongBytes } from './body.js';
import { BlobBuffer, type BlobSink, type ExpectedBlob } from '../image/blob.js';
import { MEDIA_TYPE, type Descriptor } from '../image/descriptor.js';
import { parseManifest } from '../image/manifest.js';
import type { RemoteRepository, StoredManifest, TagList } from '../image/image-repository.js';
import { fieldsOf, listOf, parseJson, stringOf } from '../text/json.js';
import { LIMITS, type Limits } from '../image/limits.js';
import { nextPage, TagCollector } from './paging.js';
import { isTransientStatus } from './retry.js';
import { RegistrySession, type RemoteName, type SessionOptions } from './session.js';
import { shownUrl, type HttpResponse } from './transport/transport.js';

/** A registry says in a few words why it failed. */
const MAX_FAILURE_BYTES = 64 * 1024;
const FAILURE_BODY_MS = 2_000;

const MANIFESTS = Object.values(MEDIA_TYPE).join(', ');

/** Reads registries by the pull side of the OCI distribution spec 1.1; checks every digest. */
export class RegistryClient {
  readonly #session: RegistrySession;
  readonly #limits: Limits;

  constructor(options: SessionOptions & { readonly limits?: Limits | undefined }) {
    this.#session = new RegistrySession(options);
    this.#limits = options.limits ?? LIMITS;
  }

  repository(name: RemoteName): RemoteRepository {
    // One that does not answer HEAD is not asked that way again.
    let tells = true;
    return {
      name: `${name.host}/${name.path}`,
      tags: async () => (await this.#tags(name))?.tags,
      tagList: (held) => this.#tags(name, held),
      manifest: (reference, held) => this.#manifest(name, reference, held),
      pointsAt: async (reference, digest) => {
        const told = tells ? await this.#toldDigest(name, reference) : 'unknown';
        if (told === 'untold') tells = false;
        return told === digest;
      },
      referrers: (digest) => this.#referrers(name, digest),
      blob: (descriptor) => this.#blob(name, descriptor),
      copyUnsized: (digest, to, signal) => this.#copyUnsized(name, digest, to, signal),
      copyBlob: (descriptor, to) =>
        this.#download(name, descriptor, { to, limit: this.#limits.copiedLayerBytes }),
    };
  }

  async #tags(name: RemoteName, held?: TagList): Promise<TagList | undefined> {
    const subject = `tags of ${name.host}/${name.path}`;
    const list = new TagCollector(subject, this.#limits);
    let url: URL | undefined = await this.#session.url(name, 'tags/list?n=1000');
    while (url !== undefined) {
      list.visit(url);
      const asked = list.pages === 1 ? changedSince(held) : {};
      const page: TagPage | undefined = await this.#tagPage(name, url, { asked, subject });
      if (page === undefined && list.pages === 1) return undefined;
      if (page === undefined) {
        throw new SourceError('BAD_SOURCE', subject, 'a later page of the list is not there');
      }
      if (page === 'unchanged') return held;
      list.add(page);
      url = page.next;
      // Validators of the first page say nothing about later pages, so they are kept for one page only.
      if (list.pages === 1 && url === undefined) return { ...page.validators, tags: list.tags };
    }
    return { tags: list.tags };
  }

  #tagPage(
    name: RemoteName,
    url: URL,
    {
      asked,
      subject,
    }: { readonly asked: Readonly<Record<string, string>>; readonly subject: string },
  ): Promise<TagPage | undefined> {
    return this.#session.retried(subject, async () => {
      const headers = { accept: 'application/json', ...asked };
      const landed = await this.#session.get(name, url, headers, subject);
      const { response } = landed;
      if (response.status === 404) return this.#absent(landed, url, subject);
      if (response.status === 304) return unchanged(response);
      const limit = this.#limits.tagPageBytes;
      const body = await readBody(response, limit, { subject, clock: this.#session.clock });
      // A registry may have moved the repository, and say so by a redirect of its own.
      const moved = landed.url.href !== url.href;
      const path = moved ? undefined : name.path;
      const tags = tagsFrom(Buffer.from(body).toString('utf8'), path, subject);
      const from = landed.url.origin === url.origin ? landed.url : url;
      const next = nextPage(response.header('link'), from, subject);
      return { tags, bytes: body.length, next, validators: validatorsOf(response) };
    });
  }

  async #manifest(
    name: RemoteName,
    reference: string,
    held?: StoredManifest,
  ): Promise<StoredManifest | undefined> {
    if (!isDigest(reference) && !isTag(reference)) return undefined;
    const subject = joinReference(`${name.host}/${name.path}`, reference);
    const url = await this.#session.url(name, `manifests/${reference}`);
    return this.#session.retried(subject, async () => {
      const known = held === undefined ? {} : { 'if-none-match': `"${held.digest}"` };
      const headers = { accept: MANIFESTS, ...known };
      const landed = await this.#session.get(name, url, headers, subject);
      const { response } = landed;
      if (response.status === 404) return this.#absent(landed, url, subject);
      if (response.status === 304) {
        await response.discard();
        return held;
      }
      const limit = this.#limits.manifestBytes;
      const bytes = await readBody(response, limit, { subject, clock: this.#session.clock });
      const digest = sha256(bytes);
      const told = response.header('docker-content-digest');
      if (told !== undefined && !isDigest(told)) {
        throw new SourceError(
          'BAD_DIGEST',
          subject,
          `unknown kind of digest \`${printable(told)}\``,
        );
      }
      for (const promised of [reference, told]) {
        if (promised !== undefined && isDigest(promised) && promised !== digest) {
          throw new WrongBytes(`bytes whose digest is ${digest}, not ${promised}`);
        }
      }
      // What has the digest asked for is what was published, whatever it is.
      if (!isDigest(reference) && !isManifest(bytes)) {
        throw new SourceError('BAD_SOURCE', subject, 'the answer is not a manifest');
      }
      return { digest, bytes };
    });
  }

  /** What a registry says that a reference points at; `untold`: it does not say so to a HEAD. */
  async #toldDigest(name: RemoteName, reference: string): Promise<Digest | 'unknown' | 'untold'> {
    if (!isDigest(reference) && !isTag(reference)) return 'unknown';
    const subject = joinReference(`${name.host}/${name.path}`, reference);
    const url = await this.#session.url(name, `manifests/${reference}`);
    const response = await this.#session.retried(subject, () =>
      this.#session.head(name, url, { accept: MANIFESTS }),
    );
    const { status } = response;
    // A GET, which follows, waits and tries again, or says what is wrong.
    if (status === 404 || isTransientStatus(status)) return 'unknown';
    const told = response.header('docker-content-digest');
    return status === 200 && told !== undefined && isDigest(told) ? told : 'untold';
  }

  /** A registry that has no list of referrers keeps one under a tag, as its clients write it. */
  async #referrers(name: RemoteName, digest: Digest): Promise<readonly Descriptor[]> {
    const subject = `referrers of ${name.host}/${name.path}@${digest}`;
    const found: Descriptor[] = [];
    const pages = new Set<string>();
    let url: URL | undefined = await this.#session.url(name, `referrers/${digest}`);
    while (url !== undefined) {
      const asked: URL = url;
      if (pages.has(asked.href) || pages.size >= this.#limits.tagPages) {
        throw new SourceError('TOO_LARGE', subject, 'the list does not end');
      }
      pages.add(asked.href);
      const page = await this.#session.retried(subject, () =>
        this.#referrersPage(name, asked, subject),
      );
      if (page === undefined) {
        const kept = await this.#manifest(name, digest.replace(':', '-'));
        return kept === undefined ? [] : childrenOf(kept, subject);
      }
      found.push(...childrenOf(page.manifest, subject));
      if (found.length > this.#limits.indexChildren) {
        const what = `there are more than ${this.#limits.indexChildren}`;
        throw new SourceError('TOO_LARGE', subject, what);
      }
      url = page.next;
    }
    return found;
  }

  async #referrersPage(name: RemoteName, url: URL, subject: string) {
    const headers = { accept: MEDIA_TYPE.ociIndex };
    const { response } = await this.#session.get(name, url, headers, subject);
    if (response.status === 404) {
      await response.discard();
      return undefined;
    }
    const limit = this.#limits.manifestBytes;
    const bytes = await readBody(response, limit, { subject, clock: this.#session.clock });
    const next = nextPage(response.header('link'), url, subject);
    return { manifest: { digest: sha256(bytes), bytes }, next };
  }

  /**
   * Believes a 404 only from the address that was asked, and in the words of a registry: a proxy, a
   * gateway or a bucket that answers with a page of its own knows nothing about the repository, and
   * an older version must not be chosen because of it.
   */
  async #absent(
    { response, url }: { readonly response: HttpResponse; readonly url: URL },
    asked: URL,
    subject: string,
  ): Promise<undefined> {
    const body = await this.#briefBody(response, subject);
    const errors = fieldsOf(parseJson(body)?.value)?.get('errors');
    if (listOf(errors) !== undefined && url.href === asked.href) return undefined;
    const what =
      url.href === asked.href
        ? 'the answer is 404, and not in the words of a registry (`{"errors": […]}`)'
        : `the request was redirected to \`${shownUrl(url)}\`, where the answer is 404`;
    const hint = 'is there a proxy or a web page at that address? `--trace` shows the requests';
    throw new SourceError('BAD_SOURCE', subject, what, { hint });
  }

  /** The body of a failure; empty where it is long, or still not there after a moment. */
  async #briefBody(response: HttpResponse, subject: string): Promise<string> {
    const context = { subject, clock: this.#session.clock };
    const reading = readBody(response, MAX_FAILURE_BYTES, context).then(
      (body) => Buffer.from(body).toString('utf8'),
      () => '',
    );
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, FAILURE_BODY_MS, '');
    });
    const body = await Promise.race([reading, late]);
    clearTimeout(timer);
    if (body === '') await response.discard();
    return body;
  }

  async #blob(name: RemoteName, expected: ExpectedBlob): Promise<Uint8Array | undefined> {
    const to = new BlobBuffer();
    const found = await this.#download(name, expected, { to, limit: this.#limits.layerBytes });
    return found ? to.bytes : undefined;
  }

  async #copyUnsized(
    name: RemoteName,
    digest: Digest,
    to: BlobSink,
    signal: AbortSignal,
  ): Promise<boolean> {
    const subject = `${name.host}/${name.path}@${digest}`;
    const url = await this.#session.url(name, `blobs/${digest}`);
    const { response } = await this.#session.get(name, url, {}, subject, signal);
    const size = Number(response.header('content-length') ?? NaN);
    if (response.status !== 200 || !(size <= this.#limits.layerBytes)) {
      await response.discard();
      return false;
    }
    const bytes = new VerifiedBytes({ digest, size }, to);
    for await (const chunk of withPaceCheck(response.body, this.#session.clock, size))
      await bytes.add(chunk);
    return isAll(bytes);
  }

  /** Copies a blob to a sink, resuming where the connection broke; false: there is no such blob. */
  async #download(
    name: RemoteName,
    expected: ExpectedBlob,
    { to, limit }: { readonly to: BlobSink; readonly limit: number },
  ): Promise<boolean> {
    const subject = `${name.host}/${name.path}@${expected.digest}`;
    if (expected.size > limit) {
      const what = `the layer has ${expected.size} bytes; at most ${limit} are read`;
      throw new SourceError('TOO_LARGE', subject, what);
    }
    const url = await this.#session.url(name, `blobs/${expected.digest}`);
    const bytes = new VerifiedBytes(expected, to);
    let etag: string | undefined;
    return this.#session.retried(subject, async () => {
      // The connection broke after the last byte, so that there is no range left to ask for.
      if (bytes.size > 0 && bytes.size === expected.size) return isAll(bytes);
      const resume = bytes.size > 0 && etag !== undefined ? rangeFrom(bytes.size, etag) : {};
      const { response } = await this.#session.get(name, url, resume, subject);
      if (response.status === 404) {
        await response.discard();
        return false;
      }
      if (response.status === 416) {
        await response.discard();
        throw await bytes.tooShort();
      }
      if (bytes.size > 0 && !continues(response, bytes.size)) await bytes.restart();
      etag = strongTag(response);
      const { body } = response;
      const left = expected.size - bytes.size;
      for await (const chunk of withPaceCheck(body, this.#session.clock, left))
        await bytes.add(chunk);
      // A 206 may be shorter than the range asked for; a 200 is all that there is.
      if (response.status === 200 && bytes.size < expected.size) throw await bytes.tooShort();
      return isAll(bytes);
    });
  }
}

/** What an index names; an image names nothing. */
function childrenOf(manifest: StoredManifest, subject: string): readonly Descriptor[] {
  const parsed = parseManifest(manifest, subject);
  return parsed.kind === 'index' ? parsed.children : [];
}

async function isAll(bytes: VerifiedBytes): Promise<true> {
  await bytes.finish();
  return true;
}

type TagPage =
  | 'unchanged'
  | {
      readonly tags: readonly string[];
      readonly bytes: number;
      readonly next: URL | undefined;
      readonly validators: Omit<TagList, 'tags'>;
    };

function changedSince(held: TagList | undefined): Readonly<Record<string, string>> {
  if (held?.etag !== undefined) return { 'if-none-match': held.etag };
  return held?.lastModified === undefined ? {} : { 'if-modified-since': held.lastModified };
}

function validatorsOf(response: HttpResponse): Omit<TagList, 'tags'> {
  return { etag: response.header('etag'), lastModified: response.header('last-modified') };
}

async function unchanged(response: HttpResponse): Promise<'unchanged'> {
  await response.discard();
  return 'unchanged';
}

/** `path` is the repository that the list must be of; undefined: it may be another. */
function tagsFrom(text: string, path: string | undefined, subject: string): readonly string[] {
  const answer = fieldsOf(parseJson(text)?.value);
  const tags = answer?.get('tags');
  // A registry written in Go says `null` for a repository without tags.
  const listed = tags === null ? [] : listOf(tags);
  if (listed === undefined || !listed.every((tag) => typeof tag === 'string')) {
    throw new SourceError('BAD_SOURCE', subject, 'the answer is not a list of tags');
  }
  const name = stringOf(answer?.get('name')) ?? '';
  if (path !== undefined && isOther(name, path)) {
    const what = `the answer is the list of another repository, \`${printable(name)}\``;
    throw new SourceError('BAD_SOURCE', subject, what);
  }
  return listed.filter((tag) => isTag(tag));
}

/**
 * Whether the name in a tag list is that of another repository. Proxies of registries answer with
 * the name that a repository has behind them, which differs in all but its last part.
 */
function isOther(name: string, path: string): boolean {
  return name.includes('/') && name.split('/').at(-1) !== path.split('/').at(-1);
}

/** Any kind of manifest says its version or its type; the page of a proxy says neither. */
function isManifest(bytes: Uint8Array): boolean {
  const fields = fieldsOf(parseJson(bytes)?.value);
  return fields?.get('schemaVersion') !== undefined || fields?.get('mediaType') !== undefined;
}

function rangeFrom(offset: number, etag: string): Record<string, string> {
  return { range: `bytes=${offset}-`, 'if-range': etag };
}

function strongTag(response: HttpResponse): string | undefined {
  const etag = response.header('etag');
  return etag?.startsWith('"') === true ? etag : undefined;
}

function continues(response: HttpResponse, offset: number): boolean {
  const range = response.header('content-range') ?? '';
  return response.status === 206 && range.startsWith(`bytes ${offset}-`);
}
