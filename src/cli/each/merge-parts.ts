import { InputError } from '../../model/input-error.js';
import type { Shard } from '../../model/parts/shard.js';

/** A document that a part of a run printed. */
export type PartDocument = Readonly<Record<string, unknown>> & { readonly shard: Shard };

/** Of each part one document, in order; throws where a part is missing or is there twice. */
export function completeParts(documents: readonly PartDocument[]): readonly PartDocument[] {
  const { of } = documents[0]!.shard;
  const other = documents.find(({ shard }) => shard.of !== of);
  if (other !== undefined) {
    throw new InputError(`parts of ${of} and parts of ${other.shard.of} are no one run`);
  }
  const byIndex = new Map(documents.map((document) => [document.shard.index, document]));
  if (byIndex.size < documents.length) throw new InputError('a part is given twice');
  return Array.from({ length: of }, (_, i) => {
    const part = byIndex.get(i + 1);
    if (part !== undefined) return part;
    throw new InputError(`part ${i + 1}/${of} is missing`, {
      hint: 'give what every machine printed with `-o json`',
    });
  });
}

/** Rows of a matrix by release, as one run has them: neighbours that fare alike are one row. */
export function mergeMatrix(parts: readonly PartDocument[]): object {
  const rows: Row[] = [];
  for (const row of parts.flatMap((part) => part['rows'] as readonly Row[])) {
    const last = rows.at(-1);
    if (last !== undefined && faringOf(last) === faringOf(row)) {
      rows[rows.length - 1] = {
        ...last,
        to: row.to,
        releases: [...last.releases, ...row.releases],
      };
    } else rows.push(row);
  }
  return { rows, stats: sumsOf(parts.map((part) => part['stats'] as Sums)) };
}

/** What a part prints of releases that fare alike. */
export interface Row {
  readonly from: string;
  readonly to: string;
  readonly releases: readonly string[];
  readonly status: 'solved' | 'unsolvable' | 'gave-up';
}

type Sums = Readonly<Record<string, number>>;

function faringOf({ from: _from, to: _to, releases: _releases, ...faring }: Row): string {
  return JSON.stringify(faring);
}

/** What parts took together: what two of them read counts twice. */
function sumsOf(counts: readonly Sums[]): Sums {
  const names = Object.keys(counts[0]!);
  return Object.fromEntries(
    names.map((name) => [name, counts.reduce((sum, each) => sum + (each[name] ?? 0), 0)]),
  );
}

/** One root of an example, as `fuzz` prints it. */
type Choice = Readonly<Record<'source' | 'version' | 'local' | 'crd', string | undefined>>;

interface FoundExample {
  readonly foundAt: number;
  readonly packages: readonly Choice[];
  readonly crossplane: string;
}

/** What breaks, as `fuzz` prints it in a part. */
export interface FoundBreakage extends FoundExample {
  readonly explanation: string;
  readonly replay: string;
  readonly others: readonly FoundExample[];
}

/** Breakages as one run finds them: of one set of roots, the plainest example stands for the others. */
export function mergeFuzz(parts: readonly PartDocument[]): object {
  const [first] = parts;
  if (parts.some((part) => part['seed'] !== first!['seed'])) {
    throw new InputError('parts with different seeds are no one run', {
      hint: 'give every part the same `--seed`',
    });
  }
  const total = (name: string) => parts.reduce((sum, part) => sum + Number(part[name]), 0);
  const alike = new Map<string, FoundBreakage[]>();
  for (const breakage of parts.flatMap((part) => part['breakages'] as readonly FoundBreakage[])) {
    const roots = breakage.packages.map(nameOf).sort().join('\n');
    alike.set(roots, [...(alike.get(roots) ?? []), breakage]);
  }
  const groups = [...alike.values()].map(mergedGroup).sort((a, b) => a.foundAt - b.foundAt);
  return {
    seed: first!['seed'],
    runs: total('runs'),
    gaveUp: total('gaveUp'),
    releases: first!['releases'],
    varied: first!['varied'],
    breakages: groups.map(({ breakage }) => breakage),
    notes: first!['notes'],
  };
}

function mergedGroup(found: readonly FoundBreakage[]): { foundAt: number; breakage: object } {
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

function nameOf({ source, local, crd }: Choice): string {
  return source ?? local ?? crd ?? '';
}

function keyOf({ packages }: FoundExample): string {
  return packages.map((each) => `${nameOf(each)} ${each.version ?? ''}`).join('\n');
}
