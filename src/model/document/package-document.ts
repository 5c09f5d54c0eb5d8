import type { JsonValue } from '../../text/json.js';
import type { Path } from '../../text/yaml/path.js';

/** A document of a package, as text. */
export interface DocumentText {
  readonly text: string;
  /** Of its first line in package.yaml. */
  readonly line: number;
}

/** A document with what it says it is. */
export interface PackageDocument extends DocumentText {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** A document that was parsed, in whole or in part. */
export interface ParsedDocument {
  readonly value: JsonValue;
  /** The line of package.yaml that something stands at, or the nearest thing around it. */
  lineOf(path: Path): number;
}

/** Two documents of one object; `problem`: one of them is none that Crossplane reads. */
export type ParsedPair =
  { readonly old: ParsedDocument; readonly fresh: ParsedDocument } | { readonly problem: string };
