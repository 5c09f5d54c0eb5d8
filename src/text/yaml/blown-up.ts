import type { JsonValue } from '../json.js';

/** Of a document with its aliases written out: a few nested aliases can stand for billions of nodes. */
const MAX_NODES = 100_000;
const MAX_DEPTH = 1_000;

/** Whether a walk that follows aliases would pass a limit; one that holds itself is too deep. */
export function isBlownUp(value: JsonValue): boolean {
  let left = MAX_NODES;
  const visit = (node: JsonValue, depth: number): void => {
    if (depth > MAX_DEPTH) left = 0;
    if (--left < 0 || typeof node !== 'object' || node === null) return;
    for (const child of Object.values(node)) {
      visit(child, depth + 1);
      if (left < 0) return;
    }
  };
  visit(value, 0);
  return left < 0;
}
