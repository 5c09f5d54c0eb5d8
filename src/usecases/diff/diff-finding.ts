import { bySeverity, DIFF_SEVERITIES, type DiffSeverity } from '../../compare/severity.js';
import type { OwnedObject } from '../../model/owned-object.js';
import type { PackageKind, Repository } from '../../model/package.js';
import { byCodePoint } from '../../text/code-point-order.js';

/** What a change does to objects that exist, and to what writes and reads them. */
export interface DiffFinding {
  /** The object that changed; a package where it is about that. */
  readonly object: { readonly kind: OwnedObject['kind'] | PackageKind; readonly name: string };
  /** Of an XRD, the claim that it is true of, too. */
  readonly claim?: string | undefined;
  /** Version of the API that it is about, `v1 -> v2` of two; empty: all of the object. */
  readonly version: string;
  /** Field that it is about: `spec.forProvider.size`; empty: all of the object. */
  readonly path: string;
  readonly rule: string;
  readonly severity: DiffSeverity;
  readonly text: string;
  /** Where it stands; undefined: nowhere. */
  readonly before: DiffPlace | undefined;
  readonly after: DiffPlace | undefined;
}

export interface DiffPlace {
  readonly repository: Repository;
  readonly version: string;
  /** Line of package.yaml, where that was read. */
  readonly line?: number | undefined;
}

/** Findings of one diff that are kept; more are counted. */
const MAX_FINDINGS = 100_000;

/** Findings, up to a limit. */
export class FindingList {
  readonly #findings: DiffFinding[] = [];
  readonly #omitted = new Map<DiffSeverity, number>();

  add(finding: DiffFinding): void {
    if (this.#findings.length < MAX_FINDINGS) this.#findings.push(finding);
    else this.#omitted.set(finding.severity, (this.#omitted.get(finding.severity) ?? 0) + 1);
  }

  addAll(other: FindingList): void {
    for (const finding of other.#findings) this.add(finding);
    for (const { severity, count } of other.omitted) {
      this.#omitted.set(severity, (this.#omitted.get(severity) ?? 0) + count);
    }
  }

  /** Worst first, then by object, version, path and rule. */
  get sorted(): readonly DiffFinding[] {
    const keyed = this.#findings.map((finding) => ({ finding, key: keyOf(finding) }));
    keyed.sort(
      (a, b) => bySeverity(a.finding.severity, b.finding.severity) || byCodePoint(a.key, b.key),
    );
    return keyed.map(({ finding }) => finding);
  }

  /** Severities of findings that were not kept. */
  get omitted(): readonly { readonly severity: DiffSeverity; readonly count: number }[] {
    return DIFF_SEVERITIES.flatMap((severity) => {
      const count = this.#omitted.get(severity);
      return count === undefined ? [] : [{ severity, count }];
    });
  }
}

function keyOf({ object, version, path, rule, text }: DiffFinding): string {
  return [object.kind, object.name, version, path, rule, text].join('\n');
}
