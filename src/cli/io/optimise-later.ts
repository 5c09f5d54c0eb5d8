import { setFlagsFromString } from 'node:v8';

/** Bytes of bytecode that a function runs before V8 looks at it again; of itself, a sixth of that. */
const BUDGET = 400_000;

/**
 * Has V8 wait longer before it optimises code that comes to run after this call: most runs are over before
 * that pays, and long ones take no longer. With Node.js 20 alone: later releases do so of themselves, and
 * print that they do not know the flag.
 */
export function optimiseLater(v8 = process.versions.v8, setFlags = setFlagsFromString): void {
  if (v8.startsWith('11.')) setFlags(`--interrupt-budget=${BUDGET}`);
}
