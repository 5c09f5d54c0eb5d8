/** The prefix of script paths in the names of embedded files. */
export const PROGRAM = 'program/';
/** The prefix of script paths in the names of code caches. */
export const COMPILED = 'compiled/';
