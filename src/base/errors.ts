import type { Path } from './json.js';

/** An error in what the user supplied (exit code 2). `hint` states what to do. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly origin: Origin | undefined;
  readonly hint: string | undefined;

  constructor(
    message: string,
    options?: { origin?: Origin | undefined; hint?: string | undefined } & ErrorOptions,
  ) {
    const located = options?.origin ? `${formatOrigin(options.origin)}: ${message}` : message;
    super(redactCredentials(located), options);
    this.origin = options?.origin;
    this.hint = options?.hint && redactCredentials(options.hint);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function formatOrigin(origin: Origin): string {
  return origin.line === undefined ? origin.file : `${origin.file}:${origin.line}`;
}

/** The place where a value is written, for messages and for edits. */
export interface Origin {
  /** Path as the user gave it, `-` for stdin, `command line`, or `<repository>@<version>`. */
  readonly file: string;
  /** 1-based; undefined if the place has no lines. */
  readonly line?: number | undefined;
  /** 0-based index of the document in a YAML stream. Empty documents count. */
  readonly document?: number | undefined;
  /** Path in the document, or the index of the reference on the command line. */
  readonly path?: Path | undefined;
}

export type SourceErrorCode =
  | 'UNREACHABLE'
  | 'UNAUTHORIZED'
  | 'BAD_DIGEST'
  | 'BAD_IMAGE'
  | 'TOO_LARGE'
  | 'BAD_SOURCE'
  | 'OFFLINE';

/** A failure of a package source (exit code 5). */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: SourceErrorCode;
  readonly hint: string | undefined;
  readonly #subject: string;
  readonly #problem: string;

  constructor(
    code: SourceErrorCode,
    subject: string,
    what: string,
    options?: ErrorOptions & { hint?: string | undefined },
  ) {
    super(redactCredentials(`${subject}: ${what}`), options);
    this.code = code;
    this.hint = options?.hint && redactCredentials(options.hint);
    this.#subject = subject;
    this.#problem = what;
  }

  /** Returns a copy with one more hint, which comes first. */
  advising(hint: string): SourceError {
    const hints = [hint, ...(this.hint === undefined ? [] : [this.hint])].join('; ');
    return new SourceError(this.code, this.#subject, this.#problem, { cause: this, hint: hints });
  }
}

/** Returns the result, or undefined for a `SourceError` with one of `codes`; with any by default. */
export async function undefinedIfFailed<T>(
  result: Promise<T>,
  codes?: readonly SourceErrorCode[],
): Promise<T | undefined> {
  return result.catch((error: unknown) => {
    if (error instanceof SourceError && codes?.includes(error.code) !== false) return undefined;
    throw error;
  });
}

/** Waits for all promises. Returns their values and `SourceError`s; throws the first other error. */
export async function valuesAndFailures<T>(promises: readonly Promise<T>[]) {
  const values: T[] = [];
  const failures: SourceError[] = [];
  for (const outcome of await Promise.allSettled(promises)) {
    if (outcome.status === 'fulfilled') values.push(outcome.value);
    else if (outcome.reason instanceof SourceError) failures.push(outcome.reason);
    else throw outcome.reason;
  }
  return { values, failures };
}

/** `//user:password@`; the password may contain an `@`. */
const URL_CREDENTIALS = /\/\/[^\s/?#`]*@/g;
/** `user:password@host/…`, as curl accepts it, but not `dir:host@5000/…` or `C:\…`. */
const REFERENCE_CREDENTIALS =
  /(^|[\s`])(?!(?:dir|layout|xpkg|cache|index):|[A-Za-z]:\\)[^\s/@:`]+:[^\s/`]*@(?=[^\s/@`]+\/)/g;

/** Returns the text without the credentials in its URLs and references. */
export function redactCredentials(text: string): string {
  return text.replace(URL_CREDENTIALS, '//').replace(REFERENCE_CREDENTIALS, '$1');
}
