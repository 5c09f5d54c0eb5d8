import { SourceError } from '../model/source-error.js';
import {
  shownUrl,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from './transport/transport.js';

const MAX_REDIRECTS = 5;
const REDIRECT_STATUS = new Set([301, 302, 303, 307, 308]);
/** Headers that only the origin they were made for may see. */
const ORIGIN_BOUND = ['authorization', 'cookie', 'proxy-authorization'];

export interface FinalResponse {
  readonly response: HttpResponse;
  /** The URL after all redirects. */
  readonly url: URL;
}

/**
 * Sends a GET and follows redirects.
 *
 * Credentials are dropped at the first redirect to another origin, and stay dropped should a later
 * redirect lead back.
 */
export async function sendFollowingRedirects(
  transport: Transport,
  request: HttpRequest,
  subject: string,
): Promise<FinalResponse> {
  let current = request;
  for (let hops = 0; ; hops += 1) {
    const response = await transport(current);
    const location = response.header('location');
    if (!REDIRECT_STATUS.has(response.status) || location === undefined) {
      return { response, url: current.url };
    }
    await response.discard();
    if (hops === MAX_REDIRECTS) {
      throw new SourceError('UNREACHABLE', subject, `more than ${MAX_REDIRECTS} redirects`);
    }
    current = redirected(current, location, subject);
  }
}

function redirected(from: HttpRequest, location: string, subject: string): HttpRequest {
  if (!URL.canParse(location, from.url.href)) {
    throw new SourceError('UNREACHABLE', subject, 'redirected to what is not a URL');
  }
  const url = new URL(location, from.url);
  const secure = url.protocol === 'https:';
  if (!secure && (url.protocol !== 'http:' || from.url.protocol === 'https:')) {
    const what = `redirected from ${from.url.protocol.slice(0, -1)} to \`${shownUrl(url)}\`, which is refused`;
    throw new SourceError('UNREACHABLE', subject, what);
  }
  url.username = '';
  url.password = '';
  return {
    ...from,
    url,
    referrer: from.referrer ?? { registry: from.url, as: 'redirect' },
    headers: url.origin === from.url.origin ? from.headers : withoutCredentials(from.headers),
  };
}

function withoutCredentials(headers: HttpRequest['headers']): HttpRequest['headers'] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !ORIGIN_BOUND.includes(name)),
  );
}
