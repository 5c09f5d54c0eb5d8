import { isDigest, sha256, type Digest } from '../../base/digest.js';
import { printable } from '../../base/escape.js';
import { isTag, joinReference } from '../../crossplane/packages/reference.js';
import { packageName } from '../../crossplane/packages/repository-names.js';
import { SourceError } from '../../base/errors.js';
import { withPaceCheck, readBody, BlobVerifier } from './body.js';
import {
  BlobBuffer,
  type BlobSink,
  type ExpectedBlob,
  type RemoteRepository,
  type StoredManifest,
  type TagList,
} from '../image/image-repository.js';
import { MEDIA_TYPE, type Descriptor } from '../image/descriptor.js';
import { mediaTypeProblem, parseManifest } from '../image/manifest.js';
import { fieldsOf, listOf, parseJson, stringOf } from '../../base/json.js';
import { readJson, type JsonShape } from '../../base/strict-json.js';
import { LIMITS, type Limits } from '../image/limits.js';
import { isTransientStatus, WrongBytesError } from './retry.js';
import { RegistrySession, type RemoteName, type SessionOptions } from './session.js';
import { shownUrl, type HttpResponse } from './transport.js';

/** Limits for the body of an error response. */
const MAX_FAILURE_BYTES = 64 * 1024;
const FAILURE_BODY_MS = 2_000;

const MANIFEST_TYPES = Object.values(MEDIA_TYPE).join(', ');

/** Reads registries by the pull part of the OCI distribution spec 1.1. Verifies every digest. */
export class RegistryClient {
  readonly session: RegistrySession;
  readonly #limits: Limits;

  constructor(options: SessionOptions & { readonly limits?: Limits | undefined }) {
    this.session = new RegistrySession(options);
    this.#limits = options.limits ?? LIMITS;
  }

  repository(remote: RemoteName): RemoteRepository {
    return new RegistryRepository(this.session, remote, this.#limits);
  }
}

class RegistryRepository implements RemoteRepository {
  readonly name: string;
  readonly #session: RegistrySession;
  readonly #remote: RemoteName;
  readonly #limits: Limits;
  /** False once the registry has returned no digest for HEAD. */
  #supportsHead = true;

  constructor(session: RegistrySession, remote: RemoteName, limits: Limits) {
    this.name = `${remote.host}/${remote.path}`;
    this.#session = session;
    this.#remote = remote;
    this.#limits = limits;
  }

  async tags(): Promise<readonly string[] | undefined> {
    return (await this.tagList())?.tags;
  }

  async tagList(cached?: TagList): Promise<TagList | undefined> {
    const subject = `tags of ${this.name}`;
    const tooLarge = (what: string) => new SourceError('TOO_LARGE', subject, `the list ${what}`);
    const limits = this.#limits;
    const visited = new Set<string>();
    const tags = new Set<string>();
    let bytes = 0;
    for (let url = await this.#session.url(this.#remote, 'tags/list?n=1000'); ;) {
      if (visited.has(url.href)) throw tooLarge('goes in a circle');
      const isFirst = visited.size === 0;
      visited.add(url.href);
      if (visited.size > limits.tagPages) throw tooLarge(`has more than ${limits.tagPages} pages`);
      const condition = isFirst ? conditionFor(cached) : {};
      const page = await this.#tagPage(url, condition, subject);
      if (page === 'unchanged') return cached;
      if (page === undefined && isFirst) return undefined;
      if (page === undefined) {
        throw new SourceError('BAD_SOURCE', subject, 'a later page of the list is not there');
      }
      bytes += page.bytes;
      if (bytes > limits.tagListBytes) {
        throw tooLarge(`has more than ${limits.tagListBytes} bytes`);
      }
      for (const tag of page.tags) tags.add(tag);
      if (tags.size > limits.tags) throw tooLarge(`has more than ${limits.tags} tags`);
      // The validators of the first page do not cover the other pages.
      if (page.next === undefined) return { ...(isFirst && page.validators), tags: [...tags] };
      url = page.next;
    }
  }

  #tagPage(
    url: URL,
    condition: Readonly<Record<string, string>>,
    subject: string,
  ): Promise<TagPage | undefined> {
    return this.#session.retried(subject, async () => {
      const headers = { accept: 'application/json', ...condition };
      const result = await this.#session.get(this.#remote, url, headers, subject);
      const { response } = result;
      if (response.status === 404) return this.#checkMissing(result, url, subject);
      if (response.status === 304) {
        await response.discard();
        return 'unchanged';
      }
      const body = await this.#body(response, this.#limits.tagPageBytes, subject);
      // If the repository moved, the registry redirects to the list of another repository.
      const isRedirected = result.url.href !== url.href;
      const path = isRedirected ? undefined : this.#remote.path;
      const link = response.header('link') ?? '';
      const tags = tagsFrom(body, { path, isLinked: link.trim() !== '' }, subject);
      const from = result.url.origin === url.origin ? result.url : url;
      const next = nextPage(link, from, subject);
      const [etag, lastModified] = [response.header('etag'), response.header('last-modified')];
      return { tags, bytes: body.length, next, validators: { etag, lastModified } };
    });
  }

  async manifest(reference: string, cached?: StoredManifest): Promise<StoredManifest | undefined> {
    if (!isDigest(reference) && !isTag(reference)) return undefined;
    const subject = joinReference(this.name, reference);
    const url = await this.#session.url(this.#remote, `manifests/${reference}`);
    return this.#session.retried(subject, async () => {
      const known = cached === undefined ? {} : { 'if-none-match': `"${cached.digest}"` };
      const headers = { accept: MANIFEST_TYPES, ...known };
      const result = await this.#session.get(this.#remote, url, headers, subject);
      const { response } = result;
      if (response.status === 404) return this.#checkMissing(result, url, subject);
      if (response.status === 304) {
        await response.discard();
        return cached;
      }
      const bytes = await this.#body(response, this.#limits.manifestBytes, subject);
      const digest = sha256(bytes);
      const advertised = response.header('docker-content-digest');
      if (advertised !== undefined && !isDigest(advertised)) {
        const what = `unknown kind of digest \`${printable(advertised)}\``;
        throw new SourceError('BAD_DIGEST', subject, what);
      }
      for (const expectedDigest of [reference, advertised]) {
        if (expectedDigest !== undefined && isDigest(expectedDigest) && expectedDigest !== digest) {
          throw new WrongBytesError(`bytes whose digest is ${digest}, not ${expectedDigest}`);
        }
      }
      // A manifest with the requested digest is what was published, even if it is invalid.
      if (!isDigest(reference) && !isManifest(bytes)) {
        throw new SourceError('BAD_SOURCE', subject, 'the answer is not a manifest');
      }
      const problem = mediaTypeProblem({ bytes }, contentType(response));
      if (problem !== undefined) {
        throw new SourceError('BAD_SOURCE', subject, `wrong Content-Type: ${problem}`);
      }
      return { digest, bytes };
    });
  }

  async pointsAt(reference: string, digest: Digest): Promise<boolean> {
    if (!this.#supportsHead || (!isDigest(reference) && !isTag(reference))) return false;
    const subject = joinReference(this.name, reference);
    const url = await this.#session.url(this.#remote, `manifests/${reference}`);
    const { response } = await this.#session.retried(subject, () =>
      this.#session.head(this.#remote, url, { accept: MANIFEST_TYPES }),
    );
    const { status } = response;
    // The GET that follows retries, or reports the error.
    if (status === 404 || isTransientStatus(status)) return false;
    const advertised = response.header('docker-content-digest');
    if (status === 200 && isDigest(advertised ?? '')) return advertised === digest;
    this.#supportsHead = false;
    return false;
  }

  /** Lists referrers. Without the referrers API, clients keep the list under a tag. */
  async referrers(digest: Digest): Promise<readonly Descriptor[]> {
    const subject = `referrers of ${this.name}@${digest}`;
    const tooLarge = (what: string) => new SourceError('TOO_LARGE', subject, what);
    const found: Descriptor[] = [];
    const visitedPages = new Set<string>();
    let next: URL | undefined = await this.#session.url(this.#remote, `referrers/${digest}`);
    while (next !== undefined) {
      const url: URL = next;
      if (visitedPages.has(url.href) || visitedPages.size >= this.#limits.tagPages) {
        throw tooLarge('the list does not end');
      }
      visitedPages.add(url.href);
      const page = await this.#session.retried(subject, () => this.#referrersPage(url, subject));
      if (page === undefined) {
        const tagged = await this.manifest(digest.replace(':', '-'));
        return tagged === undefined ? [] : childrenOf(tagged, subject);
      }
      found.push(...childrenOf(page.manifest, subject));
      const { indexChildren } = this.#limits;
      if (found.length > indexChildren) throw tooLarge(`there are more than ${indexChildren}`);
      next = page.next;
    }
    return found;
  }

  async #referrersPage(url: URL, subject: string) {
    const headers = { accept: MEDIA_TYPE.ociIndex };
    const { response } = await this.#session.get(this.#remote, url, headers, subject);
    if (response.status === 404) {
      await response.discard();
      return undefined;
    }
    const bytes = await this.#body(response, this.#limits.manifestBytes, subject);
    const next = nextPage(response.header('link'), url, subject);
    return { manifest: { digest: sha256(bytes), bytes }, next };
  }

  /**
   * Accepts a 404 only from the requested URL and in the format of a registry. A proxy, gateway or
   * bucket with its own 404 page knows nothing about the repository, so its answer must not cause
   * the choice of an older version.
   */
  async #checkMissing(
    { response, url }: { readonly response: HttpResponse; readonly url: URL },
    requestedUrl: URL,
    subject: string,
  ): Promise<undefined> {
    const body = await this.#errorBody(response, subject);
    const json = readJson(body, { fields: { errors: ['any'] } });
    const errors = 'value' in json ? fieldsOf(json.value)?.get('errors') : undefined;
    const isRequested = url.href === requestedUrl.href;
    if (listOf(errors) !== undefined && isRequested) return undefined;
    const what = isRequested
      ? 'the answer is 404, and not in the words of a registry (`{"errors": […]}`)'
      : `the request was redirected to \`${shownUrl(url)}\`, where the answer is 404`;
    const hint = 'is there a proxy or a web page at that address? `--trace` shows the requests';
    throw new SourceError('BAD_SOURCE', subject, what, { hint });
  }

  #body(response: HttpResponse, limit: number, subject: string): Promise<Uint8Array> {
    return readBody(response, limit, { subject, clock: this.#session.clock });
  }

  /** Returns the body of an error response; empty if it is too long or too slow. */
  async #errorBody(response: HttpResponse, subject: string): Promise<string> {
    const reading = this.#body(response, MAX_FAILURE_BYTES, subject).then(
      (body) => Buffer.from(body).toString('utf8'),
      () => '',
    );
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, FAILURE_BODY_MS, '');
    });
    const body = await Promise.race([reading, timeout]);
    clearTimeout(timer);
    if (body === '') await response.discard();
    return body;
  }

  async copyUnsized(digest: Digest, to: BlobSink, signal: AbortSignal): Promise<boolean> {
    const subject = `${this.name}@${digest}`;
    const url = await this.#session.url(this.#remote, `blobs/${digest}`);
    const { response } = await this.#session.get(this.#remote, url, {}, subject, signal);
    const size = Number(response.header('content-length') ?? NaN);
    if (response.status !== 200 || !(size <= this.#limits.layerBytes)) {
      await response.discard();
      return false;
    }
    const bytes = new BlobVerifier({ digest, size }, to);
    await bytes.addAll(withPaceCheck(response.body, this.#session.clock, size));
    return bytes.finish();
  }

  async blob(descriptor: ExpectedBlob): Promise<Uint8Array | undefined> {
    const to = new BlobBuffer();
    return (await this.#download(descriptor, to, this.#limits.layerBytes)) ? to.bytes : undefined;
  }

  copyBlob(descriptor: ExpectedBlob, to: BlobSink): Promise<boolean> {
    return this.#download(descriptor, to, this.#limits.copiedLayerBytes);
  }

  /** Copies a blob to a sink, resuming broken downloads. Returns false if it is missing. */
  async #download(expected: ExpectedBlob, to: BlobSink, limit: number): Promise<boolean> {
    const subject = `${this.name}@${expected.digest}`;
    if (expected.size > limit) {
      const what = `the layer has ${expected.size} bytes; at most ${limit} are read`;
      throw new SourceError('TOO_LARGE', subject, what);
    }
    const url = await this.#session.url(this.#remote, `blobs/${expected.digest}`);
    const bytes = new BlobVerifier(expected, to);
    let etag: string | undefined;
    return this.#session.retried(subject, async () => {
      // The connection broke after the last byte, so no range is left to request.
      if (bytes.size > 0 && bytes.size === expected.size) return bytes.finish();
      const resume =
        bytes.size > 0 && etag !== undefined
          ? { range: `bytes=${bytes.size}-`, 'if-range': etag }
          : {};
      const { response } = await this.#session.get(this.#remote, url, resume, subject);
      if (response.status === 404) {
        await response.discard();
        return false;
      }
      if (response.status === 416) {
        await response.discard();
        throw await bytes.tooShortError();
      }
      if (bytes.size > 0 && !isContinuation(response, bytes.size)) await bytes.restart();
      etag = strongEtag(response);
      const remaining = expected.size - bytes.size;
      await bytes.addAll(withPaceCheck(response.body, this.#session.clock, remaining));
      // A 206 may be shorter than the requested range, but a 200 is complete.
      if (response.status === 200 && bytes.size < expected.size) throw await bytes.tooShortError();
      return bytes.finish();
    });
  }
}

function childrenOf(manifest: StoredManifest, subject: string): readonly Descriptor[] {
  const parsed = parseManifest(manifest, subject);
  if (parsed.kind === 'index') return parsed.children;
  throw new SourceError('BAD_SOURCE', subject, 'the answer is an image and not an index');
}

type TagPage =
  | 'unchanged'
  | {
      readonly tags: readonly string[];
      readonly bytes: number;
      readonly next: URL | undefined;
      readonly validators: Omit<TagList, 'tags'>;
    };

function conditionFor(cached: TagList | undefined): Readonly<Record<string, string>> {
  if (cached?.etag !== undefined) return { 'if-none-match': cached.etag };
  return cached?.lastModified === undefined ? {} : { 'if-modified-since': cached.lastModified };
}

/** The fields of go-containerregistry's `remote.Tags`. */
const TAGS_SHAPE: JsonShape = { fields: { name: 'string', tags: ['string'], next: 'string' } };

/** Parses a page of tags. `path` is undefined if any repository is allowed. */
function tagsFrom(
  body: Uint8Array,
  { path, isLinked }: { readonly path: string | undefined; readonly isLinked: boolean },
  subject: string,
): readonly string[] {
  const bad = (what: string, hint?: string) =>
    new SourceError('BAD_SOURCE', subject, what, { hint });
  const json = readJson(body, TAGS_SHAPE);
  if ('problem' in json) throw bad(`the answer is not a list of tags: it ${json.problem}`);
  const answer = fieldsOf(json.value);
  const tags = answer?.get('tags');
  if (tags === null) {
    // Some registries send this for an incomplete list, which is not a package without versions.
    throw bad(
      'the answer has `"tags": null` in place of a list',
      'if the repository has no tags, push one or delete the repository; or name another source with `--from`',
    );
  }
  const listed = listOf(tags)?.map(stringOf);
  if (listed === undefined || !listed.every((tag) => tag !== undefined)) {
    throw bad('the answer is not a list of tags');
  }
  const name = stringOf(answer?.get('name')) ?? '';
  // A registry proxy may return the upstream name, which has the same last segment.
  if (path !== undefined && name.includes('/') && packageName(name) !== packageName(path)) {
    throw bad(`the answer is the list of another repository, \`${printable(name)}\``);
  }
  // go-containerregistry follows this field, although no specification defines it.
  if (!isLinked && (stringOf(answer?.get('next')) ?? '') !== '') {
    throw bad('the answer names a next page in `next` and not in a `Link` header');
  }
  return listed.filter((tag) => isTag(tag));
}

/** Returns the first Content-Type, as Go does. */
function contentType(response: HttpResponse): string {
  return (response.header('content-type') ?? '').split(',', 1)[0]!.trim();
}

/** Every manifest states its version or media type; the error page of a proxy has neither. */
function isManifest(bytes: Uint8Array): boolean {
  const fields = fieldsOf(parseJson(bytes)?.value);
  return fields?.get('schemaVersion') !== undefined || fields?.get('mediaType') !== undefined;
}

function strongEtag(response: HttpResponse): string | undefined {
  const etag = response.header('etag');
  return etag?.startsWith('"') === true ? etag : undefined;
}

function isContinuation(response: HttpResponse, offset: number): boolean {
  const range = response.header('content-range') ?? '';
  return response.status === 206 && range.startsWith(`bytes ${offset}-`);
}

const MAX_LINK_CHARS = 8_192;

/** The characters of a URL by RFC 3986. URL parsers disagree about others. */
const URL_CHARACTERS = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/;

/**
 * Returns the first link, whatever its `rel` is, as go-containerregistry does. An unreadable header
 * is an error, because the rest of the list would be missing silently.
 */
export function nextPage(link: string | undefined, current: URL, subject: string): URL | undefined {
  const bad = (what: string) => new SourceError('BAD_SOURCE', subject, what);
  const refuse = (where: string) => bad(`the next page would be ${where}, which is refused`);
  const header = (link ?? '').trim();
  if (header === '') return undefined;
  if (header.length > MAX_LINK_CHARS) {
    throw refuse(`behind a link of more than ${MAX_LINK_CHARS} characters`);
  }
  const end = header.indexOf('>');
  if (!header.startsWith('<') || end < 0) {
    throw bad(
      `its \`Link\` header, \`${printable(header, 100)}\`, does not start with a URL in \`<\` and \`>\``,
    );
  }
  const target = header.slice(1, end);
  if (!URL_CHARACTERS.test(target) || !URL.canParse(target, current.href)) {
    throw refuse('at something that is not a URL');
  }
  const url = new URL(target, current);
  if (url.origin !== current.origin) throw refuse(`at \`${shownUrl(url)}\`, another host`);
  if (url.pathname !== current.pathname) {
    throw refuse(`at \`${shownUrl(url)}\`, which lists another repository`);
  }
  return url;
}
