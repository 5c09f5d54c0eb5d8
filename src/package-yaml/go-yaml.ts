import { parseEvents, YAMLException, type Event } from 'js-yaml';
import type { JsonValue } from '../text/json.js';
import { lineAt } from '../text/line-finder.js';
import { decodeAsGo } from './go-decoder.js';
import { checkCharacters, checkSpelling } from './spelling.js';
import { Unreadable } from './unreadable.js';

/** The first document of a text, read as Go reads it. */
export interface GoDocument {
  readonly value: JsonValue;
  readonly source: string;
  /** What it was made of, for looking up where something stands. */
  readonly events: readonly Event[];
}

interface GoYamlError {
  readonly error: string;
  /** Lines before the place of the error. */
  readonly lineOffset: number;
}

const MAX_DEPTH = 100;
const END_OF_DOCUMENT = /(?<![^\n])\.\.\.(?=[ \t\n]|$)/;

/**
 * Reads the first document, and no further, as Go's decoder does; duplicate keys: the last wins.
 *
 * What Go and js-yaml read differently is an error, unless the difference is made up for here.
 */
export function parseGoYaml(text: string): GoDocument | GoYamlError {
  const end = END_OF_DOCUMENT.exec(text)?.index;
  const source = end === undefined ? text : text.slice(0, end);
  try {
    checkCharacters(text);
    const events = parseEvents(source, { maxDepth: MAX_DEPTH });
    checkSpelling(source, events);
    return { value: decodeAsGo(source, events), source, events };
  } catch (error) {
    if (error instanceof YAMLException) {
      const message = `the document is not valid YAML: ${error.reason}`;
      return { error: message, lineOffset: error.mark?.line ?? 0 };
    }
    if (error instanceof Unreadable) {
      return { error: error.message, lineOffset: lineAt(text, error.offset) - 1 };
    }
    throw error;
  }
}
