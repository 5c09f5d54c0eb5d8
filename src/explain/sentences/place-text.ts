import { formatOrigin } from '../../model/input-error.js';
import type { Origin } from '../../model/package.js';

/** Part of step 3: where something was written, as who says it. */
export function placeText(origin: Origin): string {
  return origin.file === 'command line' ? 'the command line' : formatOrigin(origin);
}
