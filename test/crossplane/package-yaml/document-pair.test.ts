import { dump } from 'js-yaml';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareDefinitions } from '../../../src/features/diff/definitions.js';
import {
  differingParts,
  parseDiffering,
  parseWhole,
  type ParsedPair,
} from '../../../src/crossplane/package-yaml/document-pair.js';
import { isMapping, mappingOf, type JsonObject, type JsonValue } from '../../../src/base/json.js';

/** Number of random pairs. A longer search uses more of them, and other seeds (`XPKG_SEED`). */
const RUNS = Number(process.env['DIFFERING_PARTS_RUNS'] ?? 150);

/** Findings with their lines. */
function findings(pair: ParsedPair) {
  if ('problem' in pair) return pair.problem;
  return compareDefinitions(pair.old.value, pair.newer.value).map(
    ({ before, after, ...finding }) => ({
      ...finding,
      from: pair.old.lineOf(before),
      to: pair.newer.lineOf(after),
    }),
  );
}

const keywords = (below: fc.Arbitrary<JsonObject>) =>
  fc.record(
    {
      type: fc.constantFrom('object', 'string', 'array', 'integer'),
      description: fc.constantFrom('one', 'two: lines\nof text', '- a list?\n\n  # no'),
      default: fc.constantFrom<string | JsonObject>('x', 'y', { a: 'b' }),
      required: fc.subarray(['a', 'b']),
      enum: fc.subarray(['p', 'q', 'r']),
      pattern: fc.constantFrom('^a: b$', '[a-z]+', "'"),
      properties: fc.dictionary(
        fc.constantFrom('a', 'b', 'items', 'properties', 'default'),
        below,
        {
          maxKeys: 3,
        },
      ),
      items: below,
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>;

const schema = keywords(keywords(keywords(fc.constantFrom({ type: 'string' }, { default: 'x' }))));

const version = (name: string) =>
  fc.record({
    additionalPrinterColumns: fc.constantFrom([{ name: 'A', jsonPath: '.a' }], []),
    name: fc.constant(name),
    schema: fc.record({ openAPIV3Schema: schema }),
    served: fc.boolean(),
    storage: fc.boolean(),
  });

const crd = fc.record({
  apiVersion: fc.constant('apiextensions.k8s.io/v1'),
  kind: fc.constant('CustomResourceDefinition'),
  metadata: fc.record({
    name: fc.constant('things.x'),
    annotations: fc.constantFrom({ a: '1' }, { a: '2' }),
  }),
  spec: fc.record(
    {
      conversion: fc.constantFrom({ strategy: 'Webhook' }, { strategy: 'None' }),
      group: fc.constant('x'),
      names: fc.constant({ kind: 'Thing', plural: 'things' }),
      versions: fc
        .tuple(version('v1'), version('v1beta1'), fc.subarray([0, 1], { minLength: 1 }))
        .map(([one, two, chosen]) => chosen.map((i) => [one, two][i]!)),
    },
    { requiredKeys: ['group', 'names', 'versions'] },
  ),
});

test('leaving out equal parts changes neither findings nor lines', () => {
  const style = fc.constantFrom({}, { noArrayIndent: true }, { lineWidth: 20 });
  fc.assert(
    fc.property(crd, crd, fc.boolean(), style, (one, other, alike, options) => {
      const both = alike
        ? [one, { ...one, spec: { ...one.spec, versions: other.spec.versions } }]
        : [one, other];
      const [old, newer] = both.map((each) => ({ text: dump(each, options), line: 7 }));
      expect(findings(parseDiffering(old!, newer!))).toEqual(findings(parseWhole(old!, newer!)));
    }),
    { numRuns: RUNS },
  );
});

/** A definition with a few keys dropped, or replaced by those of another definition. */
function edited<T extends JsonValue>(value: T, other: JsonValue | undefined, dice: number[]): T {
  if (Array.isArray(value)) {
    const items = Array.isArray(other) ? (other as readonly JsonValue[]) : [];
    return value.map((item: JsonValue, i) => edited(item, items[i], dice)) as JsonValue as T;
  }
  if (!isMapping(value)) return value;
  const others = mappingOf(other) ?? {};
  const entries = Object.entries(value).flatMap(([key, inside]): [string, JsonValue][] => {
    const drawn = KEPT.has(key) ? 0 : dice.pop();
    if (drawn === 1) return [];
    const [again] = drawn === 2 ? [others[key]] : [];
    return [[key, again ?? edited(inside, others[key], dice)]];
  });
  return Object.fromEntries(entries) as JsonValue as T;
}

/** Keys that every definition has. */
const KEPT = new Set(['apiVersion', 'kind', 'name', 'spec', 'versions', 'schema']);

test('the same for definitions that are almost equal', () => {
  const dice = fc.array(fc.nat(15), { minLength: 120, maxLength: 120 });
  fc.assert(
    fc.property(crd, crd, dice, (one, other, drawn) => {
      const [old, newer] = [one, edited(one as JsonValue, other as JsonValue, [...drawn])].map(
        (each) => ({ text: dump(each), line: 7 }),
      );
      expect(findings(parseDiffering(old!, newer!))).toEqual(findings(parseWhole(old!, newer!)));
    }),
    { numRuns: RUNS },
  );
});

const document = (size: string, more = '') => `---
# a comment
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.x
spec:
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          same:
            description: |-
              long: text
            type: string
          size: ${size}
${more}`;

const size = (type: string) => `\n            type: ${type}`;

/** With two versions, one of which is stored. */
const stored = (v1: boolean) => ({
  text: `spec:
  conversion:
    strategy: Webhook
  versions:
  - name: v1
    storage: ${v1}
  - name: v2
    storage: ${!v1}
`,
  line: 1,
});

describe('the differing parts', () => {
  test('include the default of a newly required field', () => {
    const [old, newer] = ['[]', '[size]'].map((required) => ({
      text: document('\n            default: 1', `        required: ${required}\n`),
      line: 1,
    }));
    expect(findings(parseDiffering(old!, newer!))).toMatchObject([
      { rule: 'required-added', severity: 'harmless', path: 'size' },
    ]);
  });

  test('include the conversion, which decides the effect of version changes', () => {
    expect(findings(parseDiffering(stored(true), stored(false)))).toMatchObject([
      { rule: 'storage-changed', severity: 'writers' },
    ]);
  });

  test('include an empty mapping if all of its content is equal', () => {
    const [old, newer] = ['\n              type: string', ''].map((type) => ({
      text: document(`\n            items:${type}\n              required:\n              - a`),
      line: 1,
    }));
    expect(findings(parseDiffering(old!, newer!))).toMatchObject([
      { rule: 'type-widened', path: 'size[]' },
    ]);
  });

  test('include what differs and its parents', () => {
    const parts = differingParts(document(size('string')), document(size('integer')));
    expect(parts?.newer.text).toBe(
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        properties:\n          size: \n            type: integer\n'.replace(
        'size: \n',
        'size: \n',
      ),
    );
  });

  test.each([
    ['an alias', '*same'],
    ['an anchor', '&a {type: string}'],
    ['a tag', '!!map {}'],
  ])('need a parser for %s', (_, value) => {
    expect(differingParts(document(value), document('{}'))).toBeUndefined();
  });

  test.each([
    ['a flow over lines', '{type: string,\n          a: b}'],
    ['a quote over lines', '"a\n          b: c"'],
    ['a key twice', '{type: string}\n          size: {type: array}'],
    ['a comment', '{type: string} # said'],
  ])('have the same meaning with %s', (_, value) => {
    const [old, newer] = [value, '{type: integer}'].map((size) => ({
      text: document(size),
      line: 1,
    }));
    expect(findings(parseDiffering(old!, newer!))).toEqual(findings(parseWhole(old!, newer!)));
  });
});
