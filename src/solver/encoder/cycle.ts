import type { Variable } from '../incompatibility.js';
import type { PackageSubject, Subject } from './subject.js';

/** What a walk along requirements needs to know. */
export interface ChosenVersions {
  subject(variable: Variable): Subject;
  /** What a version requires, in dependsOn order. */
  children(subject: PackageSubject, value: number): readonly Variable[];
  /** undefined: not decided. */
  value(variable: Variable): number | undefined;
}

/** Packages from `start` through chosen ones back to it, each requiring the next. */
export function pathBack(
  start: PackageSubject,
  value: number,
  chosen: ChosenVersions,
): PackageSubject[] | undefined {
  const seen = new Set<Variable>();
  const walk = (from: PackageSubject, at: number): PackageSubject[] | undefined => {
    for (const child of chosen.children(from, at)) {
      if (child === start.variable) return [from];
      const next = chosen.subject(child);
      const picked = chosen.value(child);
      if (picked === undefined || next.about !== 'package' || seen.has(child)) continue;
      seen.add(child);
      const rest = walk(next, picked);
      if (rest !== undefined) return [from, ...rest];
    }
    return undefined;
  };
  return walk(start, value);
}
