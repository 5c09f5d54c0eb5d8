/** The lines that git writes where two sides changed a file, with the seven marks each. */
const MARKER = /^(?:<{7}|>{7}|\|{7}) |^={7}$/;

/** The line of the first conflict marker of a merge, from 1; undefined: there is none. */
export function conflictMarkerLine(text: string): number | undefined {
  if (!text.includes('<<<<<<< ')) return undefined;
  const line = text.split(/\r?\n/).findIndex((each) => MARKER.test(each));
  return line < 0 ? undefined : line + 1;
}
