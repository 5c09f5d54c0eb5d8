import { type PartDocument, readParts } from './shard-documents-command.js';
import { byCodePoint } from '../../base/collections.js';
import { InputError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { outputFlag } from '../../cli/arguments/common-flags.js';
import { command, EXIT, type ExitCode, exitCodeOf, jsonDocument } from '../../cli/kit/command.js';
import { EachReport, type SetResult, worstExitCode } from '../../cli/projects/project-results.js';
import type { Io } from '../../cli/terminal/io.js';
import { counted } from '../../cli/terminal/package-text.js';
import type { HeldBy } from '../../resolver/resolve/blocked-by.js';
import {
  type BreakageDocument,
  type ChoiceDocument,
  type FuzzDocument,
  fuzzText,
  nameOfChoice,
} from '../fuzz/output.js';
import { type FindingDocument, findingLines, setLintLines } from '../lint/output.js';
import {
  matrixLines,
  matrixOutcome,
  type MatrixRowDocument,
  type MatrixRows,
} from '../matrix/output.js';
import { outdatedLines } from '../update/outdated-output.js';
import type { AdvisedPackage } from '../update/update-advice-output.js';

export const reportCommand = command({
  positionals: {
    action: {
      choices: ['merge'],
      demandOption: true,
      describe: 'What to do with what the parts of a run printed with --shard and -o json',
    },
    files: {
      type: 'string',
      array: true,
      demandOption: true,
      describe: 'What each part printed, a file each',
    },
  },
  flags: { ...outputFlag },
  examples: [['$0 report merge part-*.json', 'of all machines of a CI matrix, as of one run']],
  run: async ({ files, output }, io) => {
    const parts = await readParts(files, io);
    const { command: name, sets } = parts[0]!.shard;
    if (sets !== undefined) return mergeSets(parts, sets, output, io);
    const all = completeParts(parts);
    return name === 'matrix'
      ? printMatrix(mergeMatrix(all), output, io)
      : printFuzz(mergeFuzz(all), output, io);
  },
});

type Line = JsonObject & SetResult;

/** Lines of projects, as a single run prints them. */
function mergeSets(parts: readonly PartDocument[], all: number, output: string, io: Io): ExitCode {
  const lines = parts
    .map(({ document }) => document as unknown as Line)
    .sort((a, b) => byCodePoint(a.set, b.set));
  const { size } = new Set(lines.map(({ set }) => set));
  if (size < lines.length) throw new InputError('a set is there twice');
  if (size !== all) throw missingSets(parts, all - size, all);
  const { command: name } = parts[0]!.shard;
  const report = new EachReport(io, {
    json: false,
    showsData: showsDataOfSets(name),
    shard: undefined,
  });
  for (const [place, { shard: _, ...line }] of lines.entries()) {
    if (output === 'json') io.out(`${JSON.stringify(line)}\n`);
    else report.add(place, { ...lines[place]!, out: setText(name, lines[place]!), notes: [] });
  }
  if (output !== 'json') report.end();
  return worstExitCode(lines.map(({ exitCode }) => exitCode));
}

function missingSets(parts: readonly PartDocument[], missing: number, all: number): InputError {
  const { of } = parts[0]!.shard;
  const there = new Set(parts.map(({ shard }) => shard.index));
  const absent = Array.from({ length: of }, (_, i) => i + 1).filter((i) => !there.has(i));
  const which = absent.map((i) => `${i}/${of}`).join(', ');
  return new InputError(`${missing} of ${counted(all, 'set')} are missing`, {
    hint: which === '' ? 'a part is cut short: run it again' : `nothing is there of part ${which}`,
  });
}

function printMatrix(merged: MatrixRows, output: string, io: Io): ExitCode {
  if (output === 'json') io.out(jsonDocument(merged));
  else for (const line of matrixLines(merged)) io.out(`${line}\n`);
  return exitCodeOf(matrixOutcome(merged.rows));
}

function printFuzz(merged: FuzzDocument, output: string, io: Io): ExitCode {
  for (const note of merged.notes) io.note(`note: ${note}`);
  io.out(output === 'json' ? jsonDocument(merged) : `${fuzzText(merged).join('\n')}\n`);
  return merged.breakages.length === 0 ? EXIT.done : EXIT.findings;
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
  readonly stats: Sums;
}

/** Rows of a matrix by release, as one run has them: neighbours that fare alike are one row. */
function mergeMatrix(documents: readonly PartDocument[]): MatrixPart {
  const parts = documents.map(({ document }) => document as unknown as MatrixPart);
  const rows: MatrixRowDocument[] = [];
  for (const row of parts.flatMap((part) => part.rows)) {
    const last = rows.at(-1);
    if (last !== undefined && faringOf(last) === faringOf(row)) {
      rows[rows.length - 1] = {
        ...last,
        to: row.to,
        releases: [...last.releases, ...row.releases],
      };
    } else rows.push(row);
  }
  return { rows, stats: sumsOf(parts.map(({ stats }) => stats)) };
}

type Sums = Readonly<Record<string, number>>;

function faringOf({
  from: _from,
  to: _to,
  releases: _releases,
  ...faring
}: MatrixRowDocument): string {
  return JSON.stringify(faring);
}

/** The sum of the reads of all shards. Packages that two shards read count twice. */
function sumsOf(counts: readonly Sums[]): Sums {
  const names = Object.keys(counts[0]!);
  return Object.fromEntries(
    names.map((name) => [name, counts.reduce((sum, each) => sum + (each[name] ?? 0), 0)]),
  );
}

interface FoundExample {
  readonly foundAt: number;
  readonly packages: readonly ChoiceDocument[];
  readonly crossplane: string;
}

/** A breakage in the document of a shard. */
interface FoundBreakage extends BreakageDocument, FoundExample {
  readonly foundAt: number;
  readonly others: readonly FoundExample[];
}

/** Groups breakages as a single run does: the simplest example stands for all with the same roots. */
function mergeFuzz(documents: readonly PartDocument[]): FuzzDocument {
  const parts = documents.map(({ document }) => document as unknown as FuzzDocument);
  const { seed, releases, varied, notes } = parts[0]!;
  const total = (name: 'runs' | 'gaveUp') => parts.reduce((sum, part) => sum + part[name], 0);
  const alike = new Map<string, FoundBreakage[]>();
  for (const breakage of parts.flatMap((part) => part.breakages as readonly FoundBreakage[])) {
    const roots = breakage.packages.map(nameOfChoice).sort().join('\n');
    alike.set(roots, [...(alike.get(roots) ?? []), breakage]);
  }
  const groups = [...alike.values()].map(mergedGroup).sort((a, b) => a.foundAt - b.foundAt);
  return {
    seed,
    runs: total('runs'),
    gaveUp: total('gaveUp'),
    releases,
    varied,
    breakages: groups.map(({ breakage }) => breakage),
    notes,
  };
}

interface MergedGroup {
  readonly foundAt: number;
  readonly breakage: BreakageDocument;
}

function mergedGroup(found: readonly FoundBreakage[]): MergedGroup {
  const [best] = found.toSorted(plainestFirst);
  const examples = found.flatMap((breakage) => [breakage, ...breakage.others]);
  const earliest = new Map<string, FoundExample>();
  for (const example of examples.toSorted((a, b) => a.foundAt - b.foundAt)) {
    if (!earliest.has(keyOf(example))) earliest.set(keyOf(example), example);
  }
  const others = [...earliest.values()]
    .filter((example) => keyOf(example) !== keyOf(best!))
    .sort(plainestFirst)
    .map(({ packages, crossplane }) => ({ packages, crossplane }));
  const { foundAt: _, ...told } = best!;
  return {
    foundAt: Math.min(...examples.map((example) => example.foundAt)),
    breakage: { ...told, others },
  };
}

/** Compares examples as `fuzz` orders them: by number of versions, then by order of discovery. */
function plainestFirst(a: FoundExample, b: FoundExample): number {
  const named = ({ packages }: FoundExample) =>
    packages.filter(({ version }) => version !== undefined).length;
  return named(a) - named(b) || a.foundAt - b.foundAt;
}

function keyOf({ packages }: FoundExample): string {
  return packages.map((each) => `${nameOfChoice(each)} ${each.version ?? ''}`).join('\n');
}

/** Commands that show data of successful projects, with their text for a JSON document. */
const TEXTS: Readonly<Record<string, (line: JsonObject) => readonly string[]>> = {
  matrix: (line) => ('rows' in line ? matrixLines(line as unknown as MatrixRows) : []),
  outdated: (line) => {
    const packages = (line['packages'] ?? []) as unknown as readonly OutdatedDocument[];
    return outdatedLines(
      packages.map(({ source, heldBy, ...each }) => ({
        ...each,
        repository: source,
        heldBy: heldBy && (Array.isArray(heldBy) ? (heldBy as HeldBy) : [heldBy as HeldBy[number]]),
      })),
    );
  },
  lint: (line) => {
    if (!('findings' in line)) return [];
    const found = line['findings'] as unknown as readonly FindingDocument[];
    const findings = found.map(({ file, line: at, ...each }) => ({
      ...each,
      origin: { file, line: at },
    }));
    // Of a set without an answer, what is known of it before that.
    return line['status'] === undefined
      ? setLintLines({ findings, crossplane: line['crossplane'] as string })
      : findingLines(findings);
  },
};

type OutdatedDocument = Omit<AdvisedPackage, 'repository' | 'heldBy'> & {
  readonly source: AdvisedPackage['repository'];
  readonly heldBy?: HeldBy[number] | HeldBy | undefined;
};

/** Whether the command shows data of sets that fare well. */
function showsDataOfSets(command: string): boolean {
  return command in TEXTS;
}

/** Returns the text of a command for the validated JSON line of a project. */
function setText(command: string, line: JsonObject): string {
  return (TEXTS[command]?.(line) ?? []).map((each) => `${each}\n`).join('');
}
