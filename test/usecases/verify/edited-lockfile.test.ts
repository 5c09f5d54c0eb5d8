import { load } from 'js-yaml';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatLockfile } from '../../../src/lock/format-lockfile.js';
import type { Lockfile } from '../../../src/lock/lockfile.js';
import { LOCKFILE_SCHEMA } from '../../../src/lock/lockfile-schema.js';
import { parseLockfile } from '../../../src/lock/parse-lockfile.js';
import type { IndexFile, IndexVersion } from '../../../src/model/index-file.js';
import { InputError } from '../../../src/model/input-error.js';
import type { PackageRoot, Request } from '../../../src/model/request.js';
import { memorySource } from '../../../src/sources/memory-source.js';
import { scenario } from '../../../src/testing/generate/scenario.js';
import { isMapping, type JsonValue } from '../../../src/text/json.js';
import { writeYaml } from '../../../src/text/yaml/write-yaml.js';
import { resolve, type ResolveOptions } from '../../../src/usecases/resolve/resolve.js';
import { verify } from '../../../src/usecases/verify/verify.js';
import { recordFigure } from '../../support/figures.js';
import { lockfileEdits } from '../../support/lockfile-edits.js';
import { digestOf } from '../../support/lockfiles.js';
import { requestFor } from '../../support/requests.js';

/** How many edits apart those are that are tried; conformance, which has more time, sets 1 for all. */
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
  const asked = { source, crossplane: CROSSPLANE, ...options };
  const answer = await resolve(request, asked).catch(() => undefined);
  return answer?.status === 'solved' ? formatLockfile(answer.lockfile) : undefined;
}

/** What `verify` makes of a text: refused, found out or, with the lockfile that was read, accepted. */
async function verdictOn(
  text: string,
  { universe, request, options }: World,
): Promise<'refused' | 'found out' | Lockfile> {
  try {
    const lockfile = parseLockfile(text, FILE);
    const source = memorySource(universe);
    const asked = { ...options, source, crossplane: CROSSPLANE };
    const { mismatches, failures } = await verify(lockfile, request, asked);
    return mismatches.length + failures.length > 0 ? 'found out' : lockfile;
  } catch (error) {
    if (error instanceof InputError) return 'refused';
    throw error;
  }
}

/** Tries edits of a lockfile; what `verify` accepts must be what was written, to the last byte. */
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

const asked = requestFor({ [A]: 'v1.0.0', [B]: '>=v1.0.0' });
const [first, second] = asked.roots as readonly PackageRoot[];
const kept = {
  apiVersion: 'pkg.crossplane.io/v1beta1',
  kind: 'ImageConfig',
  metadata: { name: 'mirror', labels: { team: 'a' }, annotations: { why: 'b' } },
  spec: { matchImages: [{ prefix: 'h.io' }], rewriteImage: { prefix: 'mirror.acme.io' } },
};
const origin = { file: 'xpkg.yaml' };
const rich: World = {
  universe,
  request: {
    ...asked,
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
    kept: [{ object: kept, origin }],
  },
  options: { compat: true },
};
const overridden: World = {
  ...rich,
  request: {
    ...rich.request,
    overrides: [
      { repository: F, version: 'v1.0.0', origin },
      { repository: B, version: 'v1.0.0', origin },
    ],
  },
};

/** A universe whose images are known, so that nothing of a lockfile is beyond comparing. */
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

/** Every field that the schema of lockfiles names. */
function fieldsOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, part]) => [
    ...(key === 'properties' ? Object.keys(part as object) : []),
    ...fieldsOf(part),
  ]);
}

describe('a lockfile with one part edited is refused, found out by `verify`, or says the same', () => {
  test('every field there is', async () => {
    const edited = new Set<string>();
    for (const world of [rich, overridden]) {
      const text = (await lockedIn(world))!;
      expect(await verdictOn(text, world)).toEqual(parseLockfile(text, FILE));
      const some = (edit: number) => edit % STRIDE === 0;
      for (const field of await tryEdits(text, world, some)) edited.add(field);
    }
    const never = fieldsOf(LOCKFILE_SCHEMA).filter((field) => !edited.has(field));
    // Which state of an index was read says nothing about the set, and `verify` reads the present one.
    const ofIndexes = ['indexes', 'index', 'status'];
    // A signature is compared by `verify --signatures` alone, which asks a registry for it.
    const ofSignatures = ['signature', 'policy', 'authority', 'key', 'subject', 'issuer'];
    // Written with `--pin locked` alone; what it leaves out is told in a note.
    const ofPins = ['longerTags'];
    expect(never.toSorted()).toEqual(
      [...ofIndexes, ...ofSignatures, 'predicateType', ...ofPins].toSorted(),
    );
  });

  test('whatever the universe', async () => {
    let worlds = 0;
    await fc.assert(
      fc.asyncProperty(scenario(), fc.nat(), async ({ universe, request, options }, seed) => {
        const { prereleases = [], allowCycles } = options;
        const pinned = withPins(universe);
        const world: World = { universe: pinned, request, options: { prereleases, allowCycles } };
        const text = await lockedIn(world);
        if (text === undefined) return;
        await tryEdits(text, world, (index) => index % 29 === seed % 29);
        worlds += 1;
      }),
      { seed: 17, numRuns: 60 },
    );
    expect(worlds).toBeGreaterThan(20);
  });
});
