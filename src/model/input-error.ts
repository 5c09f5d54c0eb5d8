import type { Origin } from './package.js';
import { redactCredentials } from '../text/redact-credentials.js';

/** What the user gave cannot be used (exit 2): says what, where and what to do. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly origin: Origin | undefined;
  readonly hint: string | undefined;

  constructor(
    message: string,
    options?: { origin?: Origin | undefined; hint?: string } & ErrorOptions,
  ) {
    const located = options?.origin ? `${formatOrigin(options.origin)}: ${message}` : message;
    super(redactCredentials(located), options);
    this.origin = options?.origin;
    this.hint = options?.hint === undefined ? undefined : redactCredentials(options.hint);
  }
}

/** `file:line`, or just the file where lines mean nothing. */
export function formatOrigin(origin: Origin): string {
  return origin.line === undefined ? origin.file : `${origin.file}:${origin.line}`;
}
