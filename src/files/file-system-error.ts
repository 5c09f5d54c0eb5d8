/** Whether the file system refused something, by which alone such errors can be told from others. */
export function isOfFileSystem(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
