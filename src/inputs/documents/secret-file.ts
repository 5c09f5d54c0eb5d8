import { InputError } from '../../model/input-error.js';
import {
  isList,
  isMapping,
  mappingOf,
  stringOf,
  type JsonObject,
  type JsonValue,
} from '../../text/json.js';
import { parseDocuments, type InputDocument } from '../document.js';

/** The objects of a file that may be secret, Lists included; no message repeats what it says. */
export function secretObjects(text: string, file: string): readonly JsonObject[] {
  return documentsIn(text, file).flatMap(({ value }) => objectsIn(value));
}

function documentsIn(text: string, file: string): readonly InputDocument[] {
  try {
    return parseDocuments(text, file);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    // The message would show the line.
    throw new InputError('not valid YAML; what it says is not shown, for it may be secret', {
      origin: error.origin,
    });
  }
}

function objectsIn(value: JsonValue): readonly JsonObject[] {
  if (!isMapping(value)) return [];
  const { kind, items } = value;
  return kind === 'List' && isList(items) ? items.flatMap(objectsIn) : [value];
}

/** Name of a Secret, and its values by field, decoded. */
export function secretValues(secret: JsonObject): {
  readonly name: string | undefined;
  readonly values: ReadonlyMap<string, string>;
} {
  const values = new Map<string, string>();
  for (const [field, encoded] of Object.entries(mappingOf(secret['data']) ?? {})) {
    const text = stringOf(encoded);
    if (text !== undefined) values.set(field, Buffer.from(text, 'base64').toString('utf8'));
  }
  for (const [field, plain] of Object.entries(mappingOf(secret['stringData']) ?? {})) {
    const text = stringOf(plain);
    if (text !== undefined) values.set(field, text);
  }
  return { name: stringOf(mappingOf(secret['metadata'])?.['name']), values };
}
