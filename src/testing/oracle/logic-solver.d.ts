/** What is used of `logic-solver`, which has no types of its own. */
declare module 'logic-solver' {
  /** A variable's name, with a `-` before it where it is denied; or what the functions below make. */
  type Formula = string | { readonly formula: unique symbol };

  interface Solution {
    getTrueVars(): readonly string[];
  }

  interface Solver {
    require(...formulas: readonly Formula[]): void;
    forbid(...formulas: readonly Formula[]): void;
    /** null: there is none. */
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
