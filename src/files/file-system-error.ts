/** Whether an error names a system call, as errors of the file system do and `SourceError` does not. */
export function isFileSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
