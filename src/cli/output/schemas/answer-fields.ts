import type { Schema } from '../../../text/json-schema.js';
import { RESOLVE_OUTPUT_SCHEMA } from '../answer/answer-schema.js';

/** Fields of an answer that other commands print, too. */
export const answerFields = RESOLVE_OUTPUT_SCHEMA['properties'] as Readonly<Record<string, Schema>>;

/** `$defs`: what those refer to. */
export const answerParts: { readonly $defs?: unknown } = { $defs: RESOLVE_OUTPUT_SCHEMA['$defs'] };
