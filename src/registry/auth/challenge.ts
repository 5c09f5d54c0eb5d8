/** One challenge of a WWW-Authenticate header. */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** By lower-case name. */
  readonly parameters: ReadonlyMap<string, string>;
}

const MAX_HEADER_CHARS = 8_192;
const TOKEN = /[^\s,="]+/y;
const SEPARATORS = /[\s,]*/y;
const EQUALS = /[ \t]*=[ \t]*/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;

/** Reads WWW-Authenticate: challenges, each with parameters; stops at the first syntax error. */
export function parseChallenges(header: string): readonly Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  const text = header.slice(0, MAX_HEADER_CHARS);
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match ?? undefined;
  };
  while (at < text.length) {
    take(SEPARATORS);
    const word = take(TOKEN)?.[0].toLowerCase();
    if (word === undefined) break;
    if (take(EQUALS) === undefined) {
      challenges.push({ scheme: word, parameters: new Map() });
      continue;
    }
    const quoted = take(QUOTED);
    const value = quoted === undefined ? take(TOKEN)?.[0] : unescaped(quoted[1]!);
    if (value === undefined) break;
    challenges.at(-1)?.parameters.set(word, value);
  }
  return challenges;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}
