import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  dictionary,
  jsonValue,
  oneof,
  property,
  string,
  tuple,
} from 'fast-check';
import { dump } from 'js-yaml';
import { expect, test } from 'vitest';
import { parseDocuments } from '../../../src/project/inputs/document.js';
import { readInputs } from '../../../src/project/inputs/read-inputs.js';
import { InputError } from '../../../src/base/errors.js';

const TYPES = [
  ['xpkg-resolve.dev/v1alpha1', 'PackageSet'],
  ['pkg.crossplane.io/v1', 'Provider'],
  ['pkg.crossplane.io/v1beta1', 'ImageConfig'],
  ['meta.pkg.crossplane.io/v1', 'Configuration'],
  ['meta.pkg.ibm.crossplane.io/v1alpha1', 'Provider'],
  ['dev.crossplane.io/v1alpha1', 'Project'],
  ['meta.dev.upbound.io/v1alpha1', 'Project'],
  ['apiextensions.crossplane.io/v1', 'CompositeResourceDefinition'],
  ['v1', 'List'],
] as const;

/** Words that reach more code of the readers than random text. */
const WORDS =
  'crossplane packages overrides replace exclude defaults spec package provider version name crd ' +
  'group kind with dependsOn dependencies type xpkg claimNames versions skipDependencyResolution ' +
  '__proto__ <<';
/** Fragments of YAML that are valid only in some places. */
const SCRAPS = [
  'a: 1\n',
  '- ',
  '---\n',
  '...\n',
  '&a ',
  '*a',
  '!!str ',
  '!<x> ',
  '? ',
  ': ',
  '|\n',
  '>-\n',
  '%YAML 1.2\n',
  '# c\n',
  '\u0000',
  '\uFEFF',
  ...'[]{}"\'\t\n '.split(''),
];

const leaf = oneof(
  jsonValue({ maxDepth: 1 }),
  constantFrom('h.io/a/p', 'h.io/a/p:v1.0.0', 'v1.0.0', 'a-name', 'xpkg', 'buckets.a.io', true),
);
const key = oneof(
  { arbitrary: constantFrom(...WORDS.split(' ')), weight: 9 },
  string({ maxLength: 3 }),
);
const shallow = oneof(leaf, dictionary(key, leaf, { maxKeys: 4 }));
const deep = oneof(shallow, array(shallow, { maxLength: 3 }), dictionary(key, shallow));
const value = oneof(deep, dictionary(key, deep, { maxKeys: 5 }));
const object = tuple(constantFrom(...TYPES), value, oneof(value, constantFrom({ name: 'x' }))).map(
  ([[apiVersion, kind], spec, metadata]) => ({ apiVersion, kind, metadata, spec }),
);
const document = oneof(
  object,
  array(object).map((items) => ({ apiVersion: 'v1', kind: 'List', items })),
  value,
);

async function outcome(text: string): Promise<'read' | 'refused'> {
  const stdin = () => Promise.resolve(text);
  return readInputs({ files: ['-'], refs: ['h.io/x/y'], cwd: '.', stdin, compat: true }).then(
    () => 'read',
    (error: unknown) => {
      if (error instanceof InputError) return 'refused';
      throw error;
    },
  );
}

test('any document is read or rejected with an InputError', async () => {
  const seen = new Set<string>();
  await assert(
    asyncProperty(document, async (value) => {
      seen.add(await outcome(dump(value, { noRefs: true })));
    }),
    { numRuns: 400 },
  );
  expect([...seen].sort()).toEqual(['read', 'refused']);
});

test('any text is read or rejected with an InputError', () => {
  assert(
    property(array(oneof(constantFrom(...SCRAPS), string({ maxLength: 4 }))), (parts) => {
      try {
        for (const found of parseDocuments(parts.join(''), 'a.yaml')) {
          expect(found.originOf(['a', 0, 'b']).file).toBe('a.yaml');
        }
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
      }
    }),
    { numRuns: 2000 },
  );
});
