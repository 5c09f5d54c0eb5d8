import * as fc from 'fast-check';
import type { InputForm } from './mutated-input.js';

/** Yields inputs that are not derived from a seed file: text, JSON, or bytes. */
export function generatedInputs(form: InputForm, count: number, seed: number): readonly Buffer[] {
  return fc.sample(ARBITRARIES[form], { numRuns: count, seed }).map((input) => Buffer.from(input));
}

const anyText = fc.string({ unit: 'binary', maxLength: 120 });
const anyJson = fc.oneof(
  fc.json({ stringUnit: 'binary', maxDepth: 4 }),
  fc
    .array(fc.constantFrom(...'{}[]:,"\\ 01-.eE+truefalsn\n'.split('')), { maxLength: 60 })
    .map((parts) => parts.join('')),
);
const YAML_PARTS = [
  'a: ',
  '- ',
  '---\n',
  '\n  ',
  '\n',
  '&a ',
  '*a',
  '!!str ',
  '|\n',
  '? ',
  '"',
  "'",
  '[',
  ']',
  '{',
  '}',
  '#',
  '<<: ',
];
const anyYaml = fc
  .array(fc.oneof(fc.constantFrom(...YAML_PARTS), fc.string({ unit: 'binary', maxLength: 5 })), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));

const ARBITRARIES: Readonly<Record<InputForm, fc.Arbitrary<string | Uint8Array>>> = {
  text: anyText,
  json: fc.oneof(anyJson, anyText),
  yaml: fc.oneof(anyYaml, anyJson, anyText),
  bytes: fc.uint8Array({ maxLength: 2_000 }),
};
