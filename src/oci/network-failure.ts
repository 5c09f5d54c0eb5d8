import { SourceError } from '../model/source-error.js';
import { WrongBytes } from './body.js';
import { NoAnswer } from './no-answer.js';
import { TransientFailure } from './retry.js';
import { codeOf } from './transport.js';

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
    return new SourceError('UNREACHABLE', subject, what, { cause: error, ...hintFor(error.cause) });
  }
  if (!(error instanceof Error) || !('code' in error)) return error;
  const what = error instanceof NoAnswer ? error.message : `the connection broke: ${codeOf(error)}`;
  return new SourceError('UNREACHABLE', subject, what, { cause: error, ...hintFor(error) });
}

function hintFor(error: unknown): { readonly hint?: string } {
  if (!(error instanceof NoAnswer)) return {};
  const { code, asked } = error;
  const { url, proxy } = asked;
  if (isAboutCertificate(code)) return { hint: certificateHint(code, url.hostname) };
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

export function isAboutCertificate(code: string): boolean {
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
