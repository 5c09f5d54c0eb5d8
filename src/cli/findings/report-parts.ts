import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Report, ReportFinding } from './report.js';
import { getOrCreate } from '../../base/collections.js';
import type { Origin } from '../../base/errors.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import type { RunIo } from '../terminal/io.js';

/** Finds the line of a package in a lockfile; `named` is its path as the user wrote it. */
export class LockPlaces {
  readonly #named: string;
  readonly #lines = new Map<string, number>();

  /** `text` is the lockfile; undefined if it is not available. */
  constructor(named: string, text: string | undefined) {
    this.#named = named;
    for (const [i, line] of (text ?? '').split('\n').entries()) {
      const [, quoted, plain] = BLOCK.exec(line) ?? [];
      const repository = quoted ?? plain;
      if (repository !== undefined) getOrCreate(this.#lines, repository, () => i + 1);
    }
  }

  /** Reads the lockfile. If it cannot be read, every place is its first line. */
  static async read(named: string, { cwd }: Pick<RunIo, 'cwd'>): Promise<LockPlaces> {
    const text = await readFile(resolve(cwd, named), 'utf8').catch(() => undefined);
    return new LockPlaces(named, text);
  }

  /** Returns the line of a package; the first line if the lockfile does not have the package. */
  of(repository: string | undefined): Origin {
    return { file: this.#named, line: this.#lines.get(repository ?? '') ?? 1 };
  }
}

/** The first line of a package, as `format-lockfile.ts` writes it. */
const BLOCK = /^ *- source: (?:"([^"]*)"|(\S+))\s*$/;

/** Returns the report of a command with one step, which failed if a finding fails the run. */
export function singleStep({
  command,
  headline,
  findings,
  ...rest
}: Pick<Report, 'command' | 'headline' | 'details' | 'isDetailed' | 'outputs'> &
  Pick<Report['steps'][number], 'findings'>): Report {
  const status = findings.some(({ fails }) => fails) ? 'failed' : 'passed';
  const steps = [{ name: command, status, text: headline, findings }] as const;
  return { command, headline, steps, ...rest };
}

/** Maximum number of lines in a list: code hosts cut comments at 65,536 characters. */
const MAX_ITEMS = 100;

/** Returns a collapsed list; `title` and `items` are Markdown. Empty without items. */
export function details(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const lines = items.map((item) => `- ${item}`);
  const list = firstItems(lines, MAX_ITEMS).join('\n');
  return [`<details><summary>${title}</summary>\n\n${list}\n\n</details>`];
}

/** Returns the first items of a list, and one with the number of the others, if any. */
export function firstItems(items: readonly string[], max: number): string[] {
  const rest = items.length - max;
  return [...items.slice(0, max), ...(rest > 0 ? [`- and ${rest} more`] : [])];
}

/** Returns a table; cells are Markdown. Empty without rows. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const lines = [heading, heading.map(() => '---'), ...rows];
  return [lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')];
}

/** Returns mismatches as findings, placed at the file that differs or at the package in the lockfile. */
export function mismatchFindings(
  mismatches: readonly Mismatch[],
  places: LockPlaces,
): ReportFinding[] {
  return mismatches.map(({ kind, repository, version, file, line, text, locked, found }) => ({
    rule: kind,
    severity: 'error',
    fails: true,
    origin: file === undefined ? places.of(repository) : { file, line },
    text: [
      file === undefined && repository !== undefined && kind !== 'stale'
        ? `${repository} ${version}: ${text}`
        : text,
      ...(locked === undefined ? [] : [`${kind === 'bundle' ? 'wanted' : 'locked'}: ${locked}`]),
      ...(found === undefined ? [] : [`found: ${found}`]),
    ].join('\n'),
  }));
}

export function countedMismatches(count: number): string {
  return `${count} ${count === 1 ? 'mismatch' : 'mismatches'}`;
}

/** Returns the report of a command that ended with mismatches; `lock` is the path of the lockfile. */
export async function mismatchReport(
  command: string,
  mismatches: readonly Mismatch[],
  lock: string,
  io: Pick<RunIo, 'cwd'>,
): Promise<Report> {
  const findings = mismatchFindings(mismatches, await LockPlaces.read(lock, io));
  return singleStep({ command, headline: countedMismatches(mismatches.length), findings });
}
