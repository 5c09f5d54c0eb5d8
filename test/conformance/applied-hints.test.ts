import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/kit/command.js';
import { runCli } from '../../src/commands.js';
import type { Lockfile } from '../../src/project/lockfile/lockfile.js';
import { parseLockfile } from '../../src/project/lockfile/parse-lockfile.js';
import { changeEffect, type ChangeEffect } from '../../src/resolver/suggest/change-effect.js';
import type { IndexFile } from '../../src/sources/index/index-file.js';
import { selectorOf } from '../../src/crossplane/constraints/constraint.js';
import { knownReleases, targetFor } from '../../src/crossplane/releases/target.js';
import { parseVersion } from '../../src/crossplane/constraints/version.js';
import { seededDraw, type Draw } from '../../src/base/collections.js';
import { satisfies } from '../../src/crossplane/constraints/installable-versions.js';
import { fakeIo } from '../support/fake-io.js';
import { shared } from './shared.js';
import { table } from './table.js';

/**
 * Suggestions for sets of real packages, each applied with `--apply-hint`. Uses a seeded sample of
 * the corpus; `XPKG_CORPUS=all` uses all of it.
 */
const SAMPLE = process.env['XPKG_CORPUS'] === 'all' ? Infinity : 36;
const SEED = 24;

const INDEX = shared('data', 'corpus', 'universe.index.json.gz');
const SOURCE = ['--from', `index:${INDEX}`, '--offline', '--allow-undigested'];
const universe = JSON.parse(gunzipSync(readFileSync(INDEX)).toString()) as IndexFile;
const { cases } = JSON.parse(readFileSync(shared('data', 'corpus', 'answers.json'), 'utf8')) as {
  cases: { roots: Readonly<Record<string, string>> }[];
};

/** A command and the package that it names. */
interface Command {
  readonly words: readonly string[];
  readonly named?: { readonly repository: string; readonly version: string } | undefined;
  readonly crossplane?: string | undefined;
}

interface Suggestion {
  readonly text: string;
  readonly effect: ChangeEffect;
}

const counts = new Map<string, { runs: number; refused: number; suggestions: number }>();
const folders = mkdtempSync(join(tmpdir(), 'xpkg-resolve-applied-hints-'));

afterAll(() => {
  rmSync(folders, { recursive: true });
  const rows = Array.from(counts, ([name, { runs, refused, suggestions }]) => [
    name,
    runs,
    refused,
    suggestions,
  ]);
  const head = ['command', 'runs', 'refused', 'suggestions applied'];
  process.stdout.write(`\n${table([head, ...rows])}\n`);
});

async function run(folder: string, words: readonly string[]) {
  const io = fakeIo({ cwd: folder });
  const code = await runCli([...words, ...SOURCE], io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

function lockIn(folder: string): Lockfile {
  return parseLockfile(readFileSync(join(folder, 'xpkg.lock.yaml'), 'utf8'), 'xpkg.lock.yaml');
}

function pick<T>(items: readonly T[], draw: Draw): T {
  return items[draw(items.length)]!;
}

function versionsOf(repository: string): string[] {
  return Object.keys(universe.packages[repository]?.versions ?? {}).filter(
    (tag) => parseVersion(tag, '3.4.0')?.prerelease === '',
  );
}

function packageSet(roots: Readonly<Record<string, string>>, crossplane: string): string {
  const entries = Object.entries(roots).map(
    ([repository, version]) => `    - package: ${repository}\n      version: "${version}"\n`,
  );
  return `apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nmetadata:\n  name: corpus\nspec:\n  crossplane: ${crossplane}\n  packages:\n${entries.join('')}`;
}

/** Draws three commands that name packages of a lockfile. */
function commandsFor({ packages }: Lockfile, draw: Draw): Command[] {
  const known = packages.filter(({ repository }) => versionsOf(repository).length > 1);
  const updates = known.length === 0 ? [] : [pick(known, draw), pick(known, draw)];
  const added = pick(
    Object.keys(universe.packages).filter((repository) => versionsOf(repository).length > 0),
    draw,
  );
  const named = [
    ...updates.map(({ repository }) => ['update', repository] as const),
    ['add', added] as const,
    ['add', pick(packages, draw).repository] as const,
  ];
  const crossplane = pick(knownReleases(), draw);
  return [
    ...named.flatMap(([word, repository]): Command[] => {
      const versions = versionsOf(repository);
      if (versions.length === 0) return [];
      const version = (draw(3) === 0 ? '^' : '') + pick(versions, draw);
      return [{ words: [word, `${repository}@${version}`], named: { repository, version } }];
    }),
    { words: ['set', 'crossplane', crossplane], crossplane },
  ];
}

/** Returns the errors in a result of a command or of its suggestion. */
function flaws(
  after: Lockfile,
  roots: readonly string[],
  { named, crossplane }: Command,
): string[] {
  const versions = new Map(after.packages.map((each) => [each.repository, each.version]));
  const found = roots.filter((root) => !versions.has(root)).map((root) => `${root} is missing`);
  if (crossplane !== undefined && after.crossplane !== crossplane) {
    found.push(`it is for Crossplane ${after.crossplane}`);
  }
  if (named !== undefined) {
    const version = versions.get(named.repository);
    const target = targetFor(after.crossplane)!;
    const wanted = selectorOf(named.version);
    if (version === undefined || !satisfies(version, wanted, target, 'all')) {
      found.push(`${named.repository} is ${version ?? 'missing'}`);
    }
  }
  return found;
}

async function check(folder: string, command: Command, roots: readonly string[]): Promise<void> {
  const name = command.words[0]!;
  const count = counts.get(name) ?? { runs: 0, refused: 0, suggestions: 0 };
  counts.set(name, count);
  count.runs++;
  const before = name === 'resolve' ? undefined : lockIn(folder);
  const first = await run(folder, [...command.words, '--no-write', '-o', 'json']);
  if (first.code !== EXIT.unsolvable) {
    if (first.code !== EXIT.done || name === 'resolve') return;
    const copy = `${folder}-done`;
    cpSync(folder, copy, { recursive: true });
    const { code } = await run(copy, command.words);
    const wrong = code === EXIT.done ? flaws(lockIn(copy), roots, command) : [`exit code ${code}`];
    expect([command.words, wrong]).toEqual([command.words, []]);
    rmSync(copy, { recursive: true });
    return;
  }
  count.refused++;
  const { suggestions } = JSON.parse(first.stdout) as { suggestions: Suggestion[] };
  await checkWhyNot(folder, command, suggestions);
  const ranks: (readonly number[])[] = [];
  for (const [i, { text, effect }] of suggestions.entries()) {
    count.suggestions++;
    const copy = `${folder}-${i + 1}`;
    cpSync(folder, copy, { recursive: true });
    const applied = await run(copy, [...command.words, '--apply-hint', String(i + 1)]);
    const about = [...command.words, text];
    expect([about, applied.code === EXIT.done ? '' : applied.stderr]).toEqual([about, '']);
    const after = lockIn(copy);
    const isLeftOut =
      text.startsWith('leave out') || effect.notes.includes('one root is not installed');
    // Only a command without package names may lose a root.
    const keep = name === 'resolve' && isLeftOut ? [] : roots;
    if (isLeftOut) expect(effect.notes).toContain('one root is not installed');
    const renamed = text.includes('instead of') && !text.includes('`') ? [] : keep;
    expect([about, flaws(after, renamed, command)]).toEqual([about, []]);
    const { dialect } = targetFor(after.crossplane)!.rules;
    const actual = changeEffect(before?.packages ?? [], after.packages, dialect);
    expect([about, { ...effect, notes: [] }]).toEqual([about, { ...actual, notes: [] }]);
    const skips = effect.notes.some((note) => note.includes('skipDependencyResolution'));
    expect([about, skips]).toEqual([about, after.skipDependencyResolution.length > 0]);
    const losses = effect.down + effect.removed;
    ranks.push([Number(isLeftOut), Number(losesMajor(before, after, roots)), losses]);
    rmSync(copy, { recursive: true });
  }
  const inOrder = ranks.toSorted((a, b) => a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!);
  expect([command.words, ranks]).toEqual([command.words, inOrder]);
}

/** `why --not` refers to the suggestions of `update` by their numbers. */
async function checkWhyNot(folder: string, { words, named }: Command, suggestions: Suggestion[]) {
  if (words[0] !== 'update' || named === undefined || named.version.startsWith('^')) return;
  const wanted = `${named.repository}@${named.version}`;
  const { stdout } = await run(folder, ['why', '--not', wanted, '-o', 'json']);
  const { why } = JSON.parse(stdout) as { why: { suggestions: Suggestion[] } };
  const stated = (all: readonly Suggestion[]) => all.map(({ text, effect }) => ({ text, effect }));
  expect([wanted, stated(why.suggestions)]).toEqual([wanted, stated(suggestions)]);
}

/** Whether a root is downgraded by a major version. */
function losesMajor(before: Lockfile | undefined, after: Lockfile, roots: readonly string[]) {
  return roots.some((root) => {
    const [from, to] = [majorIn(before, root), majorIn(after, root)];
    return from !== undefined && to !== undefined && to < from;
  });
}

function majorIn(lockfile: Lockfile | undefined, root: string) {
  const locked = lockfile?.packages.find(({ repository }) => repository === root);
  return locked && parseVersion(locked.version, '3.4.0')?.major;
}

const draw = seededDraw(SEED);
const sampled = cases
  .map((each, i) => ({ ...each, i, order: draw(2 ** 30) }))
  .sort((a, b) => a.order - b.order)
  .slice(0, SAMPLE);

describe('applied suggestions for sets of the corpus', () => {
  test.each(sampled)('case $i: $roots', async ({ roots, i }) => {
    const drawn = seededDraw(SEED + i);
    // With exact versions, suggestions can only change the roots; ranges allow more.
    const isLoose = drawn(2) === 0;
    const requested = Object.fromEntries(
      Object.entries(roots).map(([name, version]) => [name, `${isLoose ? '>=' : ''}${version}`]),
    );
    const folder = join(folders, String(i));
    mkdirSync(folder);
    const crossplane = drawn(2) === 0 ? 'v1.20.0' : 'v2.0.2';
    writeFileSync(join(folder, 'xpkg.yaml'), packageSet(requested, crossplane));
    const { code } = await run(folder, ['resolve']);
    const names = Object.keys(roots);
    if (code === EXIT.unsolvable) await check(folder, { words: ['resolve'] }, names);
    if (code !== EXIT.done) return;
    for (const command of commandsFor(lockIn(folder), drawn)) await check(folder, command, names);
  });
});
