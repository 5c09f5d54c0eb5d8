// C0, DEL, C1, and characters that change the direction of text.
const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex -- the pattern matches control characters
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** The same characters without tabs and line feeds. */
const UNPRINTABLE_IN_LINES = new RegExp(
  UNPRINTABLE.source.replace('\\u0000-\\u001f', '\\u0000-\\u0008\\u000b-\\u001f'),
  'g',
);

/** Makes untrusted text safe for a terminal and a build log. Replaces unsafe characters. */
export function printable(text: string, maxLength = 300): string {
  const cut = text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
  return disableCommands(cut.replace(UNPRINTABLE, '\ufffd'), () => '\ufffd');
}

/** Makes untrusted lines safe to print, with escapes that JSON and YAML strings understand. */
export function escapeLines(text: string): string {
  return disableCommands(text.replace(UNPRINTABLE_IN_LINES, unicodeEscape), unicodeEscape);
}

/** Returns the JSON escape of a character: `\u001b`. */
export function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Text that a CI system executes if it is a line of a build log. The pattern matches the character
 * whose replacement disables the command. It checks the text before it with a lookbehind, which
 * keeps searches of long text fast.
 */
type BuildLogCommand = readonly [system: string, example: string, pattern: RegExp];

/** Disabled commands. Those with control characters are listed only to be tested. */
export const BUILD_LOG_COMMANDS: readonly BuildLogCommand[] = [
  ['GitHub Actions', '::error::x', /:(?=:)(?<=^[^\S\n]*:)/gm],
  ['GitHub Actions', '##[error]x', /#(?<=##)(?=\[)/g],
  ['Azure Pipelines', '##vso[task.complete]', /#(?<=##)(?=vso\[)/gi],
  ['TeamCity', "##teamcity[buildStop comment='x']", /#(?<=##)(?=teamcity\[)/gi],
  ['GitLab', 'section_start:1:x', /_(?<=section_)(?=(?:start|end):)/gi],
  // A console note, which Jenkins deserializes.
  // eslint-disable-next-line no-control-regex -- the form begins with an escape character
  ['Jenkins', '\u001b[8mha:////4AAAA', /\u001b(?=\[8mha:)/g],
  ['Travis CI', 'travis_fold:start:x', /_(?<=travis_)(?=fold:|time:)/gi],
  ['Buildkite', '--- x', /[-+~](?=([-+~])\1[^\S\n]+\S)(?<=^[-+~])/gm],
  ['Buildkite', '^^^ +++', /\^(?=\^\^[^\S\n]+\S)(?<=^\^)/gm],
  // An inline image or link.
  // eslint-disable-next-line no-control-regex -- the form begins with an escape character
  ['Buildkite', "\u001b]1339;url='https://example.org/'", /\u001b(?=\]13(?:38|39);)/g],
];

function disableCommands(text: string, replaced: (character: string) => string): string {
  return BUILD_LOG_COMMANDS.reduce((rest, [, , pattern]) => rest.replace(pattern, replaced), text);
}

/** A cheap test that every command passes and most texts fail. */
// eslint-disable-next-line no-control-regex -- two of the forms begin with an escape character
const MAYBE_COMMAND = /::|[#_\u001b]|^[-+~^]/m;

export function containsBuildLogCommand(text: string): boolean {
  if (!MAYBE_COMMAND.test(text)) return false;
  return BUILD_LOG_COMMANDS.some(([, , pattern]) => text.search(pattern) !== -1);
}

const GO_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Quotes text as Go's `%q` does. */
export function goQuoted(text: string): string {
  const escaped = Array.from(text, (character) => {
    const known = GO_ESCAPES[character];
    if (known !== undefined) return known;
    if (/^[ \p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character)) return character;
    const code = character.codePointAt(0)!.toString(16);
    if (code.length <= 2 && character < '\x80') return `\\x${code.padStart(2, '0')}`;
    return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
  });
  return `"${escaped.join('')}"`;
}

/** Returns the words as one line that a POSIX shell splits into the same words. */
export function shellCommand(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** Returns the word, in quotes unless a shell takes it literally without them. */
export function shellWord(word: string): string {
  return isPlainShellWord(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Whether no shell expands, splits or runs any part of the word. */
export function isPlainShellWord(word: string): boolean {
  return /^[\w@%+=:,./-]+$/.test(word);
}

/** Returns untrusted text as inline code in Markdown, where it has no other meaning. */
export function codeSpan(text: string, { inTable = false } = {}): string {
  const shown = printable(text).replaceAll('`', "'").trim();
  return `\`${(inTable ? shown.replaceAll('|', '\\|') : shown) || ' '}\``;
}

/** Returns untrusted lines as a code block whose fence is longer than any backticks in them. */
export function codeBlock(text: string, indent = ''): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  const lines = text.split('\n').map((line) => printable(line, Infinity));
  return [`${fence}text`, ...lines, fence].map((line) => `${indent}${line}`).join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an element or a quoted attribute of HTML or XML. Replaces lone surrogates. */
export function escapeMarkup(text: string, maxLength = 1000): string {
  return printable(text, maxLength)
    .replaceAll(/\p{Surrogate}|[\ufffe\uffff]/gu, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
