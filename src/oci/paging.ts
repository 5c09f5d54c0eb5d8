import { SourceError } from '../model/source-error.js';
import { shownUrl } from './transport.js';

const LINK = /<([^<>]*)>([^<]*)/g;
const REL_NEXT = /;\s*rel\s*=\s*"?next"?(?:[\s;,]|$)/i;

/** Where a Link header says the next page is; undefined: this was the last. */
export function nextPage(link: string | undefined, current: URL, subject: string): URL | undefined {
  for (const [, target, parameters] of (link ?? '').slice(0, 8_192).matchAll(LINK)) {
    if (!REL_NEXT.test(parameters!)) continue;
    if (!URL.canParse(target!, current.href)) break;
    const url = new URL(target!, current);
    if (url.origin !== current.origin) {
      throw new SourceError(
        'BAD_SOURCE',
        subject,
        `the next page of tags would be at \`${shownUrl(url)}\`, another host, which is refused`,
      );
    }
    return url;
  }
  return undefined;
}
