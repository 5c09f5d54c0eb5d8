import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareDefinitions } from '../../src/features/diff/definitions.js';
import {
  type PackageDocument,
  readDocuments,
} from '../../src/crossplane/package-yaml/read-package-yaml.js';
import { parseWhole } from '../../src/crossplane/package-yaml/document-pair.js';
import type { JsonObject, JsonValue, Path } from '../../src/base/json.js';
import { shared } from './shared.js';
import { toolPath } from './tools.js';

type Pair = readonly [old: JsonValue, fresh: JsonValue];

/** The output of crdify for a property or for the whole comparison. */
interface Result {
  readonly name: string;
  readonly errors?: readonly string[];
}

/** Results by version, or pair of versions, and by property. */
type ByVersion = Readonly<Record<string, Readonly<Record<string, readonly Result[] | null>>>>;

interface Answer {
  readonly crdValidation?: readonly Result[];
  readonly sameVersionValidation?: ByVersion;
  readonly servedVersionValidation?: ByVersion;
}

function askCrdify(pairs: readonly Pair[]): Answer[] {
  const framed = pairs.flat().flatMap((document) => {
    const text = Buffer.from(JSON.stringify(document));
    const size = Buffer.alloc(4);
    size.writeUInt32BE(text.length);
    return [size, text];
  });
  const ran = spawnSync(toolPath('crdify'), { input: Buffer.concat(framed), maxBuffer: 2 ** 30 });
  if (ran.status !== 0) throw new Error(`crdify: ${ran.stderr?.toString() ?? ran.error}`);
  return ran.stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

interface Ours {
  readonly rule: string;
  readonly version: string;
  /** The location in the form of crdify: `^.spec.rules[*].name`. */
  readonly location: string;
}

function oursOf([old, fresh]: Pair): Ours[] {
  return compareDefinitions(old, fresh).map(({ rule, version, before }) => ({
    rule,
    version,
    location: locationOf(before),
  }));
}

const DOWN = new Set(['items', 'additionalProperties']);

/** Converts a path in a schema to a path in objects. */
function locationOf(path: Path): string {
  const steps = path.slice(path.indexOf('openAPIV3Schema') + 1).map(String);
  let location = '^';
  for (let i = 0; i < steps.length; i++) {
    if (steps[i] === 'properties') location += `.${steps[++i] ?? ''}`;
    else if (DOWN.has(steps[i]!)) location += '[*]';
    else break;
  }
  return location;
}

/** Findings that also cover everything below the field. */
const TELLS_BELOW =
  /^(?:field-removed|type-|map-|items-changed|combination-changed|keyword-changed)/;

const RULES: Readonly<Record<string, RegExp>> = {
  type: /^type-|^keyword-changed$/,
  enum: /^enum-/,
  default: /^default-/,
  description: /^description-/,
  unhandled: /./,
};

function isAtOrBelow(location: string, other: string): boolean {
  return (
    location === other || (/^[.[]/.test(location.slice(other.length)) && location.startsWith(other))
  );
}

/** Whether one of our findings covers a finding of crdify at a location. */
function isReported(
  ours: readonly Ours[],
  version: string,
  location: string,
  name: string,
): boolean {
  return ours.some((finding) => {
    if (finding.version !== version) return false;
    const { rule, location: at } = finding;
    if (TELLS_BELOW.test(rule) && isAtOrBelow(location, at)) return true;
    if (name === 'required' && rule === 'required-added') return isAtOrBelow(at, location);
    if (at === location) return (RULES[name] ?? /^bound-/).test(rule);
    return name === 'unhandled' && isAtOrBelow(at, location);
  });
}

/** Returns the findings of crdify that we do not report. */
function unreported(answer: Answer, pair: Pair): string[] {
  const ours = oursOf(pair);
  const missing: string[] = [];
  for (const { name, errors = [] } of answer.crdValidation ?? []) {
    for (const error of errors) {
      const removed = /^removed field : ([^.]+)\.(.*)$/.exec(error);
      const told =
        removed === null
          ? ours.some(({ rule }) => rule === 'scope-changed' || rule === 'version-removed')
          : isReported(ours, removed[1]!, removed[2]!, name);
      if (!told) missing.push(error);
    }
  }
  for (const { version, property, name, errors } of foundIn(answer)) {
    if (isReported(ours, version, property, name)) continue;
    missing.push(`${version} ${property} ${name}: ${errors.join('; ')}`);
  }
  return missing;
}

/** Returns the findings of crdify for single versions. */
function foundIn({
  sameVersionValidation: same = {},
  servedVersionValidation: served = {},
}: Answer) {
  return [...Object.entries(same), ...Object.entries(served)].flatMap(([version, properties]) =>
    Object.entries(properties).flatMap(([property, results]) =>
      (results ?? []).flatMap(({ name, errors = [] }) =>
        errors.length === 0 ? [] : [{ version, property, name, errors }],
      ),
    ),
  );
}

function expectAllReported(pairs: readonly Pair[], least: number): void {
  const answers = askCrdify(pairs);
  expect(answers).toHaveLength(pairs.length);
  expect(answers.flatMap((answer, i) => unreported(answer, pairs[i]!)).slice(0, 20)).toEqual([]);
  expect(answers.flatMap(foundIn).length).toBeGreaterThan(least);
}

async function crdsIn(bytes: Uint8Array): Promise<ReadonlyMap<string, PackageDocument>> {
  const found = new Map<string, PackageDocument>();
  await readDocuments([bytes], (document) => {
    if (document.kind === 'CustomResourceDefinition') found.set(document.name, document);
  });
  return found;
}

async function pairsOf(old: Uint8Array, fresh: Uint8Array, stride = 1): Promise<Pair[]> {
  const [before, after] = [await crdsIn(old), await crdsIn(fresh)];
  const both = [...before].filter(([name, { text }]) => {
    const other = after.get(name);
    return other !== undefined && other.text !== text;
  });
  return both
    .filter((_, i) => i % stride === 0)
    .map(([name, document]) => {
      const pair = parseWhole(document, after.get(name)!);
      if ('problem' in pair) throw new Error(pair.problem);
      return [pair.old.value, pair.newer.value];
    });
}

test('reports every change of the CRDs of Crossplane that crdify reports', async () => {
  const releases = readdirSync(shared('data/crds'));
  const streams = releases.map((release) =>
    Buffer.concat(
      readdirSync(shared('data/crds', release))
        .filter((file) => file.endsWith('.yaml'))
        .flatMap((file) => [
          readFileSync(shared('data/crds', release, file)),
          Buffer.from('\n---\n'),
        ]),
    ),
  );
  const pairs: Pair[] = [];
  for (const [i, old] of streams.entries()) {
    for (const fresh of streams.slice(i + 1, i + 2)) {
      pairs.push(...(await pairsOf(old, fresh)), ...(await pairsOf(fresh, old)));
    }
  }
  expectAllReported(pairs, 100);
});

const STRIDE = 60;

test('reports every change between two versions of a large provider', async () => {
  const [old, fresh] = ['provider-aws-v1.6.0-monolith', 'provider-aws'].map((name) =>
    gunzipSync(readFileSync(shared('data/packages', `${name}.package.yaml.gz`))),
  );
  expectAllReported(await pairsOf(old!, fresh!, STRIDE), 100);
  expectAllReported(await pairsOf(fresh!, old!, STRIDE), 100);
});

const keywords = (below: fc.Arbitrary<JsonObject>) =>
  fc.record(
    {
      type: fc.constantFrom('object', 'string', 'array', 'integer', 'number'),
      description: fc.constantFrom('one', 'two'),
      format: fc.constantFrom('int32', 'int64', 'date'),
      default: fc.constantFrom<JsonValue>('x', 1, { a: 'b' }),
      required: fc.subarray(['a', 'b']),
      enum: fc.subarray(['p', 'q', 'r']),
      pattern: fc.constantFrom('^a', '^b'),
      nullable: fc.boolean(),
      maximum: fc.integer({ min: 0, max: 3 }),
      minimum: fc.integer({ min: 0, max: 3 }),
      maxLength: fc.integer({ min: 0, max: 3 }),
      minLength: fc.integer({ min: 0, max: 3 }),
      maxItems: fc.integer({ min: 0, max: 3 }),
      minItems: fc.integer({ min: 0, max: 3 }),
      maxProperties: fc.integer({ min: 0, max: 3 }),
      minProperties: fc.integer({ min: 0, max: 3 }),
      exclusiveMaximum: fc.boolean(),
      uniqueItems: fc.boolean(),
      multipleOf: fc.integer({ min: 1, max: 3 }),
      properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), below),
      items: below,
      additionalProperties: below,
      anyOf: fc.array(fc.record({ type: fc.constantFrom('string', 'integer') }), { maxLength: 2 }),
      'x-kubernetes-int-or-string': fc.boolean(),
      'x-kubernetes-preserve-unknown-fields': fc.boolean(),
      'x-kubernetes-embedded-resource': fc.boolean(),
      'x-kubernetes-list-type': fc.constantFrom('set', 'map', 'atomic'),
      'x-kubernetes-list-map-keys': fc.subarray(['a', 'b']),
      'x-kubernetes-map-type': fc.constantFrom('granular', 'atomic'),
      'x-kubernetes-validations': fc.array(
        fc.record({
          rule: fc.constantFrom('self.a', 'self == oldSelf'),
          message: fc.constantFrom('no', 'never'),
        }),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>;

const version = (name: string) =>
  fc.record({
    name: fc.constant(name),
    served: fc.boolean(),
    storage: fc.constant(name === 'v1'),
    schema: fc.record({ openAPIV3Schema: keywords(keywords(keywords(fc.constant({})))) }),
  });

const crd = fc.record({
  apiVersion: fc.constant('apiextensions.k8s.io/v1'),
  kind: fc.constant('CustomResourceDefinition'),
  metadata: fc.constant({ name: 'things.x' }),
  spec: fc.record({
    conversion: fc.constantFrom({ strategy: 'Webhook' }, { strategy: 'None' }),
    scope: fc.constantFrom('Cluster', 'Namespaced'),
    versions: fc.tuple(version('v1'), version('v1beta1')),
  }),
});

test('reports every change of generated schemas', () => {
  const pairs = fc.sample(fc.tuple(crd, crd), { seed: 1, numRuns: 150 });
  expectAllReported(pairs, 1_000);
});
