import { mappingOf, stringOf, type JsonObject } from '../text/json.js';

/** `metadata.name`; empty where there is none. */
export function nameOf(object: JsonObject): string {
  return stringOf(mappingOf(object['metadata'])?.['name']) ?? '';
}

/** ``Provider `acme-p` ``: an object as messages speak of it. */
export function labelOf(object: JsonObject): string {
  return `${stringOf(object['kind']) ?? ''} \`${nameOf(object)}\``;
}
