/** How every file that this tool writes begins: such a file in a folder of inputs asks for nothing. */
export const WRITTEN_MARK = '# Written by xpkg-resolve';

/** Whether a file begins so, by its first bytes or all of them. */
export function isMarked(bytes: Buffer): boolean {
  return bytes.toString('utf8', 0, WRITTEN_MARK.length) === WRITTEN_MARK;
}

/** How many bytes tell. */
export const MARK_BYTES = WRITTEN_MARK.length;
