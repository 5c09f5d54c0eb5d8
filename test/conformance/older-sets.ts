import { readFileSync } from 'node:fs';
import { type Draw, seededDraw } from '../../src/base/collections.js';
import type { Target } from '../../src/crossplane/releases/target.js';
import type { PackageSource } from '../../src/sources/package-source.js';
import { shared } from './shared.js';

/** A published set whose roots are at older versions, in which most packages are held back. */
export interface OlderSet {
  /** Version by repository; empty if no root has a release. */
  readonly roots: Readonly<Record<string, string>>;
  readonly draw: Draw;
}

/** Yields a seeded sample of the sets of the corpus; all of them with XPKG_CORPUS=all. */
export async function* olderSets(
  source: PackageSource,
  target: Target,
  sample: number,
): AsyncGenerator<OlderSet> {
  const { cases } = JSON.parse(readFileSync(shared('data/corpus/answers.json'), 'utf8')) as {
    cases: { roots: Readonly<Record<string, string>> }[];
  };
  const draw = seededDraw(24);
  const count = process.env['XPKG_CORPUS'] === 'all' ? cases.length : sample;
  for (const { roots } of shuffled(cases, draw).slice(0, count)) {
    const older: Record<string, string> = {};
    for (const name of Object.keys(roots)) {
      const tags = (await source.tags(name, target)) ?? [];
      const stable = tags.filter((tag) => /^v\d+\.\d+\.\d+$/.test(tag));
      if (stable.length > 0) older[name] = stable[draw(stable.length)]!;
    }
    yield { roots: older, draw };
  }
}

export function shuffled<T>(items: readonly T[], draw: Draw): T[] {
  return items
    .map((item) => ({ item, place: draw(1_000_000) }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
