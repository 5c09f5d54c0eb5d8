/** What was seen of a scenario on a release. */
export interface RigFigure {
  readonly scenario: string;
  readonly release: string;
  /** Of those that were tried, how many went how: `25 agree`. */
  readonly seen: string;
}

declare module 'vitest' {
  interface TaskMeta {
    rigFigure?: RigFigure;
  }
}
