import { CST, Parser } from 'yaml';
import type { FileEdit } from './input-edit.js';
import {
  addEntry,
  addInFlow,
  addItem,
  type Collection,
  flowEntry,
  flowText,
  inlineText,
  itemsOf,
  itemSpan,
  Lines,
  removeFromFlow,
  removeItem,
  replaceInBlock,
  replaceInFlow,
  rootSlot,
  slotOf,
  type Splice,
  applySplices,
  tokenSpan,
} from './yaml-splices.js';
import { InputError } from '../../base/errors.js';
import {
  isList,
  isMapping,
  jsonPointer,
  type JsonValue,
  parseJson,
  type PatchOperation,
  pointerSteps,
  valueAtSteps,
} from '../../base/json.js';
import { writeYaml } from '../../base/yaml/write-yaml.js';
import { type InputDocument, parseDocuments } from '../inputs/document.js';

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Applies operations to one document of a YAML or JSON text and returns the new text.
 *
 * Only the named entries are rewritten, in their present style. Comments, blank lines, order,
 * quotes, line breaks and indentation stay. A comment directly above an entry is removed with the
 * entry. Throws an `InputError` for a path that does not exist, and for a change that would affect
 * another place, for example because of an alias.
 */
export function applyPatch(
  text: string,
  document: number,
  operations: readonly PatchOperation[],
): string {
  const byteOrderMark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  return operations.reduce(
    (now, operation) =>
      byteOrderMark + applyOperation(now.slice(byteOrderMark.length), document, operation),
    text,
  );
}

function applyOperation(text: string, number: number, operation: PatchOperation): string {
  const before = parseDocuments(text, 'text to edit');
  const value = before.find((document) => document.number === number)?.value;
  if (value === undefined) throw new InputError(`there is no document ${number} to edit`);
  const expected = patchedValue(value, operation);
  const tokens = [...new Parser().parse(text)].filter((token) => token.type === 'document');
  const edit = new Edit(text, tokens[number]!, value);
  const after = applySplices(text, edit.splicesFor(operation));
  if (!hasValues(after, before, { number, expected })) {
    throw new InputError(`\`${operation.path}\` cannot be changed and all else kept as it is`, {
      hint: 'an anchor may be in the way; edit the file by hand',
    });
  }
  return after;
}

/** Returns whether the text has the same values as before, except for the changed document. */
function hasValues(
  text: string,
  before: readonly InputDocument[],
  { number, expected }: { number: number; expected: JsonValue },
): boolean {
  const allExpected = before
    .map((document) => (document.number === number ? expected : document.value))
    .filter((value) => value !== null);
  try {
    const found = parseDocuments(text, 'edited text').map(({ value }) => value);
    return JSON.stringify(found) === JSON.stringify(allExpected);
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

/** An entry or item of a collection, or the root of a document; empty if there is none. */
interface Container {
  readonly collection?: Collection;
  readonly item?: CST.CollectionItem;
  readonly token?: CST.Token | undefined;
}

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
    if (operation.op === 'move') return this.#rename(pointerSteps(operation.from), steps.at(-1)!);
    const parent = steps.slice(0, -1);
    const old = valueAtSteps(this.#value, steps);
    const inList = isList(valueAtSteps(this.#value, parent)) && steps.length > 0;
    if (operation.op === 'replace' || (operation.op === 'add' && old !== undefined && !inList)) {
      return this.#replace(steps, operation.value);
    }
    const { token } = this.#containerAt(parent);
    if (token === undefined || !CST.isCollection(token)) return [];
    const count = itemsOf(token).length;
    if (steps.length === 0 || count === (operation.op === 'remove' ? 1 : 0)) {
      return this.#rewritten(parent, operation);
    }
    if (operation.op === 'remove') return this.#remove(token, steps.at(-1)!);
    return this.#add(token, steps.at(-1)!, operation.value);
  }

  /** Rewrites the whole collection at `steps` with the operation applied. */
  #rewritten(steps: readonly string[], operation: PatchOperation): readonly Splice[] {
    const whole = patchedValue(this.#value, operation);
    return this.#replace(steps, valueAtSteps(whole, steps) ?? null);
  }

  #rename(steps: readonly string[], newKey: string): readonly Splice[] {
    const key = this.#containerAt(steps).item?.key;
    return key ? [{ ...tokenSpan(key), text: inlineText(newKey, key) }] : [];
  }

  #add(token: Collection, step: string, value: JsonValue): readonly Splice[] {
    const lines = this.#lines;
    const index = step === '-' ? itemsOf(token).length : Number(step);
    if (token.type === 'block-map') return addEntry(lines, token, step, value);
    if (token.type === 'block-seq') return addItem(lines, token, index, value);
    const place = { json: this.#json, at: itemSpan(itemsOf(token).at(-1)!).start };
    return isFlowMap(token)
      ? addInFlow(lines, token, itemsOf(token).length, flowEntry(lines, step, value, place))
      : addInFlow(lines, token, index, flowText(lines, value, place));
  }

  #remove(token: Collection, step: string): readonly Splice[] {
    const item = childItem(token, step);
    if (item === undefined) return [];
    return token.type === 'flow-collection'
      ? removeFromFlow(token, itemsOf(token).indexOf(item))
      : removeItem(this.#lines, item);
  }

  #replace(steps: readonly string[], value: JsonValue): readonly Splice[] {
    const lines = this.#lines;
    const { collection, item, token } = this.#containerAt(steps);
    if (item === undefined || collection === undefined) {
      const slot = rootSlot(this.#root);
      if (slot.span === undefined) return [];
      return this.#json
        ? replaceInFlow(lines, { slot, token, end: 0 }, value, true)
        : replaceInBlock(lines, { slot, token, column: 0, inMap: false }, value);
    }
    const slot = slotOf(item);
    const { start, end } = itemSpan(item);
    if (collection.type === 'flow-collection') {
      return replaceInFlow(lines, { slot, token, end }, value, this.#json);
    }
    const inMap = collection.type === 'block-map';
    return replaceInBlock(lines, { slot, token, column: lines.columnOf(start), inMap }, value);
  }

  #containerAt(steps: readonly string[]): Container {
    let container: Container = { token: this.#root.value };
    for (const step of steps) {
      const collection = container.token;
      if (collection === undefined || !CST.isCollection(collection)) return {};
      const item = childItem(collection, step);
      if (item === undefined) return {};
      container = { collection, item, token: item.value };
    }
    return container;
  }

  /** Returns the steps to the first alias above `steps`, or undefined. */
  #aliasAbove(steps: readonly string[]): readonly string[] | undefined {
    const parents = steps.map((_, i) => steps.slice(0, i));
    return parents.find((parent) => this.#containerAt(parent).token?.type === 'alias');
  }
}

function isFlowMap({ start }: CST.FlowCollection): boolean {
  return start.type === 'flow-map-start';
}

function childItem(collection: Collection, step: string): CST.CollectionItem | undefined {
  const items = itemsOf(collection);
  const isMap =
    collection.type === 'block-map' ||
    (collection.type === 'flow-collection' && isFlowMap(collection));
  if (!isMap) return items[Number(step)];
  return items.find(
    ({ key }) => key && CST.isScalar(key) && CST.resolveAsScalar(key)?.value === step,
  );
}

/** Returns the new text of each file that the edits change or create. Throws like `applyPatch`. */
export function editedTexts(
  edits: readonly FileEdit[],
  texts: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const edited = new Map<string, string>();
  for (const { file, document, patch } of edits) {
    const text = edited.get(file) ?? texts.get(file);
    edited.set(file, text === undefined ? newText(patch) : applyPatch(text, document, patch));
  }
  return edited;
}

function newText(patch: FileEdit['patch']): string {
  return patch.map((one) => ('value' in one ? writeYaml(one.value) : '')).join('');
}

/** Applies one operation to a value (RFC 6902). */
function patchedValue(value: JsonValue, operation: PatchOperation): JsonValue {
  if (operation.op === 'move') return renameKey(value, operation);
  const steps = pointerSteps(operation.path);
  const parent = valueAtSteps(value, steps.slice(0, -1));
  const exists = valueAtSteps(value, steps) !== undefined;
  if (!(operation.op === 'add' ? isAddable(parent, steps.at(-1)) : exists)) {
    throw new InputError(`there is no \`${operation.path}\` to ${operation.op}`);
  }
  return changedValue(value, steps, operation);
}

type Move = Extract<PatchOperation, { op: 'move' }>;

/** Renames a key and keeps its position in the mapping. */
function renameKey(value: JsonValue, { from, path }: Move): JsonValue {
  const [old, target] = [pointerSteps(from), pointerSteps(path)];
  const [key, newKey] = [old.at(-1), target.at(-1)];
  const parentPointer = jsonPointer(old.slice(0, -1));
  const parent = valueAtSteps(value, old.slice(0, -1));
  const isKnown = key !== undefined && isMapping(parent) && Object.hasOwn(parent, key);
  const isFree = isKnown && newKey !== undefined && !Object.hasOwn(parent, newKey);
  if (!isFree || jsonPointer(target.slice(0, -1)) !== parentPointer) {
    throw new InputError(`\`${from}\` cannot be moved to \`${path}\``);
  }
  const members = Object.create(null) as Record<string, JsonValue>;
  for (const [name, member] of Object.entries(parent))
    members[name === key ? newKey : name] = member;
  return patchedValue(value, { op: 'replace', path: parentPointer, value: members });
}

/** Returns whether a member or an item can be added at `step`. */
function isAddable(parent: JsonValue | undefined, step: string | undefined): boolean {
  if (step === undefined || isMapping(parent)) return true;
  if (!isList(parent)) return false;
  return step === '-' || (/^(?:0|[1-9]\d*)$/.test(step) && Number(step) <= parent.length);
}

function changedValue(
  value: JsonValue | undefined,
  [step, ...rest]: readonly string[],
  operation: Exclude<PatchOperation, Move>,
): JsonValue {
  if (step === undefined) return operation.op === 'remove' ? null : operation.value;
  const last = rest.length === 0;
  if (isList(value)) {
    const at = step === '-' ? value.length : Number(step);
    if (!last) return value.with(at, changedValue(value[at], rest, operation));
    const replaced = operation.op === 'add' ? 0 : 1;
    return value.toSpliced(at, replaced, ...(operation.op === 'remove' ? [] : [operation.value]));
  }
  // Without a prototype, `__proto__` is an ordinary key.
  const members = Object.assign(Object.create(null), value) as Record<string, JsonValue>;
  if (last && operation.op === 'remove') delete members[step];
  else members[step] = changedValue(members[step], rest, operation);
  return members;
}
