// C0, DEL, C1, and the marks that reorder text on screen.
const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Text from a stranger, fit for a terminal and a build log: no escape sequence, no line of its own,
 * no text that runs backwards, no workflow command (`::error::`, `##[error]`).
 */
export function printable(text: string, most = 300): string {
  const cut = text.length <= most ? text : `${text.slice(0, most)}…`;
  return cut
    .replace(UNPRINTABLE, '\ufffd')
    .replace(/^(\s*):(?=:)/, '$1\ufffd')
    .replaceAll('##[', '#\ufffd[');
}
