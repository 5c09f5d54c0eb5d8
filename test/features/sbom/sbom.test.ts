import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PackageURL } from 'packageurl-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { parseLockfile } from '../../../src/project/lockfile/parse-lockfile.js';
import type { Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { fakeIo } from '../../support/fake-io.js';
import { writeResolvedDemo } from '../../support/resolved-demo.js';

let folder: string;
let lockfile: Lockfile;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sbom-'));
  await writeResolvedDemo(folder);
  lockfile = parseLockfile(await readFile(join(folder, 'xpkg.lock.yaml'), 'utf8'), 'demo');
});

afterAll(() => rm(folder, { recursive: true }));

async function sbom(argv: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const io = fakeIo({ cwd: folder, env });
  const code = await runCli(['sbom', ...argv], io);
  return { code, text: io.stdout(), notes: io.notes() };
}

/** Returns the edges of the lockfile, as `repository requires repository`. */
function edges(): string[] {
  const locked = new Set(lockfile.packages.map(({ repository }) => repository));
  const all = lockfile.packages.flatMap(({ repository, requirements }) =>
    requirements.flatMap((requirement) =>
      requirement.requires === 'package' && locked.has(requirement.repository)
        ? `${repository} requires ${requirement.repository}`
        : [],
    ),
  );
  return all.sort();
}

interface CycloneDx {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp?: string };
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly name: string;
    readonly purl: string;
    readonly hashes: readonly { readonly content: string }[];
    readonly properties: readonly { readonly name: string; readonly value: string }[];
  }[];
  readonly dependencies: readonly {
    readonly ref: string;
    readonly dependsOn?: readonly string[];
  }[];
}

describe('CycloneDX', () => {
  test('is valid by its schema, and lists every package, edge and owned object', async () => {
    const { code, text } = await sbom();
    expect(code).toBe(0);
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(text)).toBeNull();
    const bom = JSON.parse(text) as CycloneDx;
    expect(bom.components.map(({ name }) => name).sort()).toEqual(
      lockfile.packages.map(({ repository }) => repository),
    );
    const names = new Map(bom.components.map((one) => [one['bom-ref'], one.name]));
    const told = bom.dependencies.flatMap(({ ref, dependsOn = [] }) =>
      ref === 'set' ? [] : dependsOn.map((to) => `${names.get(ref)} requires ${names.get(to)}`),
    );
    expect(told.sort()).toEqual(edges());
    const owned = bom.components.flatMap(({ properties }) =>
      properties.filter(({ name }) => name.startsWith('xpkg:owns:')),
    );
    expect(owned).toHaveLength(lockfile.packages.flatMap(({ owns }) => owns).length);
  });

  test('names images by purl and digest', async () => {
    const bom = JSON.parse((await sbom()).text) as CycloneDx;
    for (const { repository, version, digest } of lockfile.packages) {
      const found = bom.components.find(({ name }) => name === repository)!;
      expect(found.hashes[0]!.content).toBe(digest!.split(':')[1]);
      const purl = PackageURL.fromString(found.purl);
      expect([purl.type, purl.name, purl.version]).toEqual([
        'oci',
        repository.split('/').at(-1),
        digest,
      ]);
      expect(purl.qualifiers).toEqual({ repository_url: repository, tag: version });
    }
  });

  test('is the same for the same lockfile, with a date only on request', async () => {
    const first = await sbom();
    expect((await sbom()).text).toBe(first.text);
    expect((JSON.parse(first.text) as CycloneDx).metadata.timestamp).toBeUndefined();
    const dated = JSON.parse((await sbom([], { SOURCE_DATE_EPOCH: '86400' })).text) as CycloneDx;
    expect(dated.metadata.timestamp).toBe('1970-01-02T00:00:00.000Z');
    const other = JSON.parse((await sbom(['--name', 'other'])).text) as CycloneDx;
    expect(other.serialNumber).not.toBe((JSON.parse(first.text) as CycloneDx).serialNumber);
  });
});

interface Spdx {
  readonly packages: readonly { readonly SPDXID: string; readonly name: string }[];
  readonly relationships: readonly {
    readonly spdxElementId: string;
    readonly relationshipType: string;
    readonly relatedSpdxElement: string;
  }[];
}

test('SPDX lists every package and edge with a valid identifier', async () => {
  const { code, text } = await sbom(['-o', 'spdx']);
  expect(code).toBe(0);
  const { packages, relationships } = JSON.parse(text) as Spdx;
  const names = new Map(packages.map(({ SPDXID, name }) => [SPDXID, name]));
  expect(names.size).toBe(lockfile.packages.length + 1);
  for (const id of names.keys()) expect(id).toMatch(/^SPDXRef-[A-Za-z0-9.-]+$/);
  const told = relationships
    .filter(({ relationshipType }) => relationshipType === 'DEPENDS_ON')
    .filter(({ spdxElementId }) => spdxElementId !== 'SPDXRef-set')
    .map((one) => `${names.get(one.spdxElementId)} requires ${names.get(one.relatedSpdxElement)}`);
  expect(told.sort()).toEqual(edges());
});

test('rejects an invalid date and a missing lockfile', async () => {
  expect((await sbom([], { SOURCE_DATE_EPOCH: 'today' })).code).toBe(2);
  expect((await sbom(['--lock', 'none.yaml'])).code).toBe(4);
});
