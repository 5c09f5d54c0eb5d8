import { InputError } from '../../model/input-error.js';
import type { PatchOperation } from '../../text/patch-operation.js';
import { isList, isMapping, type JsonValue } from '../../text/json.js';
import { jsonPointer, pointerSteps, valueAtSteps } from './json-pointer.js';

/** What a value becomes by one operation (RFC 6902). */
export function patchedValue(value: JsonValue, operation: PatchOperation): JsonValue {
  if (operation.op === 'move') return renamed(value, operation);
  const steps = pointerSteps(operation.path);
  const parent = valueAtSteps(value, steps.slice(0, -1));
  const exists = valueAtSteps(value, steps) !== undefined;
  if (!(operation.op === 'add' ? isAddable(parent, steps.at(-1)) : exists)) {
    throw new InputError(`there is no \`${operation.path}\` to ${operation.op}`);
  }
  return changed(value, steps, operation);
}

type Move = Extract<PatchOperation, { op: 'move' }>;

/** With another key for a member of a mapping, which keeps its place. */
function renamed(value: JsonValue, { from, path }: Move): JsonValue {
  const [old, fresh] = [pointerSteps(from), pointerSteps(path)];
  const [key, newKey] = [old.at(-1), fresh.at(-1)];
  const home = jsonPointer(old.slice(0, -1));
  const parent = valueAtSteps(value, old.slice(0, -1));
  const isKnown = key !== undefined && isMapping(parent) && Object.hasOwn(parent, key);
  const isFree = isKnown && newKey !== undefined && !Object.hasOwn(parent, newKey);
  if (!isFree || jsonPointer(fresh.slice(0, -1)) !== home) {
    throw new InputError(`\`${from}\` cannot be moved to \`${path}\``);
  }
  const members = Object.create(null) as Record<string, JsonValue>;
  for (const [name, member] of Object.entries(parent))
    members[name === key ? newKey : name] = member;
  return patchedValue(value, { op: 'replace', path: home, value: members });
}

/** Whether a member or an item can be added there. */
function isAddable(parent: JsonValue | undefined, step: string | undefined): boolean {
  if (step === undefined || isMapping(parent)) return true;
  if (!isList(parent)) return false;
  return step === '-' || (/^(?:0|[1-9]\d*)$/.test(step) && Number(step) <= parent.length);
}

function changed(
  value: JsonValue | undefined,
  [step, ...rest]: readonly string[],
  operation: Exclude<PatchOperation, Move>,
): JsonValue {
  if (step === undefined) return operation.op === 'remove' ? null : operation.value;
  const last = rest.length === 0;
  if (isList(value)) {
    const at = step === '-' ? value.length : Number(step);
    if (!last) return value.with(at, changed(value[at], rest, operation));
    const replaced = operation.op === 'add' ? 0 : 1;
    return value.toSpliced(at, replaced, ...(operation.op === 'remove' ? [] : [operation.value]));
  }
  // Without a prototype, so that `__proto__` is a key like any other.
  const members = Object.assign(Object.create(null), value) as Record<string, JsonValue>;
  if (last && operation.op === 'remove') delete members[step];
  else members[step] = changed(members[step], rest, operation);
  return members;
}
