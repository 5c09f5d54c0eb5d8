import { withoutCommands } from './build-log-commands.js';

// C0, DEL, C1, and the marks that reorder text on screen.
const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** The same, but for tabs and line ends. */
const UNPRINTABLE_IN_LINES = new RegExp(
  UNPRINTABLE.source.replace('\\u0000-\\u001f', '\\u0000-\\u0008\\u000b-\\u001f'),
  'g',
);

/**
 * Makes untrusted text fit for a terminal and a build log: no escape sequence, no line of its own,
 * no text that runs backwards, no command to the system that shows the log.
 */
export function printable(text: string, maxLength = 300): string {
  const cut = text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
  return withoutCommands(cut.replace(UNPRINTABLE, '\ufffd'), () => '\ufffd');
}

/**
 * Makes untrusted lines fit for a terminal without losing anything: what is unfit is written
 * `\u001b`, which means the same where it stood in a string of JSON or of quoted YAML.
 */
export function escapedLines(text: string): string {
  return withoutCommands(text.replace(UNPRINTABLE_IN_LINES, escape), escape);
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
