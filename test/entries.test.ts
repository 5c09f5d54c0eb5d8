import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { declaredImports, unreachableTypes } from './support/declarations.js';

const SRC = join(import.meta.dirname, '../src');
const DIST = join(SRC, '../dist');

/**
 * Packages that importing a built file loads, itself or by way of others; with `later`, also those that
 * `import()` loads when it is come to.
 */
function loadedBy(entry: string, { later = false } = {}): Set<string> {
  const packages = new Set<string>();
  const files = new Set([join(DIST, entry)]);
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const at = text.matchAll(/^(?:import|export)\s(?:[^";]*\sfrom\s)?"([^"]+)"/gm);
    const then = later ? text.matchAll(/\bimport\("([^"]+)"\)/g) : [];
    for (const [, specifier] of [...at, ...then]) {
      if (specifier!.startsWith('.')) files.add(resolve(dirname(file), specifier!));
      else if (!specifier!.startsWith('node:') && !builtinModules.includes(specifier!))
        packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(specifier!)![0]);
    }
  }
  return packages;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const manifest = JSON.parse(readFileSync(join(SRC, '..', 'package.json'), 'utf8')) as Manifest;
const installed = Object.keys(manifest.dependencies);

beforeAll(() => {
  if (!existsSync(join(DIST, 'index.js'))) throw new Error('run `npm run build` first');
});

describe('modules that an entry loads', () => {
  test.each(['index.js', 'main.js'])('%s: nothing but dependencies', (entry) => {
    expect([...loadedBy(entry)]).toEqual([]);
    const packages = [...loadedBy(entry, { later: true })];
    expect(packages).toContain('undici');
    expect(packages.filter((name) => !installed.includes(name))).toEqual([]);
  });

  test('testing/index.js: also fast-check, and no SAT solver until one is requested', () => {
    expect([...loadedBy('testing/index.js')]).toEqual(['fast-check']);
    expect([...loadedBy('testing/index.js', { later: true })]).toContain('logic-solver');
  });

  test.each(['index', 'testing/index'])(
    '%s: exports the same names as its source',
    async (entry) => {
      const built = (await import(join(DIST, `${entry}.js`))) as object;
      const source = (await import(join(SRC, `${entry}.ts`))) as object;
      expect(Object.keys(built).sort()).toEqual(Object.keys(source).sort());
    },
  );

  test('nobody is made to install a peer', () => {
    expect(Object.keys(manifest.peerDependencies).sort()).toEqual(['fast-check', 'logic-solver']);
    for (const peer of Object.keys(manifest.peerDependencies))
      expect(manifest.peerDependenciesMeta[peer]).toEqual({ optional: true });
  });
});

describe('modules that users can import', () => {
  const [library, kit] = ['index.d.ts', 'testing/index.d.ts'].map((file) => join(DIST, file));

  test('the library: every type that its declarations lead to', () => {
    expect(unreachableTypes(library!)).toEqual([]);
  });

  test.each(['index', 'testing/index'])('%s: no package that users do not install', (entry) => {
    const imported = declaredImports(join(DIST, `${entry}.d.ts`));
    const allowed = [...installed, ...Object.keys(manifest.peerDependencies)];
    expect(imported.filter((name) => !allowed.includes(name))).toEqual([]);
  });

  test('the test kit: every type that is not one of the library', () => {
    expect(unreachableTypes(kit!, [library!])).toEqual([]);
    // The search does find types: without those of the library, many are missing.
    expect(unreachableTypes(kit!).join('\n')).toContain('IndexFile, which ');
  });
});
