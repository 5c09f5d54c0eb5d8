import type { CrdRef } from './crd-ref.js';
import type { OwnedObject } from './owned-objects.js';
import type { PackageKind, Repository } from './package.js';
import { printable } from '../../base/escape.js';

/** A package that a target accepts. */
export interface PackageMeta {
  readonly kind: PackageKind;
  /** `metadata.name` of the metadata document. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** undefined if every Crossplane release satisfies it. */
  readonly crossplane: string | undefined;
  readonly requirements: readonly Requirement[];
  /** Objects that it installs and controls; sorted by kind, then name; each once. */
  readonly owns: readonly OwnedObject[];
  readonly findings: readonly Finding[];
}

/** A dependsOn entry as the target reads it. */
export type Requirement = PackageRequirement | CrdRequirement;

export interface PackageRequirement {
  readonly requires: 'package';
  readonly repository: Repository;
  readonly kind: PackageKind;
  /** Set for the explicit form (`apiVersion`, `kind`, `package`): a Lock row then has both. */
  readonly apiVersion: string | undefined;
  /** As written: a range in the target's dialect, or a digest. */
  readonly constraint: string;
  readonly line: number | undefined;
}

/** `dependsOn: - crd: …` of old design documents; read only with `--compat`. */
export interface CrdRequirement {
  readonly requires: 'crd';
  readonly demand: CrdRef;
  readonly text: string;
  readonly line: number | undefined;
}

/** A package that was read without errors and that the target refuses. */
export interface Rejection {
  readonly rejected: true;
  readonly findings: readonly Finding[];
}

/** A diagnostic about a package. `info` means that a check was not possible. */
export interface Finding {
  readonly severity: 'error' | 'warning' | 'info';
  /** Stable, kebab-case: `one-meta`, `object-not-allowed`, `crossplane-constraint`. */
  readonly code: string;
  readonly message: string;
  readonly line: number | undefined;
}

const MAX_MESSAGE_LENGTH = 1000;

const findingOf =
  (severity: Finding['severity']) =>
  (code: string, message: string, line: number | undefined): Finding => {
    return { severity, code, message: printable(message, MAX_MESSAGE_LENGTH), line };
  };

/** Returns a finding for which the target refuses the package. */
export const errorFinding = findingOf('error');

/** Returns a finding that the target tolerates. */
export const warningFinding = findingOf('warning');

/** Returns a finding about a rule that could not be checked. */
export const infoFinding = findingOf('info');

/** Codes of warnings about what only `--compat` accepts. */
const COMPAT_CODES: ReadonlySet<string> = new Set([
  'compat-format',
  'compat-group',
  'crossplane-string',
  'dependency-crd',
]);

/** Whether only `--compat` accepts the package, and no Crossplane release does. */
export function needsCompat(findings: readonly Pick<Finding, 'code' | 'severity'>[]): boolean {
  return findings.some(({ code, severity }) => severity === 'warning' && COMPAT_CODES.has(code));
}
