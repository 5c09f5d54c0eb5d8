import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fastIdentity, identityOf } from '../../../src/crossplane/package-yaml/object-identity.js';
import { parseGoYaml } from '../../../src/base/yaml/go-yaml.js';
import { misspelledDocument, shuffledLines, spelledDocument } from './spelled-document.js';

function parsed(text: string) {
  const document = parseGoYaml(text);
  return 'error' in document ? document : identityOf(document.value);
}

describe('the scanner agrees with the parser', () => {
  test.each([
    { documents: spelledDocument, of: 'documents spelled in any way' },
    { documents: misspelledDocument, of: 'documents with slips of the pen' },
    { documents: shuffledLines, of: 'lines thrown together' },
  ])('$of', ({ documents }) => {
    fc.assert(
      fc.property(documents, (text) => {
        const fast = fastIdentity(text);
        if (fast !== undefined) expect(fast).toEqual(parsed(text));
      }),
      { numRuns: Number(process.env['FAST_IDENTITY_RUNS'] ?? 3000) },
    );
  });
});

test('the generators create enough documents of both kinds', () => {
  for (const documents of [spelledDocument, misspelledDocument, shuffledLines]) {
    const sample = fc.sample(documents, { numRuns: 600, seed: 7 });
    const answered = sample.filter((text) => fastIdentity(text) !== undefined).length / 600;
    const valid = sample.filter((text) => !('error' in parsed(text))).length / 600;
    expect(answered).toBeGreaterThan(0.02);
    expect(valid).toBeGreaterThan(answered);
  }
});

const CRD = `---
# made by a tool
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.19.0
    text: |
      several lines
    escaped: "a\\tb"
  creationTimestamp: null
  labels: {}
  name: buckets.s3.acme.io
spec:
  group: s3.acme.io
  names:
    categories:
    - crossplane
    kind: Bucket
    plural: buckets
    shortNames:
    - bkt
  versions:
  - deprecated: true
    deprecationWarning: |
      use v1beta2
    name: v1beta1
    schema:
      openAPIV3Schema:
        description: 'A Bucket: it''s a
          place for things'
        properties:
          kind:
            description: |-
              kind: not this one
            enum: []
            type: string
    served: false
  - name: "v1beta2"
    served: true # for now
    storage: true
status: {}
`;

test('the scanner understands documents of common tools', () => {
  expect(fastIdentity(CRD)).toEqual({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: 'buckets.s3.acme.io',
    group: 's3.acme.io',
    definedKind: 'Bucket',
    versions: ['v1beta1', 'v1beta2'],
    storage: 'v1beta2',
    unserved: ['v1beta1'],
    deprecated: ['v1beta1'],
    shortNames: ['bkt'],
    claimPlural: undefined,
    claimKind: undefined,
  });
});

const START = 'apiVersion: v1\nkind: Bucket\n';

test.each([
  { text: '{"apiVersion": "v1", "kind": "Bucket"}', why: 'JSON' },
  { text: `${START}metadata: {name: a}\n`, why: 'flow style' },
  { text: `${START}metadata: &m\n  name: a\n`, why: 'an anchor' },
  { text: `${START}metadata:\n  name: *m\n`, why: 'an alias' },
  { text: `${START}metadata:\n  name: !!str a\n`, why: 'a tag' },
  { text: `${START}metadata:\n  <<: *m\n`, why: 'a merge key' },
  { text: `${START}metadata:\n  name: a\n  name: b\n`, why: 'a key that is there twice' },
  { text: `${START}metadata:\n  name: |\n    a\n`, why: 'a block scalar for a name' },
  { text: `${START}metadata:\n  name: a\n    b\n`, why: 'a name over two lines' },
  { text: `${START}metadata:\n\tname: a\n`, why: 'a tab' },
  { text: `${START}metadata:\n  name: 12\n`, why: 'a name that is no string' },
  { text: `${START}spec:\n  a: "b\nkind: Other"\n`, why: 'a key inside a string' },
  { text: `${START}spec:\n  a: [\nkind, Other]\n`, why: 'a flow list over lines' },
  { text: `${START}spec:\n   a: b\n  c: d\n`, why: 'indentation that fits nothing' },
  { text: `${START}spec:\n  a: -.inf\n`, why: 'a number that JSON does not have' },
  { text: `${START}spec:\n  a: "\\ud800"\n`, why: 'half of a surrogate pair' },
  { text: `${START}spec:\n  a: "b\\\n\n    c"\n`, why: 'a blank line after an escaped one' },
  { text: `${START}spec:\n  a: \ufffe\n`, why: 'a noncharacter' },
  { text: `${START}Kind: Other\n`, why: 'a second kind' },
  { text: `${START}metadata:\n  labels:\n    a: 1\n`, why: 'a label that is no text' },
  { text: `${START}metadata:\n  labels:\n    a:\n      b: c\n`, why: 'a label with fields' },
  { text: `${START}metadata:\n  creationTimestamp: x\n`, why: 'a time' },
  { text: `${START}metadata:\n  generation: x\n`, why: 'a field of the metadata with a type' },
])('left to the parser: $why', ({ text }) => {
  expect(fastIdentity(text)).toBeUndefined();
});
