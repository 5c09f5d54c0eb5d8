import type { OwnedKind } from '../model/owned-object.js';
import type { LockedPackage } from '../lock/lockfile.js';
import type { OwnerChange } from './owner-changes.js';
import type { DiffSeverity } from './severity.js';

/** What it does that an object goes, or is another package's. */
export interface ObjectFinding {
  readonly rule: string;
  readonly severity: DiffSeverity;
  readonly text: string;
}

/** What a change of owners does to objects that exist; undefined: nothing. */
export function objectFinding(change: OwnerChange): ObjectFinding | undefined {
  const { kind, before, after } = change;
  if (change.change === 'added') return undefined;
  if (change.change === 'removed') return REMOVED[kind] ?? REMOVED.other;
  const text = `is installed by ${nameOf(after!)} now, and was by ${nameOf(before!)}: it must be handed over`;
  return { rule: 'owner-changed', severity: 'harmless', text };
}

function nameOf({ repository, version }: LockedPackage): string {
  return `${repository} ${version}`;
}

const GONE: ObjectFinding = {
  rule: 'object-removed',
  severity: 'stored',
  text: 'removed: all objects of this kind are deleted with it',
};

const REMOVED: Readonly<Partial<Record<OwnedKind, ObjectFinding>> & { other: ObjectFinding }> = {
  CRD: GONE,
  XRD: GONE,
  claim: GONE,
  MRD: GONE,
  Composition: {
    rule: 'object-removed',
    severity: 'writers',
    text: 'removed: composite resources that use it are composed no more',
  },
  other: { rule: 'object-removed', severity: 'harmless', text: 'removed' },
};
