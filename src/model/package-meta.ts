import type { OwnedObject } from './owned-object.js';
import type { PackageKind, Repository } from './package.js';
import type { CrdDemand } from './crd-demand.js';

/** A package as one target sees it: read, linted, and found fit to install. */
export interface PackageMeta {
  readonly kind: PackageKind;
  /** `metadata.name` of the meta document. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** undefined: any Crossplane will do. */
  readonly crossplane: string | undefined;
  /** In dependsOn order. */
  readonly requirements: readonly Requirement[];
  /** What it would install and control; sorted by kind, then name; each once. */
  readonly owns: readonly OwnedObject[];
  readonly findings: readonly Finding[];
}

/** One dependsOn entry as the target reads it. */
export type Requirement = PackageRequirement | CrdRequirement;

export interface PackageRequirement {
  readonly requires: 'package';
  readonly repository: Repository;
  readonly kind: PackageKind;
  /** Set for the explicit form (`apiVersion`, `kind`, `package`): a Lock row then names both. */
  readonly apiVersion: string | undefined;
  /** Verbatim: a range in the target's dialect, or a digest. */
  readonly constraint: string;
  /** Line of the entry in package.yaml, where known. */
  readonly line: number | undefined;
}

/** `dependsOn: - crd: …` of the older design documents; read with `--compat` only. */
export interface CrdRequirement {
  readonly requires: 'crd';
  readonly demand: CrdDemand;
  /** As written, for the lockfile and for messages. */
  readonly text: string;
  readonly line: number | undefined;
}

/** A package was read intact, and the target would refuse it. */
export interface Rejection {
  readonly rejected: true;
  readonly findings: readonly Finding[];
}

/** Something worth telling about a package; an `error` means the target refuses it. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  /** Stable, kebab-case: `one-meta`, `object-not-allowed`, `crossplane-constraint`. */
  readonly code: string;
  readonly message: string;
  readonly line: number | undefined;
}
