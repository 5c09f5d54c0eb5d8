/** The result of a scenario on a release. */
export interface RigFigure {
  readonly scenario: string;
  readonly release: string;
  /** Counts of results: `25 agree`. */
  readonly seen: string;
}

declare module 'vitest' {
  interface TaskMeta {
    rigFigure?: RigFigure;
  }
}
