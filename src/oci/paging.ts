import { SourceError } from '../model/source-error.js';
import { shownUrl } from './transport.js';

const LINK = /<([^<>]*)>([^<]*)/g;
const REL_NEXT = /;\s*rel\s*=\s*"?next"?(?:[\s;,]|$)/i;

const LONGEST = 8_192;

/** Where a Link header says the next page is; undefined: this was the last. */
export function nextPage(link: string | undefined, current: URL, subject: string): URL | undefined {
  const refuse = (where: string) =>
    new SourceError(
      'BAD_SOURCE',
      subject,
      `the next page of tags would be ${where}, which is refused`,
    );
  if ((link ?? '').length > LONGEST)
    throw refuse(`behind a link of more than ${LONGEST} characters`);
  for (const [, target, parameters] of (link ?? '').matchAll(LINK)) {
    if (!REL_NEXT.test(parameters!)) continue;
    if (!URL.canParse(target!, current.href)) throw refuse('at what is not a URL');
    const url = new URL(target!, current);
    if (url.origin !== current.origin) throw refuse(`at \`${shownUrl(url)}\`, another host`);
    return url;
  }
  return undefined;
}
