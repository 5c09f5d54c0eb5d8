import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly publishConfig?: object;
}

interface LockedPackage {
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};
const locked = Object.entries(lock.packages).filter(([path]) => path !== '');
const installed = locked.filter(([, { dev }]) => dev !== true);

/** Including transitive dependencies; raise it only on purpose. */
const MAX_DEPENDENCIES = 11;
const MAX_INSTALLED = 45;

test('has few dependencies', () => {
  expect(Object.keys(manifest.dependencies).length).toBeLessThanOrEqual(MAX_DEPENDENCIES);
  expect(installed.length).toBeLessThanOrEqual(MAX_INSTALLED);
});

test('no package runs a script when it is installed', () => {
  const scripts = ['preinstall', 'install', 'postinstall'];
  expect(Object.keys(manifest.scripts).filter((name) => scripts.includes(name))).toEqual([]);
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
});

test('all dependencies, including those for development, have a digest', () => {
  const loose = locked.filter(
    ([, { integrity = '', link }]) => !link && !integrity.startsWith('sha512-'),
  );
  expect(loose.map(([path]) => path)).toEqual([]);
});

test('it is published with provenance', () => {
  expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
});
