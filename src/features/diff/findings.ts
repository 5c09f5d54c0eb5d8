import { byCodePoint } from '../../base/collections.js';
import { isList, type JsonValue, type Path } from '../../base/json.js';
import type { OwnedObject } from '../../crossplane/packages/owned-objects.js';
import type { PackageKind, Repository } from '../../crossplane/packages/package.js';

/** The effect of a change, worst first. */
export const DIFF_SEVERITIES = ['stored', 'writers', 'readers', 'harmless'] as const;

/**
 * `stored`: existing objects lose data, or the API server rejects their next update. `writers`:
 * existing objects stay valid, but manifests that worked before may be rejected or mean something
 * else. `readers`: clients may get values that they did not get before, or miss some. `harmless`:
 * none of these.
 */
export type DiffSeverity = (typeof DIFF_SEVERITIES)[number];

/** Whether a severity reaches a limit. */
export function isAsSevereAs(severity: DiffSeverity, limit: DiffSeverity): boolean {
  return bySeverity(severity, limit) <= 0;
}

/** Compares by severity, worst first. */
export function bySeverity(a: DiffSeverity, b: DiffSeverity): number {
  return DIFF_SEVERITIES.indexOf(a) - DIFF_SEVERITIES.indexOf(b);
}

/** Returns the severity, or the limit if that is milder. */
export function atMost(severity: DiffSeverity, limit: DiffSeverity): DiffSeverity {
  return bySeverity(severity, limit) < 0 ? limit : severity;
}

/** The effect of a change on existing objects, and on the programs that write and read them. */
export interface DiffFinding {
  /** The object that changed; for changes of package metadata, the package. */
  readonly object: { readonly kind: OwnedObject['kind'] | PackageKind; readonly name: string };
  /** For an XRD: the name of its claim, to which the finding applies as well. */
  readonly claim?: string | undefined;
  /** API version, `v1 -> v2` for a pair of versions; empty: the whole object. */
  readonly version: string;
  /** Path of the field: `spec.forProvider.size`, `spec.rules[].name`; empty: the whole object. */
  readonly path: string;
  /** Stable, kebab-case: `field-removed`, `scope-changed`. */
  readonly rule: string;
  readonly severity: DiffSeverity;
  /** The change and its effect. */
  readonly text: string;
  /** Position in the old and in the new package; undefined: the object is not there. */
  readonly before: DiffPlace | undefined;
  readonly after: DiffPlace | undefined;
}

/** The result of a rule for one change. */
export type RuleResult = Pick<DiffFinding, 'rule' | 'severity' | 'text'>;

/** A difference between two documents of one object. */
export interface DocumentFinding extends RuleResult, Pick<DiffFinding, 'version' | 'path'> {
  /** Position in the old and in the new document, whether the value exists there or not. */
  readonly before: Path;
  readonly after: Path;
}

export interface DiffPlace {
  readonly repository: Repository;
  readonly version: string;
  /** Line of package.yaml, if that was read. */
  readonly line?: number | undefined;
}

/** Findings that one diff lists. More findings are only counted. */
const MAX_FINDINGS = 100_000;

/** A list of findings up to a limit, and the number of findings beyond it. */
export class FindingList {
  readonly #findings: DiffFinding[] = [];
  readonly #omittedCounts = new Map<DiffSeverity, number>();

  add(finding: DiffFinding): void {
    if (this.#findings.length < MAX_FINDINGS) this.#findings.push(finding);
    else this.#omit(finding.severity, 1);
  }

  addAll(other: FindingList): void {
    for (const finding of other.#findings) this.add(finding);
    for (const { severity, count } of other.omitted) this.#omit(severity, count);
  }

  #omit(severity: DiffSeverity, count: number): void {
    this.#omittedCounts.set(severity, (this.#omittedCounts.get(severity) ?? 0) + count);
  }

  /** Worst first, then by object, version, path and rule. */
  get sorted(): readonly DiffFinding[] {
    const keyed = this.#findings.map((finding) => ({ finding, key: keyOf(finding) }));
    keyed.sort(
      (a, b) => bySeverity(a.finding.severity, b.finding.severity) || byCodePoint(a.key, b.key),
    );
    return keyed.map(({ finding }) => finding);
  }

  /** Numbers of findings beyond the limit, worst severity first. */
  get omitted(): readonly { readonly severity: DiffSeverity; readonly count: number }[] {
    return DIFF_SEVERITIES.flatMap((severity) => {
      const count = this.#omittedCounts.get(severity);
      return count === undefined ? [] : [{ severity, count }];
    });
  }
}

function keyOf({ object, version, path, rule, text }: DiffFinding): string {
  return [object.kind, object.name, version, path, rule, text].join('\n');
}

/** Maximum length of a value in a message, in characters. */
const MAX_VALUE_LENGTH = 60;
/** Maximum number of list values in a message. */
const MAX_VALUES = 5;

/** Formats a value for a message: as shortened JSON, lists as values separated by `,`. */
export function shownValue(value: JsonValue | undefined): string {
  if (value === undefined) return 'none';
  const text = isList(value) ? shownList(value) : JSON.stringify(value);
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH)}…`;
}

function shownList(values: readonly JsonValue[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => JSON.stringify(value));
  const more = values.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Whether two JSON values are equal, regardless of the order of keys. */
export function sameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isList(a) !== isList(b)) return false;
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return (
    left.size === right.size &&
    [...left].every(([key, value]) => right.has(key) && sameValue(value, right.get(key)))
  );
}

/** Returns the values that another list does not have. */
export function subtract(values: readonly JsonValue[], others: readonly JsonValue[]): JsonValue[] {
  const known = new Set(others.map((other) => JSON.stringify(other)));
  return values.filter((value) => !known.has(JSON.stringify(value)));
}
