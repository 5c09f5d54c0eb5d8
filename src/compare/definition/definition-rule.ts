import type { Path } from '../../text/yaml/path.js';
import type { DiffSeverity } from '../severity.js';
import type { ApiDefinition } from './api-definition.js';

/** What a rule finds in a definition as a whole. */
export interface DefinitionFinding {
  readonly rule: string;
  readonly severity: DiffSeverity;
  readonly text: string;
  /** Empty or undefined: all versions. */
  readonly version?: string | undefined;
  /** Where it stands in the older document, or would. */
  readonly at: Path;
  /** Where in the newer; undefined: at the same path. */
  readonly after?: Path | undefined;
}

export type DefinitionRule = (
  old: ApiDefinition,
  fresh: ApiDefinition,
) => Iterable<DefinitionFinding>;
