import { CST, Parser } from 'yaml';
import { InputError } from '../../model/input-error.js';
import type { PatchOperation } from '../../text/patch-operation.js';
import { isList, parseJson, type JsonValue } from '../../text/json.js';
import { parseDocuments, type InputDocument } from '../document.js';
import { addEntry, addItem, removeItem, replaceInBlock } from './block-splices.js';
import { addInFlow, flowEntry, flowText, removeFromFlow, replaceInFlow } from './flow-splices.js';
import { inlineText } from './inline-text.js';
import { pointerSteps, valueAtSteps } from './json-pointer.js';
import { Lines } from './lines.js';
import { patchedValue } from './patched-value.js';
import { itemSpan, itemsOf, rootSlot, slotOf, tokenSpan } from './spans.js';
import { spliced, type Splice } from './splice.js';

const MARK = '\uFEFF';

/**
 * A YAML or JSON text in which the document of that number says what the operations make of it.
 *
 * Only what they name is written anew, in the style that it had: comments, blank lines, order,
 * quotes, line breaks and indentation stay. A comment directly above an entry goes with it. Throws
 * an `InputError` where a path leads nowhere, and where the text cannot say it without a change
 * elsewhere, as where an alias repeats what is changed.
 */
export function applyPatch(
  text: string,
  document: number,
  operations: readonly PatchOperation[],
): string {
  const mark = text.startsWith(MARK) ? MARK : '';
  return operations.reduce(
    (now, operation) => mark + applied(now.slice(mark.length), document, operation),
    text,
  );
}

function applied(text: string, number: number, operation: PatchOperation): string {
  const before = parseDocuments(text, 'text to edit');
  const value = before.find((document) => document.number === number)?.value;
  if (value === undefined) throw new InputError(`there is no document ${number} to edit`);
  const wanted = patchedValue(value, operation);
  const tokens = [...new Parser().parse(text)].filter((token) => token.type === 'document');
  const edit = new Edit(text, tokens[number]!, value);
  const after = spliced(text, edit.splicesFor(operation));
  if (!says(after, before, { number, wanted })) {
    throw new InputError(`\`${operation.path}\` cannot be changed and all else kept as it is`, {
      hint: 'an anchor may be in the way; edit the file by hand',
    });
  }
  return after;
}

/** Whether the text reads as before, but for one document. */
function says(
  text: string,
  before: readonly InputDocument[],
  { number, wanted }: { number: number; wanted: JsonValue },
): boolean {
  const expected = before
    .map((document) => (document.number === number ? wanted : document.value))
    .filter((value) => value !== null);
  try {
    const found = parseDocuments(text, 'edited text').map(({ value }) => value);
    return JSON.stringify(found) === JSON.stringify(expected);
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

/** A place that holds a value: an entry or item of a collection, or the root. */
interface Holder {
  readonly collection: CST.BlockMap | CST.BlockSequence | CST.FlowCollection | undefined;
  readonly item: CST.CollectionItem | undefined;
  readonly token: CST.Token | undefined;
}

/** One edit of one document. */
class Edit {
  readonly #lines: Lines;
  readonly #root: CST.Document;
  readonly #value: JsonValue;
  readonly #json: boolean;

  constructor(text: string, root: CST.Document, value: JsonValue) {
    this.#lines = new Lines(text);
    this.#root = root;
    this.#value = value;
    this.#json = parseJson(text) !== undefined;
  }

  splicesFor(operation: PatchOperation): readonly Splice[] {
    const steps = pointerSteps(operation.path);
    const alias = this.#aliasAbove(steps);
    if (alias !== undefined) return this.#rewritten(alias, operation);
    if (operation.op === 'move') return this.#renamed(pointerSteps(operation.from), steps.at(-1)!);
    const parent = steps.slice(0, -1);
    const old = valueAtSteps(this.#value, steps);
    const inList = isList(valueAtSteps(this.#value, parent)) && steps.length > 0;
    if (operation.op === 'replace' || (operation.op === 'add' && old !== undefined && !inList)) {
      return this.#replaced(steps, operation.value);
    }
    const holder = this.#holderAt(parent);
    const { token } = holder;
    if (token === undefined || !CST.isCollection(token)) return [];
    const count = itemsOf(token).length;
    if (steps.length === 0 || count === (operation.op === 'remove' ? 1 : 0)) {
      return this.#rewritten(parent, operation);
    }
    if (operation.op === 'remove') return this.#removed(token, steps.at(-1)!);
    return this.#added(token, steps.at(-1)!, operation.value);
  }

  /** The collection at these steps, written anew with the operation made. */
  #rewritten(steps: readonly string[], operation: PatchOperation): readonly Splice[] {
    const whole = patchedValue(this.#value, operation);
    return this.#replaced(steps, valueAtSteps(whole, steps) ?? null);
  }

  #renamed(steps: readonly string[], newKey: string): readonly Splice[] {
    const key = this.#holderAt(steps).item?.key;
    return key ? [{ ...tokenSpan(key), text: inlineText(newKey, key) }] : [];
  }

  #added(
    token: CST.BlockMap | CST.BlockSequence | CST.FlowCollection,
    step: string,
    value: JsonValue,
  ): readonly Splice[] {
    const lines = this.#lines;
    const index = step === '-' ? itemsOf(token).length : Number(step);
    if (token.type === 'block-map') return addEntry(lines, token, step, value);
    if (token.type === 'block-seq') return addItem(lines, token, index, value);
    const place = { json: this.#json, at: itemSpan(itemsOf(token).at(-1)!).start };
    return isFlowMap(token)
      ? addInFlow(lines, token, itemsOf(token).length, flowEntry(lines, step, value, place))
      : addInFlow(lines, token, index, flowText(lines, value, place));
  }

  #removed(
    token: CST.BlockMap | CST.BlockSequence | CST.FlowCollection,
    step: string,
  ): readonly Splice[] {
    const item = childItem(token, step);
    if (item === undefined) return [];
    return token.type === 'flow-collection'
      ? removeFromFlow(token, itemsOf(token).indexOf(item))
      : removeItem(this.#lines, item);
  }

  #replaced(steps: readonly string[], value: JsonValue): readonly Splice[] {
    const lines = this.#lines;
    const { collection, item, token } = this.#holderAt(steps);
    const inFlow = collection?.type === 'flow-collection';
    if (item === undefined || collection === undefined) {
      const slot = rootSlot(this.#root);
      if (slot.span === undefined) return [];
      return this.#json
        ? replaceInFlow(lines, { slot, token, end: 0 }, value, { json: true })
        : replaceInBlock(lines, { slot, token, column: 0, inMap: false }, value);
    }
    const slot = slotOf(item);
    const { start, end } = itemSpan(item);
    if (inFlow) return replaceInFlow(lines, { slot, token, end }, value, { json: this.#json });
    const inMap = collection.type === 'block-map';
    return replaceInBlock(lines, { slot, token, column: lines.columnOf(start), inMap }, value);
  }

  #holderAt(steps: readonly string[]): Holder {
    let holder: Holder = { collection: undefined, item: undefined, token: this.#root.value };
    for (const step of steps) {
      const collection = holder.token;
      if (collection === undefined || !CST.isCollection(collection)) return NOWHERE;
      const item = childItem(collection, step);
      if (item === undefined) return NOWHERE;
      holder = { collection, item, token: item.value };
    }
    return holder;
  }

  /** Steps to an alias on the way to these steps; undefined: there is none. */
  #aliasAbove(steps: readonly string[]): readonly string[] | undefined {
    const ways = steps.map((_, i) => steps.slice(0, i));
    return ways.find((way) => this.#holderAt(way).token?.type === 'alias');
  }
}

const NOWHERE: Holder = { collection: undefined, item: undefined, token: undefined };

function isFlowMap({ start }: CST.FlowCollection): boolean {
  return start.type === 'flow-map-start';
}

function childItem(
  collection: CST.BlockMap | CST.BlockSequence | CST.FlowCollection,
  step: string,
): CST.CollectionItem | undefined {
  const items = itemsOf(collection);
  const isMap =
    collection.type === 'block-map' ||
    (collection.type === 'flow-collection' && isFlowMap(collection));
  if (!isMap) return items[Number(step)];
  return items.find(
    ({ key }) => key && CST.isScalar(key) && CST.resolveAsScalar(key)?.value === step,
  );
}
