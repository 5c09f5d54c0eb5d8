import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { convertPackage } from '../../../src/crossplane/legacy/convert-package.js';
import { isRejection, judge } from '../../../src/crossplane/packages/admission.js';
import { requestFromPackageSet } from '../../../src/project/inputs/read-inputs.js';
import type { PackageSource } from '../../../src/sources/package-source.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { openDir } from '../../../src/sources/dir-source.js';
import {
  readRegistryFiles,
  registryContents,
  readPackageOnDisk,
} from '../../../src/sources/package-on-disk.js';
import { resolve } from '../../../src/resolver/resolve/resolve.js';
import { knownOwners } from '../../../src/features/packages/search.js';

const TARGETS = ['v1.20.0', 'v2.3.4'].map((version) => targetFor(version)!);
const API_VERSIONS = ['v1alpha1', 'v1beta1', 'v1'];

/** One version of a package: its CRDs (of two), their API versions, and its dependencies. */
interface OldVersion {
  readonly crds: readonly (readonly string[])[];
  readonly asks: readonly { readonly of: number; readonly crd: number; readonly form: number }[];
}

const oldVersion: fc.Arbitrary<OldVersion> = fc.record({
  crds: fc.array(fc.subarray(API_VERSIONS, { minLength: 1 }), { minLength: 1, maxLength: 2 }),
  asks: fc.array(fc.record({ of: fc.nat(9), crd: fc.nat(1), form: fc.nat(5) }), { maxLength: 3 }),
});

/** Packages with versions, oldest first. They depend on CRDs of earlier packages. */
const anyUniverse = fc.array(fc.array(oldVersion, { minLength: 1, maxLength: 4 }), {
  minLength: 2,
  maxLength: 5,
});

/** Mostly universes where the newest version of each package has all its CRDs. */
const universe = fc.tuple(anyUniverse, fc.nat(9)).map(([packages, n]) =>
  n === 0
    ? packages
    : packages.map((versions) => {
        const newest = { ...versions.at(-1)!, crds: [API_VERSIONS, API_VERSIONS] };
        return [...versions.slice(0, -1), newest];
      }),
);

const repository = (n: number) => `registry.example.org/acme/p${n}`;
const crdName = (n: number, i: number) => `k${i}s.g${n}.example.org`;

function crdText(n: number, i: number, version: string): string {
  return `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: ${crdName(n, i)}}
spec:
  group: g${n}.example.org
  names: {kind: K${i}, plural: k${i}s}
  version: ${version}
`;
}

/** Ways to name CRD `i` of package `n`. */
function demandText(n: number, i: number, form: number): string {
  const [name, group] = [crdName(n, i), `*.g${n}.example.org`];
  return [name, `${name}/*`, `${name}/v1beta1`, `${name}/v1`, group, `${group}/v1alpha1`][form]!;
}

function appText(n: number, { asks }: OldVersion): string {
  const entries = n === 0 ? [] : asks.map(({ of, crd, form }) => demandText(of % n, crd, form));
  const dependsOn = entries.map((crd) => ({ crd }));
  return `title: P ${n}\ndependsOn: ${JSON.stringify(dependsOn)}\n`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function writeOld(root: string, packages: readonly (readonly OldVersion[])[]): string[] {
  return packages.flatMap((versions, n) =>
    versions.map((version, v) => {
      const folder = join(root, `${repository(n)}@v0.${v + 1}.0`);
      write(join(folder, '.registry/app.yaml'), appText(n, version));
      for (const [i, apis] of version.crds.entries()) {
        for (const api of apis) {
          write(join(folder, `.registry/resources/k${i}/${api}.crd.yaml`), crdText(n, i, api));
        }
      }
      return folder;
    }),
  );
}

async function answer(source: PackageSource, asked: string, compat: boolean, crossplane: string) {
  const request = await requestFromPackageSet({
    apiVersion: 'xpkg-resolve.dev/v1alpha1',
    kind: 'PackageSet',
    spec: { crossplane, packages: [{ package: asked, version: '*' }] },
  });
  const got = await resolve(request, { source, compat });
  if (got.status !== 'solved') return got.status;
  return got.lockfile.packages.map((locked) => `${locked.repository} ${locked.version}`);
}

test('converted packages pass lint and resolve like the old ones', async () => {
  await fc.assert(
    fc.asyncProperty(universe, fc.constantFrom(...TARGETS), async (packages, target) => {
      const root = mkdtempSync(join(tmpdir(), 'round-trip-'));
      try {
        const [old, today] = [join(root, 'old'), join(root, 'today')];
        const folders = writeOld(old, packages);
        const oldSource = await openDir(old);
        let lost = false;
        for (const folder of folders) {
          const files = await readRegistryFiles(folder, folder);
          const { dialect } = target.rules;
          const ownersOf = (demand: Parameters<typeof knownOwners>[1]) =>
            knownOwners(oldSource, demand, target);
          const made = await convertPackage(files, await registryContents(files), {
            dialect,
            ownersOf,
          });
          lost ||= made.losses.some(({ what }) => what.startsWith('dependsOn '));
          const to = join(today, folder.slice(old.length));
          for (const [name, text] of made.files) write(join(to, name), text);
          const { contents } = await readPackageOnDisk(to, to);
          const judged = judge(contents, target);
          expect(judged.findings).toEqual([]);
          expect(isRejection(judged)).toBe(false);
        }
        // A CRD without an owner is reported as lost, so only the old package cannot be installed.
        fc.pre(!lost);
        const newSource = await openDir(today);
        for (const n of packages.keys()) {
          const asked = repository(n);
          const before = await answer(oldSource, asked, true, target.version);
          expect(await answer(newSource, asked, false, target.version)).toEqual(before);
        }
      } finally {
        rmSync(root, { recursive: true });
      }
    }),
    { seed: 1, numRuns: 20 },
  );
});
