import { EVENT_ID, SCALAR_STYLE, type AliasEvent, type Event, type ScalarEvent } from 'js-yaml';
import type { JsonValue } from '../text/json.js';
import { goScalar } from './go-scalar.js';
import { offsetOf, type NodeEvent } from './node-event.js';
import { scalarText } from './scalar-text.js';
import { Unreadable } from './unreadable.js';

/**
 * The value of a document, made of a parser's events the way Go makes it (goyaml.v2, then JSON).
 *
 * The last of equal keys wins, and so does a merge over the keys before it. Throws `Unreadable` at
 * what Go refuses, and where its answer depends on chance.
 */
export function decodeAsGo(source: string, events: readonly Event[]): JsonValue {
  return new GoDecoder(source, events).document();
}

/** What an anchor stands for; undefined value: its node is still being read. */
interface Anchored {
  value: JsonValue | undefined;
  isMapping: boolean;
  /** Nodes that Go decodes each time an alias leads here. */
  nodes: number;
}

const MERGE_KEY = '<<';
const MERGED_ANCHOR = 'a list that `<<` merges has an anchor; leave the anchor out';

class GoDecoder {
  readonly #source: string;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, Anchored>();
  readonly #load = new AliasLoad();
  #next = 0;

  constructor(source: string, events: readonly Event[]) {
    this.#source = source;
    this.#events = events;
  }

  document(): JsonValue {
    this.#next = this.#events.findIndex(({ type }) => type === EVENT_ID.DOCUMENT) + 1;
    this.#load.count(0);
    return this.#ended() ? null : this.#node();
  }

  #node(): JsonValue {
    const at = this.#events[this.#next++] as NodeEvent;
    this.#load.count(offsetOf(at));
    if (at.type === EVENT_ID.ALIAS) return this.#alias(at);
    const before = this.#load.nodes;
    const anchored = this.#anchor(at);
    const value = this.#content(at);
    if (anchored !== undefined) {
      anchored.value = value;
      anchored.nodes = this.#load.nodes - before + 1;
    }
    return value;
  }

  #content(at: Exclude<NodeEvent, AliasEvent>): JsonValue {
    if (at.type === EVENT_ID.SCALAR) return this.#scalar(at);
    return at.type === EVENT_ID.MAPPING ? this.#mapping() : this.#sequence();
  }

  #anchor(at: Exclude<NodeEvent, AliasEvent>): Anchored | undefined {
    if (at.anchorStart < 0) return undefined;
    const isMapping = at.type === EVENT_ID.MAPPING;
    const anchored: Anchored = { value: undefined, isMapping, nodes: 0 };
    this.#anchors.set(this.#source.slice(at.anchorStart, at.anchorEnd), anchored);
    return anchored;
  }

  #alias(at: AliasEvent): JsonValue {
    const anchored = this.#anchorOf(at);
    if (anchored?.value === undefined) {
      const alias = this.#source.slice(at.anchorStart - 1, at.anchorEnd).slice(0, 40);
      const why = anchored ? 'stands inside its own anchor' : 'has no anchor before it';
      throw new Unreadable(`the alias \`${alias}\` ${why}`, at.anchorStart);
    }
    this.#load.follow(anchored.nodes, at.anchorStart);
    return anchored.value;
  }

  #sequence(): JsonValue {
    const items: JsonValue[] = [];
    while (!this.#ended()) items.push(this.#node());
    this.#next++;
    return items;
  }

  #mapping(): JsonValue {
    const entries = new Map<string, JsonValue>();
    while (!this.#ended()) {
      const key = this.#events[this.#next] as NodeEvent;
      if (isPlain(key) && this.#text(key) === MERGE_KEY) {
        this.#next++;
        this.#merge(entries);
      } else {
        const name = this.#key(key);
        if (typeof name !== 'string') throw new Unreadable(notText(name), offsetOf(key));
        entries.set(name, this.#node());
      }
    }
    this.#next++;
    return Object.fromEntries(entries);
  }

  /** Numbers that JSON has not are as wrong here as all the others. */
  #key(at: NodeEvent): JsonValue {
    const plain = isPlain(at) ? goScalar(this.#text(at)) : undefined;
    if (typeof plain === 'number') throw new Unreadable(notText(plain), offsetOf(at));
    return this.#node();
  }

  /** What is merged wins over the keys before it; of several sources the first. */
  #merge(into: Map<string, JsonValue>): void {
    const at = this.#events[this.#next] as NodeEvent;
    const sources: JsonValue[] = [];
    if (at.type === EVENT_ID.SEQUENCE) {
      if (at.anchorStart >= 0) throw new Unreadable(MERGED_ANCHOR, at.anchorStart);
      this.#next++;
      while (!this.#ended()) sources.push(this.#mergeSource());
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
    if (!isMapping) throw new Unreadable(`\`${MERGE_KEY}\` takes mappings alone`, offsetOf(at));
    return this.#node();
  }

  #anchorOf(at: AliasEvent): Anchored | undefined {
    return this.#anchors.get(this.#source.slice(at.anchorStart, at.anchorEnd));
  }

  #scalar(at: ScalarEvent): JsonValue {
    const text = this.#text(at);
    if (!isPlain(at)) return text;
    const value = goScalar(text);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      const message = `\`${text}\` is no number that JSON has (Crossplane: json: unsupported value); put it in quotes`;
      throw new Unreadable(message, offsetOf(at));
    }
    return value;
  }

  #text(at: ScalarEvent): string {
    return scalarText(this.#source, at);
  }

  #ended(): boolean {
    const event = this.#events[this.#next];
    return event === undefined || event.type === EVENT_ID.POP;
  }
}

/** Go gives up on documents that aliases blow up; it looks at the share of nodes they lead to. */
class AliasLoad {
  nodes = 0;
  #aliased = 0;

  count(offset: number): void {
    this.nodes++;
    this.#check(offset);
  }

  follow(nodes: number, offset: number): void {
    this.nodes += nodes;
    this.#aliased += nodes;
    this.#check(offset);
  }

  #check(offset: number): void {
    const [few, many] = [400_000, 4_000_000];
    if (this.#aliased <= 100 || this.nodes <= 1000) return;
    const scaled = 0.99 - (0.89 * (this.nodes - few)) / (many - few);
    const allowed = this.nodes <= few ? 0.99 : this.nodes >= many ? 0.1 : scaled;
    if (this.#aliased / this.nodes > allowed) {
      const message =
        'aliases blow the document up (Crossplane: document contains excessive aliasing); write out what they stand for';
      throw new Unreadable(message, offset);
    }
  }
}

/** Go makes text of some such keys, in ways of its own, and which of two equal ones wins is chance. */
function notText(key: JsonValue): string {
  const found =
    typeof key === 'object' ? (key === null ? 'null' : 'a collection') : `the ${typeof key} ${key}`;
  return `a key must be text, and here it is ${found}; put it in quotes`;
}

function isPlain(event: Event): event is ScalarEvent {
  return event.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN && event.tagStart < 0;
}
