import type { Schema } from '../../../text/json-schema.js';

/** Schemas of fields: each says what the field is for, which editors and readers are shown. */
export const text = (description: string): Schema => ({ type: 'string', description });
export const count = (description: string): Schema => ({
  type: 'integer',
  minimum: 0,
  description,
});
export const flag = (description: string): Schema => ({ type: 'boolean', description });
export const oneOf = (values: readonly unknown[], description: string): Schema => ({
  enum: values,
  description,
});
export const list = (items: Schema, description: string): Schema => ({
  type: 'array',
  items,
  description,
});
export const texts = (description: string): Schema => list({ type: 'string' }, description);
export const anything = (description: string): Schema => ({ description });

/** An object whose fields are all there, but for those that end in `?`. */
export function record(fields: Readonly<Record<string, Schema>>, description?: string): Schema {
  const named = Object.entries(fields).map(([name, schema]) => [name.replace('?', ''), schema]);
  return {
    type: 'object',
    required: Object.keys(fields).filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(named) as Schema,
    ...(description === undefined ? {} : { description }),
  };
}

/** The schema of what a command prints with `-o json`; fields may be added, none is taken away. */
export function outputSchema(title: string, fields: Readonly<Record<string, Schema>>): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `xpkg-resolve ${title}`,
    ...record({
      schemaVersion: { const: 1, description: 'Version of this format.' },
      ...fields,
    }),
  };
}
