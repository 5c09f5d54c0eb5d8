import type { Proxy } from './proxy-environment.js';

/** An error whose code begins so tells of a proxy that let nothing through, by its status. */
export const PROXY_ANSWERED = 'PROXY_ANSWERED_';

export interface FailedRequest {
  readonly url: URL;
  readonly proxy: Proxy | undefined;
  /** Who that is, where it is not the host that packages name. */
  readonly role?: string | undefined;
}

/** A request to which nobody answered: neither the host it is for, nor a proxy on the way. */
export class HostUnreachable extends Error {
  override readonly name = 'HostUnreachable';
  /** Of the error beneath. */
  readonly code: string;
  readonly request: FailedRequest;

  constructor(code: string, asked: FailedRequest, cause: unknown) {
    super(whatHappened(code, asked), { cause });
    this.code = code;
    this.request = asked;
  }

  /** The same, saying who was asked. */
  withRole(role: string): HostUnreachable {
    return new HostUnreachable(this.code, { ...this.request, role }, this.cause);
  }
}

function whatHappened(code: string, { url, proxy, role }: FailedRequest): string {
  if (code.startsWith(PROXY_ANSWERED)) {
    return `the proxy \`${proxy?.shown}\` answered ${code.slice(PROXY_ANSWERED.length)}`;
  }
  const who = `${role === undefined ? '' : `${role} `}\`${url.host}\``;
  const through = proxy === undefined ? '' : ` through the proxy \`${proxy.shown}\``;
  return `${who} cannot be reached${through}: ${code}`;
}
