import { listOf, mappingOf, stringOf, type JsonValue } from '../../text/json.js';
import type { Composed, ResourceType } from '../../model/package-contents.js';

/** Entries of one Composition that are kept; real ones have tens. */
const MAX_ENTRIES = 1_000;

/**
 * What a Composition is for, runs and composes, as far as its fields say: templates inside the
 * input of a function are text to us.
 */
export function composedBy(spec: JsonValue | undefined): Composed {
  const fields = mappingOf(spec) ?? {};
  const steps = (listOf(fields['pipeline']) ?? []).slice(0, MAX_ENTRIES).map(mappingOf);
  const functions = steps.flatMap(
    (step) => stringOf(mappingOf(step?.['functionRef'])?.['name']) ?? [],
  );
  // function-patch-and-transform takes, as its input, what `spec.resources` was before.
  const lists = [fields, ...steps.map((step) => mappingOf(step?.['input']))];
  const bases = lists
    .flatMap((holder) => listOf(holder?.['resources']) ?? [])
    .slice(0, MAX_ENTRIES)
    .flatMap((resource) => typeOf(mappingOf(resource)?.['base']) ?? []);
  return { composite: typeOf(fields['compositeTypeRef']), functions, resources: bases };
}

function typeOf(value: JsonValue | undefined): ResourceType | undefined {
  const apiVersion = stringOf(mappingOf(value)?.['apiVersion']);
  const kind = stringOf(mappingOf(value)?.['kind']);
  return apiVersion === undefined || kind === undefined ? undefined : { apiVersion, kind };
}
