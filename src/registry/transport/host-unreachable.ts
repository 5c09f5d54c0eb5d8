import { RefusedAddress } from './address-guard.js';
import type { Proxy } from './proxy-environment.js';

/** Code of an error by which a proxy refused a request, followed by the status it answered with. */
export const PROXY_ANSWERED = 'PROXY_ANSWERED_';

export interface FailedRequest {
  readonly url: URL;
  readonly proxy: Proxy | undefined;
  /** What the host is for, `the token server`; undefined: it is the registry that packages name. */
  readonly role?: string | undefined;
}

/** A request that got no response from its host, because of the network or of a proxy. */
export class HostUnreachable extends Error {
  override readonly name = 'HostUnreachable';
  /** Code of the underlying error, or `PROXY_ANSWERED` and a status. */
  readonly code: string;
  readonly request: FailedRequest;

  constructor(code: string, asked: FailedRequest, cause: unknown) {
    super(cause instanceof RefusedAddress ? whyRefused(cause, asked) : whatHappened(code, asked), {
      cause,
    });
    this.code = code;
    this.request = asked;
  }

  /** A copy whose message says what the host is for. */
  withRole(role: string): HostUnreachable {
    return new HostUnreachable(this.code, { ...this.request, role }, this.cause);
  }
}

function whyRefused({ message }: RefusedAddress, { url, role }: FailedRequest): string {
  const who = role ?? 'the host that the registry redirects to';
  return `${who}, \`${url.host}\`, is not asked: ${message}`;
}

function whatHappened(code: string, { url, proxy, role }: FailedRequest): string {
  if (code.startsWith(PROXY_ANSWERED)) {
    return `the proxy \`${proxy?.shown}\` answered ${code.slice(PROXY_ANSWERED.length)}`;
  }
  const who = `${role === undefined ? '' : `${role} `}\`${url.host}\``;
  const through = proxy === undefined ? '' : ` through the proxy \`${proxy.shown}\``;
  return `${who} cannot be reached${through}: ${code}`;
}
