import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { unreachableTypes } from './support/declarations.js';

const SRC = join(import.meta.dirname, '..', 'src');

/** Packages that importing a file loads, itself or by way of others; `import()` loads nothing yet. */
function loadedBy(entry: string): Set<string> {
  const packages = new Set<string>();
  const files = new Set([join(SRC, entry)]);
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    // Types are gone by the time anything is loaded.
    const imports = text.matchAll(/^(?:import|export)\s(?!type\b)(?:[^';]*\sfrom\s)?'([^']+)'/gm);
    for (const [, specifier] of imports) {
      if (specifier!.startsWith('.'))
        files.add(resolve(dirname(file), specifier!.replace(/\.js$/, '.ts')));
      else if (!specifier!.startsWith('node:'))
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

describe('what an entry loads', () => {
  test.each(['index.ts', 'cli/main.ts'])('%s: nothing but dependencies', (entry) => {
    const packages = [...loadedBy(entry)];
    expect(packages.length).toBeGreaterThan(0);
    expect(packages.filter((name) => !installed.includes(name))).toEqual([]);
  });

  test('testing/index.ts: fast-check beside them, and no SAT solver until one is asked for', () => {
    const packages = [...loadedBy('testing/index.ts')];
    expect(packages.filter((name) => !installed.includes(name))).toEqual(['fast-check']);
  });

  test('nobody is made to install a peer', () => {
    expect(Object.keys(manifest.peerDependencies).sort()).toEqual(['fast-check', 'logic-solver']);
    for (const peer of Object.keys(manifest.peerDependencies))
      expect(manifest.peerDependenciesMeta[peer]).toEqual({ optional: true });
  });
});

describe('what an entry lets users import', () => {
  const [library, kit] = ['index.d.ts', 'testing/index.d.ts'].map((file) =>
    join(SRC, '../dist', file),
  );

  beforeAll(() => {
    if (!existsSync(kit!)) throw new Error('run `npm run build` first');
  });

  test('the library: every type that its declarations lead to', () => {
    expect(unreachableTypes(library!)).toEqual([]);
  });

  test('the test kit: every type that is not one of the library', () => {
    expect(unreachableTypes(kit!, [library!])).toEqual([]);
    // The search does find types: without those of the library, many are missing.
    expect(unreachableTypes(kit!).join('\n')).toContain('IndexFile, which ');
  });
});
