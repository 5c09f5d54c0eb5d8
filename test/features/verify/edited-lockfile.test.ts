import { load } from 'js-yaml';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatLockfile } from '../../../src/project/lockfile/format-lockfile.js';
import type { Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { LOCKFILE_SCHEMA } from '../../../src/project/lockfile/lockfile-schema.js';
import { parseLockfile } from '../../../src/project/lockfile/parse-lockfile.js';
import type { IndexFile, IndexVersion } from '../../../src/sources/index/index-file.js';
import { InputError } from '../../../src/base/errors.js';
import type { PackageRoot, Request } from '../../../src/project/inputs/request.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { solvable } from '../../support/universes.js';
import { isMapping, type JsonValue } from '../../../src/base/json.js';
import { writeYaml } from '../../../src/base/yaml/write-yaml.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { type ResolveOptions } from '../../../src/resolver/resolve/to-problem.js';
import { verify } from '../../../src/features/verify/verify.js';
import { recordFigure } from '../../support/figures.js';
import { lockfileEdits } from '../../support/lockfile-edits.js';
import { digestOf } from '../../support/lockfiles.js';
import { requestFor } from '../../support/requests.js';

/** Only every so many-th edit is tried. The conformance tests, which have more time, set 1. */
const STRIDE = Number(process.env['XPKG_CHANGE_STRIDE'] ?? 9);
const CROSSPLANE = 'v2.3.4';
const FILE = 'xpkg.lock.yaml';

interface World {
  readonly universe: IndexFile;
  readonly request: Request;
  readonly options: Partial<ResolveOptions>;
}

async function lockedIn({ universe, request, options }: World): Promise<string | undefined> {
  const source = memorySource(universe);
  const resolveOptions = { source, crossplane: CROSSPLANE, ...options };
  const answer = await resolve(request, resolveOptions).catch(() => undefined);
  return answer?.status === 'solved' ? formatLockfile(answer.lockfile) : undefined;
}

/** Returns the result of `verify` for a text: rejected, found, or the accepted lockfile. */
async function verdictOn(
  text: string,
  { universe, request, options }: World,
): Promise<'refused' | 'found out' | Lockfile> {
  try {
    const lockfile = parseLockfile(text, FILE);
    const source = memorySource(universe);
    const verifyOptions = { ...options, source, crossplane: CROSSPLANE };
    const { mismatches, failures } = await verify(lockfile, request, verifyOptions);
    return mismatches.length + failures.length > 0 ? 'found out' : lockfile;
  } catch (error) {
    if (error instanceof InputError) return 'refused';
    throw error;
  }
}

/** Tries edits of a lockfile, and expects that accepted ones format to the original bytes. */
async function tryEdits(
  text: string,
  world: World,
  chosen: (edit: number) => boolean,
): Promise<ReadonlySet<string>> {
  const fields = new Set<string>();
  const edits = lockfileEdits(load(text) as JsonValue).filter(
    ({ isRemoval }, index) => isRemoval || chosen(index),
  );
  for (const { what, field, edited } of edits) {
    const verdict = await verdictOn(isMapping(edited) ? writeYaml(edited) : '', world);
    fields.add(field);
    recordFigure('edits of a lockfile that `verify` must find', { tried: 1 });
    if (typeof verdict !== 'string') expect(formatLockfile(verdict), what).toBe(text);
  }
  return fields;
}

const image = (name: string): IndexVersion => ({
  digest: digestOf(name),
  manifest: digestOf(`${name} manifest`),
  baseLayer: digestOf(`${name} layer`),
  packageYaml: digestOf(`${name} yaml`),
});

const [A, B, C, F] = ['h.io/acme/a', 'h.io/acme/b', 'h.io/acme/c', 'h.io/acme/f'];
const universe: IndexFile = {
  packages: {
    [A]: {
      kind: 'Configuration',
      versions: {
        'v1.0.0': {
          ...image('a'),
          crossplane: '>=v1.14.0',
          dependsOn: [
            { provider: B, version: '>=v1.0.0' },
            { configuration: C, version: '>=v1.0.0' },
            { apiVersion: 'pkg.crossplane.io/v1', kind: 'Function', package: F, version: '*' },
            { crd: 'bs.acme.io/v1' },
            { crd: 'acme.io/v1, Kind=B' },
          ],
          xrds: [{ name: 'xas.acme.io', claim: 'as.acme.io' }],
          compositions: ['xa'],
        },
      },
    },
    [B]: {
      kind: 'Provider',
      versions: Object.fromEntries(
        ['v1.0.0', 'v1.1.0', 'v1.2.0'].map((tag) => [
          tag,
          {
            ...image(`b ${tag}`),
            crds: ['bs.acme.io', 'cs.acme.io'],
            defines: { 'bs.acme.io': { group: 'acme.io', versions: ['v1'], kind: 'B' } },
          },
        ]),
      ),
    },
    [C]: {
      kind: 'Configuration',
      versions: { 'v1.0.0': { ...image('c'), dependsOn: [{ function: F, version: '>=v1.0.0' }] } },
    },
    [F]: { kind: 'Function', versions: { 'v1.0.0': image('f') } },
  },
};

const baseRequest = requestFor({ [A]: 'v1.0.0', [B]: '>=v1.0.0' });
const [first, second] = baseRequest.roots as readonly PackageRoot[];
const imageConfig = {
  apiVersion: 'pkg.crossplane.io/v1beta1',
  kind: 'ImageConfig',
  metadata: { name: 'mirror', labels: { team: 'a' }, annotations: { why: 'b' } },
  spec: { matchImages: [{ prefix: 'h.io' }], rewriteImage: { prefix: 'mirror.acme.io' } },
};
const origin = { file: 'xpkg.yaml' };
const fullWorld: World = {
  universe,
  request: {
    ...baseRequest,
    roots: [
      {
        ...first!,
        name: 'mine',
        object: {
          apiVersion: 'pkg.crossplane.io/v1',
          kind: 'Configuration',
          metadata: { name: 'mine', labels: { team: 'a' }, annotations: { why: 'b' } },
          spec: { revisionHistoryLimit: 3 },
        },
      },
      { ...second!, spec: { packagePullSecrets: [{ name: 'regcred' }] } },
    ],
    kept: [{ object: imageConfig, origin }],
  },
  options: { compat: true },
};
const overriddenWorld: World = {
  ...fullWorld,
  request: {
    ...fullWorld.request,
    overrides: [
      { repository: F, version: 'v1.0.0', origin },
      { repository: B, version: 'v1.0.0', origin },
    ],
  },
};

/** Returns a universe with the digests of all images, so that all fields can be compared. */
function withPins({ packages }: IndexFile): IndexFile {
  return {
    packages: mapped(packages, (one) => ({
      ...one,
      versions: mapped(one.versions, (version, tag) => ({
        ...version,
        baseLayer: digestOf(`${tag} layer`),
        packageYaml: digestOf(`${tag} yaml`),
      })),
    })),
  };
}

function mapped<T>(record: Readonly<Record<string, T>>, change: (value: T, key: string) => T) {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key, change(value, key)]),
  );
}

/** Returns every field in the schema of lockfiles. */
function fieldsOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, part]) => [
    ...(key === 'properties' ? Object.keys(part as object) : []),
    ...fieldsOf(part),
  ]);
}

describe('an edit of a lockfile is rejected, found by `verify`, or without effect', () => {
  test('in every field', async () => {
    const edited = new Set<string>();
    for (const world of [fullWorld, overriddenWorld]) {
      const text = (await lockedIn(world))!;
      expect(await verdictOn(text, world)).toEqual(parseLockfile(text, FILE));
      const some = (edit: number) => edit % STRIDE === 0;
      for (const field of await tryEdits(text, world, some)) edited.add(field);
    }
    const never = fieldsOf(LOCKFILE_SCHEMA).filter((field) => !edited.has(field));
    // The index state does not affect the set, and `verify` reads the current one.
    const ofIndexes = ['indexes', 'index', 'status'];
    // Only `verify --signatures` compares signatures, which needs a registry.
    const ofSignatures = ['signature', 'policy', 'authority', 'key', 'subject', 'issuer'];
    // Written only with `--pin locked`. A note reports what it leaves out.
    const ofPins = ['longerTags'];
    // Names the files of the lockfile, so that no other set overwrites it.
    const ofTheSet = ['inputs', 'files'];
    // Only for objects without a tag that are never pulled, which a test of the bundle covers.
    const ofLocalImages = ['untagged'];
    expect(never.toSorted()).toEqual(
      [
        ...ofIndexes,
        ...ofSignatures,
        'predicateType',
        ...ofPins,
        ...ofTheSet,
        ...ofLocalImages,
      ].toSorted(),
    );
  });

  test('in random universes', async () => {
    await fc.assert(
      fc.asyncProperty(solvable(), fc.nat(), async ({ universe, request, options }, seed) => {
        const { prereleases = [], allowCycles } = options;
        const pinned = withPins(universe);
        const world: World = { universe: pinned, request, options: { prereleases, allowCycles } };
        const text = await lockedIn(world);
        fc.pre(text !== undefined);
        await tryEdits(text, world, (index) => index % 29 === seed % 29);
      }),
      { seed: 17, numRuns: 30 },
    );
  });
});
