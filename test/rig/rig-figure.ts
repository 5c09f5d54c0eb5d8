/** What was tried of a scenario on a release. */
export interface RigFigure {
  readonly scenario: string;
  readonly release: string;
  readonly tried: number;
}

declare module 'vitest' {
  interface TaskMeta {
    rigFigure?: RigFigure;
  }
}
