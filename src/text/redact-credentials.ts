/** `//user:password@`; a password may hold an `@` of its own. */
const IN_URL = /\/\/[^\s/?#`]*@/g;
/** `user:password@host/…`, as curl takes it; not `dir:host@5000/…`, not `C:\…`. */
const BEFORE_HOST =
  /(^|[\s`])(?!(?:dir|layout|xpkg|cache|index):|[A-Za-z]:\\)[^\s/@:`]+:[^\s/`]*@(?=[^\s/@`]+\/)/g;

/** Text without the user and the password that a URL or reference in it may carry. */
export function redactCredentials(text: string): string {
  return text.replace(IN_URL, '//').replace(BEFORE_HOST, '$1');
}
