import { SourceError } from '../../base/errors.js';
import { printable } from '../../base/escape.js';
import type { Limits } from '../image/limits.js';
import { shownUrl } from './transport.js';

const MAX_LINK_CHARS = 8_192;

/** The characters of a URL by RFC 3986. URL parsers disagree about others. */
const URL_CHARACTERS = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/;

/**
 * Returns the URL of the next page from a Link header, or undefined without such a header.
 *
 * Like go-containerregistry, it follows the first link, whatever its `rel` is. An unreadable header
 * is an error, because the rest of the list would be missing silently.
 */
export function nextPage(link: string | undefined, current: URL, subject: string): URL | undefined {
  const refuse = (where: string) =>
    new SourceError('BAD_SOURCE', subject, `the next page would be ${where}, which is refused`);
  const header = (link ?? '').trim();
  if (header === '') return undefined;
  if (header.length > MAX_LINK_CHARS) {
    throw refuse(`behind a link of more than ${MAX_LINK_CHARS} characters`);
  }
  const end = header.indexOf('>');
  if (!header.startsWith('<') || end < 0) {
    const what = `its \`Link\` header, \`${printable(header, 100)}\`, does not start with a URL in \`<\` and \`>\``;
    throw new SourceError('BAD_SOURCE', subject, what);
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

/** Joins the pages of a tag list. Throws if they form a cycle or exceed the limits. */
export class TagCollector {
  readonly #subject: string;
  readonly #limits: Limits;
  readonly #visited = new Set<string>();
  readonly #tags = new Set<string>();
  #bytes = 0;

  constructor(subject: string, limits: Limits) {
    this.#subject = subject;
    this.#limits = limits;
  }

  get pages(): number {
    return this.#visited.size;
  }

  get tags(): readonly string[] {
    return [...this.#tags];
  }

  /** Must be called before each page request. */
  visit({ href }: URL): void {
    if (this.#visited.has(href)) throw this.#tooLarge('goes in a circle');
    this.#visited.add(href);
    const { tagPages } = this.#limits;
    if (this.pages > tagPages) throw this.#tooLarge(`has more than ${tagPages} pages`);
  }

  add(page: { readonly tags: readonly string[]; readonly bytes: number }): void {
    const { tags, tagListBytes } = this.#limits;
    this.#bytes += page.bytes;
    if (this.#bytes > tagListBytes) throw this.#tooLarge(`has more than ${tagListBytes} bytes`);
    for (const tag of page.tags) this.#tags.add(tag);
    if (this.#tags.size > tags) throw this.#tooLarge(`has more than ${tags} tags`);
  }

  #tooLarge(what: string): SourceError {
    return new SourceError('TOO_LARGE', this.#subject, `the list ${what}`);
  }
}
