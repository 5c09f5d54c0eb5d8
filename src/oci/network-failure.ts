import { SourceError } from '../model/source-error.js';
import { WrongBytes } from './body.js';
import { TransientFailure } from './retry.js';
import { codeOf, PROXY_ANSWERED } from './transport.js';

/** What a failure is once nothing more is tried; what is not of the network stays as it is. */
export function asSourceError(error: unknown, subject: string): unknown {
  if (error instanceof SourceError) return error;
  if (error instanceof WrongBytes) {
    return new SourceError('BAD_DIGEST', subject, error.message, {
      cause: error,
      hint: 'the registry, or something between it and you, does not serve what was published; nothing was used',
    });
  }
  if (error instanceof TransientFailure) {
    const what = `gave up after several tries: ${error.message}`;
    return new SourceError('UNREACHABLE', subject, what, {
      cause: error,
      ...hintFor(codeOf(error.cause)),
    });
  }
  if (!(error instanceof Error) || !('code' in error)) return error;
  const code = codeOf(error);
  return new SourceError('UNREACHABLE', subject, `the registry cannot be reached: ${code}`, {
    cause: error,
    ...hintFor(code),
  });
}

function hintFor(code: string): { readonly hint?: string } {
  if (isAboutCertificate(code)) {
    return {
      hint: 'the certificate is not trusted; name a file with the right authority in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS',
    };
  }
  if (code.startsWith('ERR_SSL')) {
    return { hint: 'if this registry speaks plain HTTP, say so with --insecure-registry HOST' };
  }
  if (code.startsWith(PROXY_ANSWERED)) {
    return {
      hint: 'the proxy lets nothing through to this registry: check HTTPS_PROXY (HTTP_PROXY for plain HTTP), or exempt the registry with NO_PROXY',
    };
  }
  return {};
}

export function isAboutCertificate(code: string): boolean {
  return code.includes('CERT') || code.includes('VERIFY');
}
