import { SourceError } from '../../base/errors.js';
import { RefusedAddressError } from './address-rules.js';
import { WrongBytesError } from './body.js';
import { HostUnreachableError, TransientError } from './retry.js';
import { codeOf } from '../../base/files/file-system.js';

/**
 * Converts a network failure after the last retry. Other errors are returned unchanged.
 *
 * `before` is the HTTPS failure that caused the fallback to plain HTTP.
 */
export function asSourceError(
  error: unknown,
  subject: string,
  before?: HostUnreachableError,
): unknown {
  if (error instanceof SourceError) return error;
  if (error instanceof WrongBytesError) {
    return new SourceError('BAD_DIGEST', subject, error.message, {
      cause: error,
      hint: 'the registry, or something between it and you, does not serve what was published; nothing was used',
    });
  }
  const what = describeFailure(error);
  if (what === undefined) return error;
  const last = unreachableCause(error);
  if (before === undefined || before.code === last?.code) {
    return new SourceError('UNREACHABLE', subject, what, { cause: error, ...failureHint(last) });
  }
  return new SourceError('UNREACHABLE', subject, `${what}; before that, by HTTPS: ${before.code}`, {
    cause: error,
    ...failureHint(isCertificateError(before.code) ? before : last),
  });
}

/** Describes the failure, or returns undefined if it is not a network failure. */
function describeFailure(error: unknown): string | undefined {
  if (error instanceof TransientError) return `gave up after several tries: ${error.message}`;
  if (error instanceof HostUnreachableError) return error.message;
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return `the connection broke: ${codeOf(error)}`;
}

/** Returns the unreachable host that caused a failure, or undefined for other causes. */
export function unreachableCause(error: unknown): HostUnreachableError | undefined {
  const cause = error instanceof TransientError ? error.cause : error;
  return cause instanceof HostUnreachableError ? cause : undefined;
}

function failureHint(error: HostUnreachableError | undefined): { readonly hint?: string } {
  if (error === undefined) return {};
  const { code, request } = error;
  const { url, proxy } = request;
  if (error.cause instanceof RefusedAddressError) {
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

/** Only a server that uses TLS sends an alert. */
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
