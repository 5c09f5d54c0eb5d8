import {
  type AliasEvent,
  type Event,
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from 'js-yaml';
import { goScalar } from './go-scalar.js';
import { checkCharacters, checkSyntax, GoYamlSyntaxError } from './go-yaml-syntax.js';
import { lineAt, type NodeEvent, offsetOf } from './positions.js';
import type { JsonValue } from '../json.js';

/** The first document of a text, read as Go reads it. */
export interface GoDocument {
  readonly value: JsonValue;
  readonly source: string;
  /** The events of the parser, for looking up positions. */
  readonly events: readonly Event[];
}

interface GoYamlError {
  readonly error: string;
  /** Number of lines before the error. */
  readonly lineOffset: number;
}

const MAX_DEPTH = 100;
const END_OF_DOCUMENT = /(?<![^\n])\.\.\.(?=[ \t\n]|$)/;

/**
 * Reads the first document, and no further, as Go does. Of duplicate keys, the last wins. Syntax
 * that js-yaml reads differently is an error, unless this decoder compensates for it.
 */
export function parseGoYaml(text: string): GoDocument | GoYamlError {
  const end = END_OF_DOCUMENT.exec(text)?.index;
  const source = end === undefined ? text : text.slice(0, end);
  try {
    checkCharacters(text);
    const events = parseEvents(source, { maxDepth: MAX_DEPTH });
    checkSyntax(source, events);
    return { value: new GoDecoder(source, events).document(), source, events };
  } catch (error) {
    if (error instanceof YAMLException) {
      const message = `the document is not valid YAML: ${error.reason}`;
      return { error: message, lineOffset: error.mark?.line ?? 0 };
    }
    if (error instanceof GoYamlSyntaxError) {
      return { error: error.message, lineOffset: lineAt(text, error.offset) - 1 };
    }
    throw error;
  }
}

/** The node of an anchor. `value` is undefined while the node is being read. */
interface AnchoredNode {
  value: JsonValue | undefined;
  isMapping: boolean;
  /** Number of nodes that Go decodes for each alias of this anchor. */
  nodes: number;
}

const MERGE_KEY = '<<';
const MERGED_ANCHOR = 'a list that `<<` merges has an anchor; leave the anchor out';

/**
 * Builds the value of a document from parser events, as Go does (goyaml.v2, then JSON). Throws
 * `GoYamlSyntaxError` for what Go refuses, and for documents whose value in Go is random.
 */
class GoDecoder {
  readonly #source: string;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, AnchoredNode>();
  readonly #aliasLoad = new AliasLoad();
  #next = 0;

  constructor(source: string, events: readonly Event[]) {
    this.#source = source;
    this.#events = events;
  }

  document(): JsonValue {
    this.#next = this.#events.findIndex(({ type }) => type === EVENT_ID.DOCUMENT) + 1;
    this.#aliasLoad.addNode(0);
    return this.#isAtEnd() ? null : this.#node();
  }

  #node(): JsonValue {
    const at = this.#events[this.#next++] as NodeEvent;
    this.#aliasLoad.addNode(offsetOf(at));
    if (at.type === EVENT_ID.ALIAS) return this.#alias(at);
    const before = this.#aliasLoad.nodes;
    const anchored = this.#anchor(at);
    const value =
      at.type === EVENT_ID.SCALAR
        ? this.#scalar(at)
        : at.type === EVENT_ID.MAPPING
          ? this.#mapping()
          : this.#sequence();
    if (anchored !== undefined) {
      anchored.value = value;
      anchored.nodes = this.#aliasLoad.nodes - before + 1;
    }
    return value;
  }

  #anchor(at: Exclude<NodeEvent, AliasEvent>): AnchoredNode | undefined {
    if (at.anchorStart < 0) return undefined;
    const isMapping = at.type === EVENT_ID.MAPPING;
    const anchored: AnchoredNode = { value: undefined, isMapping, nodes: 0 };
    this.#anchors.set(this.#source.slice(at.anchorStart, at.anchorEnd), anchored);
    return anchored;
  }

  #alias(at: AliasEvent): JsonValue {
    const anchored = this.#anchorOf(at);
    if (anchored?.value === undefined) {
      const alias = this.#source.slice(at.anchorStart - 1, at.anchorEnd).slice(0, 40);
      const why = anchored ? 'stands inside its own anchor' : 'has no anchor before it';
      throw new GoYamlSyntaxError(`the alias \`${alias}\` ${why}`, at.anchorStart);
    }
    this.#aliasLoad.addAlias(anchored.nodes, at.anchorStart);
    return anchored.value;
  }

  #sequence(): JsonValue {
    const items: JsonValue[] = [];
    while (!this.#isAtEnd()) items.push(this.#node());
    this.#next++;
    return items;
  }

  #mapping(): JsonValue {
    const entries = new Map<string, JsonValue>();
    while (!this.#isAtEnd()) {
      const key = this.#events[this.#next] as NodeEvent;
      if (isPlain(key) && this.#text(key) === MERGE_KEY) {
        this.#next++;
        this.#merge(entries);
      } else {
        const name = this.#key(key);
        if (typeof name !== 'string')
          throw new GoYamlSyntaxError(notTextMessage(name), offsetOf(key));
        entries.set(name, this.#node());
      }
    }
    this.#next++;
    return Object.fromEntries(entries);
  }

  /** Reads a key. Refuses numbers, including those that JSON does not have. */
  #key(at: NodeEvent): JsonValue {
    const plain = isPlain(at) ? goScalar(this.#text(at)) : undefined;
    if (typeof plain === 'number') throw new GoYamlSyntaxError(notTextMessage(plain), offsetOf(at));
    return this.#node();
  }

  /** Merges mappings, which override the keys before `<<`. The first of several sources wins. */
  #merge(into: Map<string, JsonValue>): void {
    const at = this.#events[this.#next] as NodeEvent;
    const sources: JsonValue[] = [];
    if (at.type === EVENT_ID.SEQUENCE) {
      if (at.anchorStart >= 0) throw new GoYamlSyntaxError(MERGED_ANCHOR, at.anchorStart);
      this.#next++;
      while (!this.#isAtEnd()) sources.push(this.#mergeSource());
      this.#next++;
    } else sources.push(this.#mergeSource());
    for (const source of sources.toReversed()) {
      for (const [key, value] of Object.entries(source as object))
        into.set(key, value as JsonValue);
    }
  }

  #mergeSource(): JsonValue {
    const at = this.#events[this.#next] as NodeEvent;
    const isMapping =
      at.type === EVENT_ID.ALIAS ? this.#anchorOf(at)?.isMapping : at.type === EVENT_ID.MAPPING;
    if (!isMapping)
      throw new GoYamlSyntaxError(`\`${MERGE_KEY}\` takes mappings alone`, offsetOf(at));
    return this.#node();
  }

  #anchorOf(at: AliasEvent): AnchoredNode | undefined {
    return this.#anchors.get(this.#source.slice(at.anchorStart, at.anchorEnd));
  }

  #scalar(at: ScalarEvent): JsonValue {
    const text = this.#text(at);
    if (!isPlain(at)) return text;
    const value = goScalar(text);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      const message = `\`${text}\` is no number that JSON has (Crossplane: json: unsupported value); put it in quotes`;
      throw new GoYamlSyntaxError(message, offsetOf(at));
    }
    return value;
  }

  #text(at: ScalarEvent): string {
    return scalarText(this.#source, at);
  }

  #isAtEnd(): boolean {
    const event = this.#events[this.#next];
    return event === undefined || event.type === EVENT_ID.POP;
  }
}

/** Go refuses documents with excessive aliasing, measured by the share of nodes behind aliases. */
class AliasLoad {
  nodes = 0;
  #aliasedNodes = 0;

  addNode(offset: number): void {
    this.nodes++;
    this.#check(offset);
  }

  addAlias(nodes: number, offset: number): void {
    this.nodes += nodes;
    this.#aliasedNodes += nodes;
    this.#check(offset);
  }

  #check(offset: number): void {
    const [few, many] = [400_000, 4_000_000];
    if (this.#aliasedNodes <= 100 || this.nodes <= 1000) return;
    const scaled = 0.99 - (0.89 * (this.nodes - few)) / (many - few);
    const allowed = this.nodes <= few ? 0.99 : this.nodes >= many ? 0.1 : scaled;
    if (this.#aliasedNodes / this.nodes > allowed) {
      const message =
        'aliases blow the document up (Crossplane: document contains excessive aliasing); write out what they stand for';
      throw new GoYamlSyntaxError(message, offset);
    }
  }
}

/** Go converts some of these keys to text, and picks one of two equal keys at random. */
function notTextMessage(key: JsonValue): string {
  const found =
    typeof key === 'object' ? (key === null ? 'null' : 'a collection') : `the ${typeof key} ${key}`;
  return `a key must be text, and here it is ${found}; put it in quotes`;
}

function isPlain(event: Event): event is ScalarEvent {
  return event.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN && event.tagStart < 0;
}

/**
 * Returns the text of a scalar as Go reads it. U+2028 and U+2029 end a line in Go and not in
 * js-yaml: the indentation that Go writes after them in literal and single-quoted scalars is
 * removed.
 */
function scalarText(source: string, scalar: ScalarEvent): string {
  const text = getScalarValue(source, scalar);
  if (!/[\u2028\u2029]/.test(text)) return text;
  if (scalar.style === SCALAR_STYLE.SINGLE_QUOTED) {
    return text.replaceAll(/([\u2028\u2029]) +/g, '$1');
  }
  if (scalar.style !== SCALAR_STYLE.LITERAL_BLOCK) return text;
  return text.replaceAll(new RegExp(`([\\u2028\\u2029]) {${scalar.indent}}`, 'g'), '$1');
}
