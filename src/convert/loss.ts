/** Something of an old package that a package of today has no place for. */
export interface Loss {
  /** The field or the file that is lost: `permissionScope`, `icon.svg`. */
  readonly what: string;
  /** Where it stands, below the folder that is converted. */
  readonly file: string;
  /** Why, and what says it today. */
  readonly text: string;
}
