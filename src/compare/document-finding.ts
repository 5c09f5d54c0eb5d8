import type { Path } from '../text/yaml/path.js';
import type { DiffSeverity } from './severity.js';

/** A difference between two documents of one object. */
export interface DocumentFinding {
  /** Stable, kebab-case: `field-removed`, `scope-changed`. */
  readonly rule: string;
  readonly severity: DiffSeverity;
  /** Version of the API that it is about, `v1 -> v2` of two; empty: all of the object. */
  readonly version: string;
  /** Field of the objects that it is about: `spec.forProvider.size`, `spec.rules[].name`; empty: all. */
  readonly path: string;
  /** What changed, and what that does. */
  readonly text: string;
  /** Where it stands in either document, or would. */
  readonly before: Path;
  readonly after: Path;
}
