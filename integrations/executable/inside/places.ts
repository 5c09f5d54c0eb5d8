/** Before the path of a script, in the names of what an executable has inside. */
export const PROGRAM = 'program/';
/** Before the path of a script, for what V8 made of it. */
export const COMPILED = 'compiled/';
