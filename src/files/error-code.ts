/** The `code` of an error, `ENOENT` or `ECONNRESET`; its class where it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Whether a look-up failed because nothing has that path, or could have it. */
export function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error));
}

/** Whether an error names a system call, as errors of the file system do and `SourceError` does not. */
export function isFileSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
