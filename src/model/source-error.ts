import { redactCredentials } from '../text/redact-credentials.js';

export type SourceErrorCode =
  | 'UNREACHABLE'
  | 'UNAUTHORIZED'
  | 'BAD_DIGEST'
  | 'BAD_IMAGE'
  | 'TOO_LARGE'
  | 'BAD_SOURCE'
  | 'OFFLINE';

/** A source of packages failed, at a known place. Ends the run (exit 5): message, then `hint:`. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: SourceErrorCode;
  readonly hint: string | undefined;
  readonly #subject: string;
  readonly #what: string;

  constructor(
    code: SourceErrorCode,
    subject: string,
    what: string,
    options?: ErrorOptions & { hint?: string | undefined },
  ) {
    super(redactCredentials(`${subject}: ${what}`), options);
    this.code = code;
    this.hint = options?.hint === undefined ? undefined : redactCredentials(options.hint);
    this.#subject = subject;
    this.#what = what;
  }

  /** A copy with more advice: `hint` goes first. */
  advising(hint: string): SourceError {
    const hints = [hint, ...(this.hint === undefined ? [] : [this.hint])].join('; ');
    return new SourceError(this.code, this.#subject, this.#what, { cause: this, hint: hints });
  }
}
