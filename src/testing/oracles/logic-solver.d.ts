/** The used part of `logic-solver`, which has no types. */
declare module 'logic-solver' {
  /** The name of a variable, with `-` for its negation, or the result of a function below. */
  type Formula = string | { readonly formula: unique symbol };

  interface Solution {
    getTrueVars(): readonly string[];
  }

  interface Solver {
    require(...formulas: readonly Formula[]): void;
    forbid(...formulas: readonly Formula[]): void;
    /** Returns null if there is no solution. */
    solve(): Solution | null;
    solveAssuming(formula: Formula): Solution | null;
  }

  interface Logic {
    readonly Solver: new () => Solver;
    readonly and: (formulas: readonly Formula[]) => Formula;
    readonly or: (formulas: readonly Formula[]) => Formula;
    readonly implies: (a: Formula, b: Formula) => Formula;
    readonly atMostOne: (formulas: readonly Formula[]) => Formula;
  }

  const logic: Logic;
  export type { Formula, Logic, Solution, Solver };
  export default logic;
}
