import { InputError } from '../model/input-error.js';
import { isList, isMapping, type JsonObject, type JsonValue } from '../text/json.js';
import type { InputDocument } from './document.js';
import { referenceMistake } from './reference-mistake.js';
import { formatPath, type Path } from '../text/yaml/path.js';

/** An `InputError` at a place in a document. */
export function errorAt(
  document: InputDocument,
  path: Path,
  problem: string,
  hint?: string,
): InputError {
  const what = path.length === 0 ? problem : `\`${formatPath(path)}\` ${problem}`;
  return new InputError(what, {
    origin: document.originOf(path),
    ...(hint === undefined ? {} : { hint }),
  });
}

/** The value a path leads to; undefined: there is none. */
export function valueAt(document: InputDocument, path: Path): JsonValue | undefined {
  let value: JsonValue | undefined = document.value;
  for (const step of path) {
    if (typeof step === 'number') value = isList(value) ? value[step] : undefined;
    else value = isMapping(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** undefined: absent or null. Anything but text is an error. */
export function textAt(document: InputDocument, path: Path): string | undefined {
  const value = valueAt(document, path) ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  const spelling = document.spellingOf(path);
  throw errorAt(
    document,
    path,
    typeof value === 'object' || spelling === undefined
      ? 'must be text'
      : `must be text: write \`"${spelling}"\`, with the quotes`,
  );
}

export function requiredTextAt(document: InputDocument, path: Path): string {
  const text = textAt(document, path);
  if (text === undefined || text === '') throw errorAt(document, path, 'is missing');
  return text;
}

/** Refuses a reference with a mistake in it that people often make, and says how it is written. */
export function refuseMistake(document: InputDocument, path: Path, reference: string): void {
  const mistake = referenceMistake(reference);
  if (mistake === undefined) return;
  throw errorAt(document, path, `${mistake.problem}: \`${reference}\``, mistake.hint);
}

/** Absent or null is empty; anything but a mapping is an error. */
export function objectAt(document: InputDocument, path: Path): JsonObject {
  const value = valueAt(document, path) ?? {};
  if (!isMapping(value)) throw errorAt(document, path, 'must be a mapping');
  return value;
}

/** Absent or null is empty; anything but a list is an error. */
export function listAt(document: InputDocument, path: Path): readonly JsonValue[] {
  const value = valueAt(document, path) ?? [];
  if (!isList(value)) throw errorAt(document, path, 'must be a list');
  return value;
}

/** Absent or null is false; anything but a boolean is an error. */
export function flagAt(document: InputDocument, path: Path): boolean {
  const value = valueAt(document, path) ?? false;
  if (typeof value !== 'boolean') throw errorAt(document, path, 'must be `true` or `false`');
  return value;
}
