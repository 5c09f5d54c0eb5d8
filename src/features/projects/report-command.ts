import { type PartDocument, readParts } from './shard-documents-command.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import { InputError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { outputFlag } from '../../cli/arguments/common-flags.js';
import { defineCommand, EXIT, type ExitCode, exitCodeOf } from '../../cli/kit/command.js';
import * as json from '../../cli/kit/json-schema.js';
import {
  eachTable,
  type ProjectResult,
  worstExitCode,
} from '../../cli/projects/project-results.js';
import { amount } from '../../cli/terminal/package-text.js';
import {
  type BreakageDocument,
  type ChoiceDocument,
  type FuzzDocument,
  fuzzText,
  nameOfChoice,
} from '../fuzz/output.js';
import { type FindingDocument, findingLines, setLintLines } from '../lint/output.js';
import {
  type MatrixRowDocument,
  type MatrixRows,
  matrixLines,
  matrixOutcome,
} from '../matrix/output.js';
import { type OutdatedDocument, outdatedLines } from '../update/outdated-output.js';

export const reportCommand = defineCommand({
  positionals: {
    action: {
      choices: ['merge'],
      demandOption: true,
      describe: 'What to do with what the parts of a run printed with --shard and -o json',
    },
    files: {
      array: true,
      demandOption: true,
      describe: 'What each part printed, a file each',
    },
  },
  flags: { ...outputFlag },
  examples: [['$0 report merge part-*.json', 'of all machines of a CI matrix, as of one run']],
  run: async ({ files }, io): Promise<MergedRun> => {
    const parts = await readParts(files, io);
    const { command, sets } = parts[0]!.shard;
    if (sets !== undefined) return mergeSets(parts, sets);
    const documents = completeParts(parts).map(({ document }) => document as unknown);
    return command === 'matrix'
      ? mergeMatrix(documents as readonly MatrixPart[])
      : mergeFuzz(documents as readonly FuzzDocument[]);
  },
  json: () => ({
    schema: json.anything('The document of the command that was run.'),
    write: ({ document }: MergedRun) => document,
  }),
  jsonLines: ({ lines = [] }) => lines,
  notes: ({ notes = [] }) => notes,
  text: ({ text }) => text(),
  exit: ({ exitCode }) => exitCode,
});

/** The shards of a run as one run prints them. */
interface MergedRun {
  /** The document about one project. */
  readonly document?: object;
  /** The lines about many projects. */
  readonly lines?: readonly object[];
  readonly notes?: readonly string[];
  readonly text: () => readonly string[];
  readonly exitCode: ExitCode;
}

type Line = JsonObject & ProjectResult;

/** Merges the lines of projects. `count` is the number of projects in all shards. */
function mergeSets(parts: readonly PartDocument[], count: number): MergedRun {
  const lines = parts
    .map(({ document }) => document as unknown as Line)
    .sort((a, b) => byCodePoint(a.set, b.set));
  const { size } = new Set(lines.map(({ set }) => set));
  if (size < lines.length) throw new InputError('a set is there twice');
  if (size !== count) throw missingError(parts, count - size, count);
  const textOf = TEXTS[parts[0]!.shard.command] ?? (() => []);
  const failedLast = lines.toSorted(
    (a, b) => Number(a.exitCode !== EXIT.done) - Number(b.exitCode !== EXIT.done),
  );
  const section = (line: Line) => {
    const data = textOf(line);
    return data.length === 0 ? [] : [`${line.set}:`, ...data, ''];
  };
  return {
    lines: lines.map(({ shard: _shard, ...line }) => line),
    text: () => [...failedLast.flatMap(section), ...eachTable(lines)],
    exitCode: worstExitCode(lines.map(({ exitCode }) => exitCode)),
  };
}

function missingError(parts: readonly PartDocument[], missing: number, all: number): InputError {
  const { of } = parts[0]!.shard;
  const present = new Set(parts.map(({ shard }) => shard.index));
  const absent = Array.from({ length: of }, (_, i) => i + 1).filter((i) => !present.has(i));
  const which = absent.map((i) => `${i}/${of}`).join(', ');
  return new InputError(`${missing} of ${amount(all, 'set')} are missing`, {
    hint: which === '' ? 'a part is cut short: run it again' : `nothing is there of part ${which}`,
  });
}

/** Returns one document for each shard, in order. Throws if a shard is missing or duplicated. */
function completeParts(parts: readonly PartDocument[]): readonly PartDocument[] {
  const { of } = parts[0]!.shard;
  const byIndex = new Map(parts.map((part) => [part.shard.index, part]));
  if (byIndex.size < parts.length) throw new InputError('a part is given twice');
  return Array.from({ length: of }, (_, i) => {
    const part = byIndex.get(i + 1);
    if (part !== undefined) return part;
    throw new InputError(`part ${i + 1}/${of} is missing`, {
      hint: 'give what every machine printed with `-o json`',
    });
  });
}

/** The document of a shard of a matrix. */
interface MatrixPart extends MatrixRows {
  readonly stats: Readonly<Record<string, number>>;
}

/**
 * Merges matrices. As in a single run, neighboring releases with equal results are one row. The
 * reads are added up; packages that two shards read count twice.
 */
function mergeMatrix(parts: readonly MatrixPart[]): MergedRun {
  const rows: MatrixRowDocument[] = [];
  for (const row of parts.flatMap((part) => part.rows)) {
    const last = rows.at(-1);
    if (last !== undefined && resultKey(last) === resultKey(row)) {
      const releases = [...last.releases, ...row.releases];
      rows[rows.length - 1] = { ...last, to: row.to, releases };
    } else rows.push(row);
  }
  const stats = Object.keys(parts[0]!.stats).map((name) => {
    return [name, parts.reduce((sum, part) => sum + (part.stats[name] ?? 0), 0)];
  });
  return {
    document: { rows, stats: Object.fromEntries(stats) as object },
    text: () => matrixLines({ rows }),
    exitCode: exitCodeOf(matrixOutcome(rows)),
  };
}

/** Equal for rows that differ only in their releases. */
function resultKey(row: MatrixRowDocument): string {
  return JSON.stringify({ ...row, from: undefined, to: undefined, releases: undefined });
}

/** An example in the document of a shard. */
interface FoundExample {
  readonly foundAt: number;
  readonly packages: readonly ChoiceDocument[];
  readonly crossplane: string;
}

/** A breakage in the document of a shard. */
interface FoundBreakage extends Omit<BreakageDocument, keyof FoundExample>, FoundExample {
  readonly others: readonly FoundExample[];
}

/** Merges breakages. As in a single run, the simplest example represents all with the same roots. */
function mergeFuzz(parts: readonly FuzzDocument[]): MergedRun {
  const { seed, releases, varied, notes } = parts[0]!;
  const total = (name: 'runs' | 'gaveUp') => parts.reduce((sum, part) => sum + part[name], 0);
  const byRoots = new Map<string, FoundBreakage[]>();
  for (const breakage of parts.flatMap((part) => part.breakages as readonly FoundBreakage[])) {
    const roots = breakage.packages.map(nameOfChoice).sort().join('\n');
    getOrCreate(byRoots, roots, () => []).push(breakage);
  }
  const document: FuzzDocument = {
    seed,
    runs: total('runs'),
    gaveUp: total('gaveUp'),
    releases,
    varied,
    breakages: [...byRoots.values()]
      .map((found) => ({ found, examples: examplesOf(found) }))
      .sort((a, b) => a.examples[0]!.foundAt - b.examples[0]!.foundAt)
      .map(({ found, examples }) => mergedBreakage(found, examples)),
    notes,
  };
  return {
    document,
    notes: notes.map((note) => `note: ${note}`),
    text: () => fuzzText(document),
    exitCode: document.breakages.length === 0 ? EXIT.done : EXIT.findings,
  };
}

/** Returns all examples in the order of discovery. */
function examplesOf(found: readonly FoundBreakage[]): readonly FoundExample[] {
  return found
    .flatMap((breakage) => [breakage, ...breakage.others])
    .sort((a, b) => a.foundAt - b.foundAt);
}

function mergedBreakage(
  found: readonly FoundBreakage[],
  examples: readonly FoundExample[],
): BreakageDocument {
  const { foundAt: _, ...best } = found.toSorted(bySimplicity)[0]!;
  // Of equal examples, the map has the one that was found first.
  const distinct = new Map(examples.toReversed().map((example) => [exampleKey(example), example]));
  distinct.delete(exampleKey(best));
  const others = [...distinct.values()]
    .sort(bySimplicity)
    .map(({ packages, crossplane }) => ({ packages, crossplane }));
  return { ...best, others };
}

/** Compares examples as `fuzz` orders them: by number of versions, then by order of discovery. */
function bySimplicity(a: FoundExample, b: FoundExample): number {
  const versionCount = ({ packages }: FoundExample) =>
    packages.filter(({ version }) => version !== undefined).length;
  return versionCount(a) - versionCount(b) || a.foundAt - b.foundAt;
}

function exampleKey({ packages }: Pick<FoundExample, 'packages'>): string {
  return packages.map((each) => `${nameOfChoice(each)} ${each.version ?? ''}`).join('\n');
}

/** The text of validated JSON lines, for commands that show data of successful projects. */
const TEXTS: Readonly<Record<string, (line: JsonObject) => readonly string[]>> = {
  matrix: (line) => ('rows' in line ? matrixLines(line as unknown as MatrixRows) : []),
  outdated: (line) => {
    const { packages = [] } = line as Partial<OutdatedDocument>;
    return outdatedLines(
      packages.map(({ source, fits, heldBy, ...each }) => ({
        ...each,
        repository: source,
        fits,
        heldBy: heldBy && [heldBy].flat(),
      })),
    );
  },
  lint: (line) => {
    if (!('findings' in line)) return [];
    const documents = line['findings'] as unknown as readonly FindingDocument[];
    const findings = documents.map(({ file, line: at, ...each }) => ({
      ...each,
      origin: { file, line: at },
    }));
    // A project without an answer has findings of its inputs only.
    return line['status'] === undefined
      ? setLintLines({ findings, crossplane: line['crossplane'] as string })
      : findingLines(findings);
  },
};
