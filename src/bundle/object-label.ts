import type { JsonObject } from '../text/json.js';
import { isMapping } from './canonical.js';

/** `metadata.name`; empty where there is none. */
export function nameOf(object: JsonObject): string {
  const { metadata } = object;
  return isMapping(metadata) ? textOf(metadata['name']) : '';
}

/** ``Provider `acme-p` ``: an object as messages speak of it. */
export function labelOf(object: JsonObject): string {
  return `${textOf(object['kind'])} \`${nameOf(object)}\``;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
