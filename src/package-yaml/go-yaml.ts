import {
  constructFromEvents,
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  mapTag,
  mergeTag,
  NOT_RESOLVED,
  parseEvents,
  Schema,
  seqTag,
  strTag,
  YAMLException,
  type Event,
} from 'js-yaml';
import type { JsonValue } from '../text/json.js';
import { goScalar } from './go-scalar.js';

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

const TAG = 'tag:yaml.org,2002:';
const NUMBER_STARTS = '+-.0123456789';
const neverDumped = () => false;

function resolvedScalar(name: string, firstChars: string, accepts: (value: unknown) => boolean) {
  return defineScalarTag<unknown>(`${TAG}${name}`, {
    implicit: true,
    implicitFirstChars: firstChars === '' ? null : firstChars.split(''),
    resolve: (source) => {
      const value = goScalar(source);
      return accepts(value) ? value : NOT_RESOLVED;
    },
    identify: neverDumped,
  });
}

const schema = new Schema([
  strTag,
  resolvedScalar('null', '', (value) => value === null),
  resolvedScalar('bool', 'yYnNtTfFoO', (value) => typeof value === 'boolean'),
  resolvedScalar('int', NUMBER_STARTS, Number.isInteger),
  resolvedScalar('float', NUMBER_STARTS, (value) => typeof value === 'number'),
  mergeTag,
  defineScalarTag(`${TAG}binary`, {
    resolve: (source) => Buffer.from(source, 'base64').toString(),
    identify: neverDumped,
  }),
  seqTag,
  { ...mapTag, addPair: addPairWithKey },
  // Tags Go does not know are ignored, and their scalars are text.
  defineScalarTag('', { matchByTagPrefix: true, resolve: (s) => s, identify: neverDumped }),
  defineSequenceTag('', { ...seqTag, matchByTagPrefix: true, identify: neverDumped }),
  defineMappingTag('', { ...mapTag, addPair: addPairWithKey, matchByTagPrefix: true }),
]);

function addPairWithKey(carrier: Record<string, unknown>, key: unknown, value: unknown): string {
  return key === null ? 'null is no key' : mapTag.addPair(carrier, key, value);
}

const LIMITS = { maxDepth: 100, maxAliases: 10_000, maxTotalMergeKeys: 10_000 };
const END_OF_DOCUMENT = /^\.\.\.(?=[ \t\n]|$)/m;

/** Reads the first document, and no further, as Go's decoder does; duplicate keys: the last wins. */
export function parseGoYaml(text: string): GoDocument | GoYamlError {
  const end = END_OF_DOCUMENT.exec(text)?.index;
  const source = end === undefined ? text : text.slice(0, end);
  try {
    const events = parseEvents(source, LIMITS);
    const [value = null] = constructFromEvents(events, { source, schema, json: true, ...LIMITS });
    // The schema above makes nothing but what JSON has.
    return { value: value as JsonValue, source, events };
  } catch (error) {
    if (error instanceof YAMLException) {
      return { error: error.reason, lineOffset: error.mark?.line ?? 0 };
    }
    throw error;
  }
}
