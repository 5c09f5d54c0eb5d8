import { InputError } from '../../../model/input-error.js';
import {
  nameOfChoice,
  type BreakageDocument,
  type ChoiceDocument,
  type FuzzDocument,
} from '../../output/fuzz.js';
import type { MatrixRowDocument, MatrixRows } from '../../output/matrix.js';
import type { PartDocument } from './read-parts.js';

/** Of each part one document, in order; throws where a part is missing or is there twice. */
export function completeParts(parts: readonly PartDocument[]): readonly PartDocument[] {
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

/** What a part of a matrix prints. */
interface MatrixPart extends MatrixRows {
  readonly stats: Sums;
}

/** Rows of a matrix by release, as one run has them: neighbours that fare alike are one row. */
export function mergeMatrix(documents: readonly PartDocument[]): MatrixPart {
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

/** What parts took together: what two of them read counts twice. */
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

/** What breaks, as `fuzz` prints it in a part. */
interface FoundBreakage extends BreakageDocument, FoundExample {
  readonly foundAt: number;
  readonly others: readonly FoundExample[];
}

/** Breakages as one run finds them: of one set of roots, the plainest example stands for the others. */
export function mergeFuzz(documents: readonly PartDocument[]): FuzzDocument {
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

/** As `fuzz` orders examples: by how many versions they name, then by when they were found. */
function plainestFirst(a: FoundExample, b: FoundExample): number {
  const named = ({ packages }: FoundExample) =>
    packages.filter(({ version }) => version !== undefined).length;
  return named(a) - named(b) || a.foundAt - b.foundAt;
}

function keyOf({ packages }: FoundExample): string {
  return packages.map((each) => `${nameOfChoice(each)} ${each.version ?? ''}`).join('\n');
}
