import { SourceError } from '../model/source-error.js';
import type { Limits } from '../image/limits.js';
import { shownUrl } from './transport/transport.js';

const LINK = /<([^<>]*)>([^<]*)/g;
const REL_NEXT = /;\s*rel\s*=\s*"?next"?(?:[\s;,]|$)/i;

const MAX_LINK_CHARS = 8_192;

/** The URL of the next page from a Link header; undefined: this was the last page. */
export function nextPage(link: string | undefined, current: URL, subject: string): URL | undefined {
  const refuse = (where: string) =>
    new SourceError(
      'BAD_SOURCE',
      subject,
      `the next page of tags would be ${where}, which is refused`,
    );
  if ((link ?? '').length > MAX_LINK_CHARS)
    throw refuse(`behind a link of more than ${MAX_LINK_CHARS} characters`);
  const links = [...(link ?? '').matchAll(LINK)];
  if (links.length === 0 && (link ?? '').trim() !== '') throw refuse('behind a link that is none');
  for (const [, target, parameters] of links) {
    if (!REL_NEXT.test(parameters!)) continue;
    if (!URL.canParse(target!, current.href)) throw refuse('at what is not a URL');
    const url = new URL(target!, current);
    if (url.origin !== current.origin) throw refuse(`at \`${shownUrl(url)}\`, another host`);
    if (url.pathname !== current.pathname) {
      throw refuse(`at \`${shownUrl(url)}\`, which lists another repository`);
    }
    return url;
  }
  return undefined;
}

/** Joins the pages of a tag list; throws if they form a circle or exceed the limits. */
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

  /** Call it before each request for a page. */
  visit({ href }: URL): void {
    if (this.#visited.has(href)) throw this.#endless('goes in a circle');
    this.#visited.add(href);
    const { tagPages } = this.#limits;
    if (this.pages > tagPages) throw this.#endless(`has more than ${tagPages} pages`);
  }

  add(page: { readonly tags: readonly string[]; readonly bytes: number }): void {
    const { tags, tagListBytes } = this.#limits;
    this.#bytes += page.bytes;
    if (this.#bytes > tagListBytes) throw this.#endless(`has more than ${tagListBytes} bytes`);
    for (const tag of page.tags) this.#tags.add(tag);
    if (this.#tags.size > tags) throw this.#endless(`has more than ${tags} tags`);
  }

  #endless(what: string): SourceError {
    return new SourceError('TOO_LARGE', this.#subject, `the list ${what}`);
  }
}
