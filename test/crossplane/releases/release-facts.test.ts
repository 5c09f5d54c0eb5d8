import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import facts from '../../../src/crossplane/releases/releases.json' with { type: 'json' };
import { dialectRules } from '../../../src/crossplane/constraints/dialects.js';
import { releaseFacts } from '../../../src/crossplane/releases/release-facts.js';
import { isNewer, knownReleases, targetFor } from '../../../src/crossplane/releases/target.js';

const { lines } = releaseFacts();
const RIG = readFileSync(new URL('../../rig/releases', import.meta.url), 'utf8')
  .trim()
  .split('\n');

test.each(
  lines.flatMap(({ line, releases, candidates }) =>
    [...releases, ...candidates].map((release) => ({ line, release })),
  ),
)('$release.version of $line is complete', ({ line, release }) => {
  expect(release.version).toMatch(new RegExp(`^${line}\\.\\d+(-rc\\.\\d+)?$`));
  expect(release.date).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(release.testedOn !== undefined).toBe(release.state === 'tested');
  expect(dialectRules(release.rules.dialect)).toBeDefined();
  // A field that no release before had would be undefined in older ones.
  expect(Object.keys(release.rules).sort()).toEqual(
    Object.keys(lines[0]!.releases[0]!.rules).sort(),
  );
  expect(Object.keys(release.packageManager).sort()).toEqual(
    Object.keys(lines[0]!.releases[0]!.packageManager).sort(),
  );
});

const bool = { type: 'boolean' };
const texts = { type: 'array', items: { type: 'string' } };
const byKind = {
  type: 'object',
  properties: { Provider: texts, Configuration: texts, Function: texts },
  additionalProperties: false,
};
const oneOf = (...values: readonly (string | number | null)[]) => ({ enum: values });
const object = (
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = [],
) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const RULES = {
  dialect: { type: 'string' },
  defaultRegistry: { type: ['string', 'null'] },
  ...Object.fromEntries(
    [
      'strictReferences',
      'emptyTagIsLatest',
      'plainHttpForDotLocal',
      'explicitDependencies',
      'digestDependencies',
      'skipsIncompleteTags',
      'lintBlocks',
      'refusesV1Functions',
      'functionObjectsInstalled',
      'filtersObjects',
      'commonAnnotations',
      'controllerConfigRef',
      'runtimeImages',
      'pipelineCompositionsOnly',
      'compositeScopes',
      'gzipLayersOnly',
    ].map((name) => [name, bool]),
  ),
  metaVersions: byKind,
  metaFields: byKind,
  allowedObjects: byKind,
  objectKinds: { type: 'object', additionalProperties: texts },
  revisionHealth: oneOf('Healthy', 'RevisionHealthy'),
  lockRows: oneOf('type', 'gvk'),
  functionApiVersion: oneOf('pkg.crossplane.io/v1beta1', 'pkg.crossplane.io/v1'),
  imageConfig: {
    anyOf: [
      { type: 'null' },
      object({ verification: bool, rewrite: bool, runtime: bool }, [
        'verification',
        'rewrite',
        'runtime',
      ]),
    ],
  },
  tarEntry: oneOf('exact', 'basename'),
  severalBaseLayers: oneOf('refused', 'first'),
  maxLayers: { type: ['integer', 'null'] },
};
const PACKAGE_MANAGER = {
  ...Object.fromEntries(
    [
      'lockConditions',
      'movesFromPulledVersion',
      'prunesOutdatedRows',
      'refreshesRowVersions',
      'acceptsExistingObjects',
      'quotesMissing',
      'reportsConflicts',
      'explainsNoVersion',
      'quotesRevisionHealth',
      'readsBeforeRevision',
      'convertsCrds',
    ].map((name) => [name, bool]),
  ),
  moves: { type: 'array', items: oneOf('upgrades', 'downgrades') },
  unconvertedCrds: texts,
  revisionNames: oneOf('digest', 'digest-and-generation'),
};

test('the document has the form of its types', () => {
  const limit = { type: 'integer', minimum: 1 };
  const schema = object(
    {
      schemaVersion: { const: 1 },
      asOf: { type: 'string' },
      dialects: {
        type: 'object',
        additionalProperties: object(
          {
            generation: oneOf(1, 3),
            maxConstraintBytes: limit,
            maxGroups: limit,
            maxVersionBytes: limit,
            quotesErrors: bool,
          },
          ['generation'],
        ),
      },
      lines: {
        type: 'array',
        items: object(
          {
            line: { type: 'string' },
            releases: {
              type: 'array',
              items: object(
                {
                  version: { type: 'string' },
                  date: { type: 'string' },
                  state: oneOf('tested', 'read', 'inferred'),
                  testedOn: { type: 'string' },
                  rules: object(RULES),
                  packageManager: object(PACKAGE_MANAGER),
                },
                ['version', 'date', 'state'],
              ),
            },
          },
          ['line', 'releases'],
        ),
      },
    },
    ['schemaVersion', 'asOf', 'dialects', 'lines'],
  );
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
  expect(validate(facts), JSON.stringify(validate.errors)).toBe(true);
  const { rules, packageManager } = lines[0]!.releases[0]!;
  expect(Object.keys(rules).sort()).toEqual(Object.keys(RULES).sort());
  expect(Object.keys(packageManager).sort()).toEqual(Object.keys(PACKAGE_MANAGER).sort());
});

test('patch releases are listed without gaps, oldest first', () => {
  for (const { line, releases } of lines) {
    expect(releases.map(({ version }) => version)).toEqual(releases.map((_, i) => `${line}.${i}`));
  }
});

test('a release is called tested if the rig runs it', () => {
  const tested = lines
    .flatMap(({ releases }) => releases)
    .filter(({ state }) => state === 'tested');
  expect(tested.map(({ version }) => version)).toEqual(RIG);
});

test('a patch of an older line changes nothing in newer lines', () => {
  expect(targetFor('v1.20.5')!.packageManager.prunesOutdatedRows).toBe(true);
  expect(targetFor('v2.0.0')!.packageManager.prunesOutdatedRows).toBe(false);
});

test.each([
  { version: 'v2.4.0', release: 'v2.4.0', state: 'tested' },
  { version: 'v2.4.1', release: 'v2.4.1', state: 'inferred' },
  { version: 'v2.4.2', release: 'v2.4.2', state: 'read' },
  { version: 'v2.4.0-rc.0', release: 'v2.4.0-rc.0', state: 'read' },
  { version: 'v2.3.99', release: 'v2.3.5', state: 'unknown' },
  { version: 'v2.99.0', release: knownReleases().at(-1)!, state: 'unknown' },
  { version: 'v1.20.11-up.1', release: 'v1.20.11', state: 'inferred' },
  { version: 'v2.4.0-rc.1', release: 'v2.4.0-rc.0', state: 'unknown' },
  { version: 'v2.4.2-rc.1', release: 'v2.4.2', state: 'unknown' },
])('$version is $state, by the rules of $release', ({ version, release, state }) => {
  expect(targetFor(version)!.knowledge).toMatchObject({ release, state });
});

test('the candidate of v2.4.0 has the rules of v2.3', () => {
  const [candidate, stable] = [targetFor('v2.4.0-rc.0')!, targetFor('v2.4.0')!];
  expect([candidate.rules.dialect, stable.rules.dialect]).toEqual(['3.4.0', '3.5.0']);
  expect(candidate.packageManager.revisionNames).toBe('digest');
  expect(candidate.rules.plainHttpForDotLocal).toBe(true);
  expect([isNewer(stable, candidate), isNewer(candidate, stable)]).toEqual([true, false]);
});
