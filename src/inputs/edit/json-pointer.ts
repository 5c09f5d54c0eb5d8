import type { JsonValue } from '../../text/json.js';
import { isList, isMapping } from '../../text/json.js';

/** The steps of a JSON pointer: `/a~1b/0` is `a/b`, then `0`. */
export function pointerSteps(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The pointer of some steps; numbers are places in a list. */
export function jsonPointer(steps: readonly (string | number)[]): string {
  return steps
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** The value at the end of some steps; undefined: there is none. */
export function valueAtSteps(
  value: JsonValue | undefined,
  steps: readonly string[],
): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>((at, step) => childOf(at, step), value);
}

function childOf(value: JsonValue | undefined, step: string): JsonValue | undefined {
  if (isList(value)) return /^(?:0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined;
  return isMapping(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}
