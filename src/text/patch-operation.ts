import type { JsonValue } from './json.js';

/** One change to a JSON or YAML document (RFC 6902); `path` is a JSON pointer (RFC 6901). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string }
  /** Another key in the same mapping. */
  | { readonly op: 'move'; readonly from: string; readonly path: string };
