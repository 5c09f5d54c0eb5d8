import type { CoreEntry } from '../../explain/core-entries.js';
import { formatOrigin } from '../../model/input-error.js';
import type { Repository } from '../../model/package.js';
import { NOT_FLAG } from './why-not-chosen.js';

/**
 * What keeps a version of `repository` out, in one line, from the facts that refuse the set with it:
 * who asks for another version of it; else what is no requirement, such as an owner; else two
 * requirements that do not meet.
 */
export function blocker(core: readonly CoreEntry[], repository: Repository): string {
  const asked = formatOrigin(NOT_FLAG);
  const others = core.filter(({ requirement }) => requirement?.by !== asked);
  const onIt = others.filter(({ requirement }) => requirement?.on === repository);
  if (onIt.length > 0) return shortest(onIt);
  const telling = others.filter(({ kind }) => kind !== 'requirement' && kind !== 'crossplane');
  if (telling.length > 0) return shortest(telling);
  const crossplane = others.filter(({ kind }) => kind === 'crossplane');
  if (crossplane.length > 0) return crossplane.map(({ text }) => text).join(', and ');
  const contested = others.filter(
    (entry) => others.filter((other) => isOnSame(entry, other)).length > 1,
  );
  const told = contested.length > 0 ? contested : others;
  return told
    .slice(0, 2)
    .map(({ text }) => text)
    .join(', and ');
}

function isOnSame(a: CoreEntry, b: CoreEntry): boolean {
  return a.requirement !== undefined && a.requirement.on === b.requirement?.on;
}

function shortest(entries: readonly CoreEntry[]): string {
  return entries.map(({ text }) => text).sort((a, b) => a.length - b.length)[0]!;
}
