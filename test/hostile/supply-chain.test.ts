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

/** With what they need in turn; to raise them is a decision. */
const MAX_DEPENDENCIES = 11;
const MAX_INSTALLED = 45;

test('few packages come with it', () => {
  expect(Object.keys(manifest.dependencies).length).toBeLessThanOrEqual(MAX_DEPENDENCIES);
  expect(installed.length).toBeLessThanOrEqual(MAX_INSTALLED);
});

test('none of them, nor this one, runs anything when it is installed', () => {
  const scripts = ['preinstall', 'install', 'postinstall'];
  expect(Object.keys(manifest.scripts).filter((name) => scripts.includes(name))).toEqual([]);
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
});

test('all that is installed, for developers too, is held to a digest', () => {
  const loose = locked.filter(
    ([, { integrity = '', link }]) => !link && !integrity.startsWith('sha512-'),
  );
  expect(loose.map(([path]) => path)).toEqual([]);
});

test('it is published with a statement of where it was built', () => {
  expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
});
