import type { InputError } from '../model/input-error.js';

/** What is wrong with a reference that people often write, and how it is written right. */
interface ReferenceMistake {
  /** Goes on from the reference: "`https://…` begins with …". */
  readonly problem: string;
  readonly hint: NonNullable<InputError['hint']>;
}

const QUOTES = '\'"`’‘“”';

/**
 * Recognises an address, quotes that a shell left, blanks and capitals in a reference.
 *
 * go-containerregistry takes `https:` for a host, so an address would be refused for its host.
 */
export function referenceMistake(text: string): ReferenceMistake | undefined {
  const unquoted = withoutQuotes(text.trim());
  if (unquoted !== text.trim()) {
    return {
      problem: 'has quotes in it, which belong to the shell or to YAML',
      hint: `write \`${unquoted}\``,
    };
  }
  const scheme = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(text);
  if (scheme !== null) {
    const [, start, rest] = scheme;
    return {
      problem: `begins with \`${start}\`, which the name of an image does not`,
      hint: `write \`${rest}\``,
    };
  }
  if (text.endsWith('/')) {
    return { problem: 'ends in a slash', hint: `write \`${text.replace(/(?<!\/)\/+$/, '')}\`` };
  }
  const repository = text.split('@', 1)[0]!;
  const colon = repository.indexOf(':', repository.lastIndexOf('/'));
  const name = colon < 0 ? repository : repository.slice(0, colon);
  if (/\s/.test(name)) {
    return { problem: 'has a blank in it', hint: 'name one package, without blanks' };
  }
  if (name === name.toLowerCase()) return undefined;
  const lower = name.toLowerCase() + text.slice(name.length);
  return {
    problem: 'has capitals in it, and repositories are lower case',
    hint: `write \`${lower}\``,
  };
}

/** Takes quotes off both ends, and from around the version behind an `@`. */
function withoutQuotes(text: string): string {
  const inner = trimQuotes(text);
  const at = inner.indexOf('@');
  return at < 0 ? inner : `${trimQuotes(inner.slice(0, at))}@${trimQuotes(inner.slice(at + 1))}`;
}

function trimQuotes(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && QUOTES.includes(text[start]!)) start += 1;
  while (end > start && QUOTES.includes(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
}
