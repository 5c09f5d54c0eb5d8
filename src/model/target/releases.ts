/** Last stable patch of every Crossplane minor since v1.14; none was left out on the way there. */
const LAST_PATCH: readonly (readonly [minor: string, patch: number])[] = [
  ['v1.14', 9],
  ['v1.15', 6],
  ['v1.16', 5],
  ['v1.17', 6],
  ['v1.18', 5],
  ['v1.19', 3],
  ['v1.20', 11],
  ['v2.0', 8],
  ['v2.1', 8],
  ['v2.2', 4],
  ['v2.3', 4],
];

/** Stable Crossplane releases, oldest first. */
export const RELEASES: readonly string[] = LAST_PATCH.flatMap(([minor, last]) =>
  Array.from({ length: last + 1 }, (_, patch) => `${minor}.${patch}`),
);

/** Release candidates whose rules are in the table though their minor has no release yet. */
export const CANDIDATES: readonly string[] = ['v2.4.0-rc.0'];
