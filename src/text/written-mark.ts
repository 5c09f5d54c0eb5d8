/** How every file that this tool writes begins, so that it can tell them from what it is asked. */
export const WRITTEN_MARK = '# Written by xpkg-resolve';
