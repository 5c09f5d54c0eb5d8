import { SourceError } from '../../model/source-error.js';
import { RefusedAddress } from './address-guard.js';
import { WrongBytes } from '../body.js';
import { HostUnreachable } from './host-unreachable.js';
import { TransientFailure } from '../retry.js';
import { codeOf } from '../../files/error-code.js';

/**
 * Explains a failure of the network after the last try; other errors stay as they are.
 *
 * `before` is how HTTPS failed, where plain HTTP was tried because of it.
 */
export function asSourceError(error: unknown, subject: string, before?: HostUnreachable): unknown {
  if (error instanceof SourceError) return error;
  if (error instanceof WrongBytes) {
    return new SourceError('BAD_DIGEST', subject, error.message, {
      cause: error,
      hint: 'the registry, or something between it and you, does not serve what was published; nothing was used',
    });
  }
  const what = whatFailed(error);
  if (what === undefined) return error;
  const last = unreachableIn(error);
  if (before === undefined || before.code === last?.code) {
    return new SourceError('UNREACHABLE', subject, what, { cause: error, ...hintFor(last) });
  }
  return new SourceError('UNREACHABLE', subject, `${what}; before that, by HTTPS: ${before.code}`, {
    cause: error,
    ...hintFor(isCertificateError(before.code) ? before : last),
  });
}

/** The failure in words; undefined: it is none of the network. */
function whatFailed(error: unknown): string | undefined {
  if (error instanceof TransientFailure) return `gave up after several tries: ${error.message}`;
  if (error instanceof HostUnreachable) return error.message;
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return `the connection broke: ${codeOf(error)}`;
}

/** The unreachable host behind a failure, also behind a transient one; undefined: another cause. */
export function unreachableIn(error: unknown): HostUnreachable | undefined {
  const beneath = error instanceof TransientFailure ? error.cause : error;
  return beneath instanceof HostUnreachable ? beneath : undefined;
}

function hintFor(error: HostUnreachable | undefined): { readonly hint?: string } {
  if (error === undefined) return {};
  const { code, request } = error;
  const { url, proxy } = request;
  if (error.cause instanceof RefusedAddress) {
    return { hint: 'nothing was sent to it; if both are yours, give them addresses of one kind' };
  }
  if (code.startsWith('ERR_SSL') && code.includes('ALERT')) return { hint: ALERT_HINT };
  if (isCertificateError(code)) return { hint: certificateHint(code, url.hostname) };
  if (code.startsWith('ERR_SSL')) {
    const flag = `--insecure-registry ${url.host}`;
    return { hint: `if this registry speaks plain HTTP, say so with \`${flag}\`` };
  }
  if (proxy === undefined) return {};
  const variable = url.protocol === 'http:' ? 'HTTP_PROXY' : 'HTTPS_PROXY';
  return {
    hint: `check the environment variable ${variable}, or exempt \`${url.hostname}\` from the proxy with NO_PROXY`,
  };
}

/** An alert comes from a server that speaks TLS. */
const ALERT_HINT =
  'the server speaks TLS and refuses ours: it must take TLS 1.2 or newer, and clients without a certificate';

export function isCertificateError(code: string): boolean {
  return code.includes('CERT') || code.includes('VERIFY');
}

function certificateHint(code: string, host: string): string {
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `the certificate is for other names than \`${host}\`: use one of those, or have the certificate made for this one, too`;
    case 'CERT_HAS_EXPIRED':
      return 'the certificate has expired and must be renewed where it is served, unless the clock of this machine is wrong';
    case 'CERT_NOT_YET_VALID':
      return 'the certificate is not valid yet: check the clock of this machine';
    default:
      return 'the certificate is not trusted; name a file with the right authority in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS';
  }
}
