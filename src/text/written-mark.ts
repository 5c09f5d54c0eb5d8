/** How every file that this tool writes begins: such a file in a folder of inputs asks for nothing. */
export const WRITTEN_MARK = '# Written by xpkg-resolve';
