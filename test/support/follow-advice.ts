import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCli } from '../../src/commands.js';
import type { PrintedAdvice } from '../../src/features/update/outdated-output.js';
import { parseLockfile } from '../../src/project/lockfile/parse-lockfile.js';
import { changeEffect } from '../../src/resolver/suggest/change-effect.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { fakeIo } from './fake-io.js';

/** A package as `outdated -o json` prints it. */
interface AdvisedPackage {
  readonly source: string;
  readonly advice?: PrintedAdvice;
}

const lockIn = (folder: string) =>
  parseLockfile(readFileSync(join(folder, 'xpkg.lock.yaml'), 'utf8'), 'xpkg.lock.yaml');

/**
 * Runs the commands that `outdated` prints, as printed, each in a copy of a folder, and checks that
 * they lock the printed version and every root, with the printed effect. Returns how many were run.
 * `flags` are those of `outdated`.
 */
export async function followAdvice(
  folder: string,
  flags: readonly string[],
  select: (packages: readonly AdvisedPackage[]) => readonly AdvisedPackage[] = (all) => all,
): Promise<number> {
  const io = fakeIo({ cwd: folder });
  expect(await runCli(['outdated', '-o', 'json', ...flags], io), io.notes().join()).toBe(0);
  const { packages } = JSON.parse(io.stdout()) as { packages: readonly AdvisedPackage[] };
  let followed = 0;
  for (const { source, advice } of select(packages.filter((one) => one.advice !== undefined))) {
    const copy = mkdtempSync(join(tmpdir(), 'xpkg-resolve-advice-'));
    try {
      cpSync(folder, copy, { recursive: true });
      for (const command of advice!.commands) {
        expect(command).toMatch(/^xpkg-resolve [^|&;<>$`'"\n]*$/);
        const words = command.split(' ').slice(1);
        const run = fakeIo({ cwd: copy });
        expect(await runCli(words, run), `${command}\n${run.notes().join('\n')}`).toBe(0);
      }
      const [before, after] = [lockIn(folder), lockIn(copy)];
      const now = after.packages.find(({ repository }) => repository === source)?.version;
      expect(now, advice!.commands.join()).toBe(advice!.version);
      const locked = new Set(after.packages.map(({ repository }) => repository));
      const roots = before.packages.filter(({ direct }) => direct);
      const missing = roots.filter(({ repository }) => !locked.has(repository));
      expect(missing, advice!.commands.join()).toEqual([]);
      const { dialect } = targetFor(before.crossplane)!.rules;
      const { notes: _, ...counts } = changeEffect(before.packages, after.packages, dialect);
      expect(advice!.effect, advice!.commands.join()).toMatchObject(counts);
      followed++;
    } finally {
      rmSync(copy, { recursive: true });
    }
  }
  return followed;
}
