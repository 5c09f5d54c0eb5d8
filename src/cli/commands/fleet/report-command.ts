import { readText } from '../../../inputs/input-files.js';
import { InputError } from '../../../model/input-error.js';
import { isMapping, type JsonValue } from '../../../text/json.js';
import { byCodePoint } from '../../../text/code-point-order.js';
import { command } from '../../command.js';
import type { ShardedLine } from '../../each/each-json.js';
import { eachTable } from '../../each/each-table.js';
import {
  completeParts,
  mergeFuzz,
  mergeMatrix,
  type FoundBreakage,
  type PartDocument,
  type Row,
} from '../../each/merge-parts.js';
import type { SetResult } from '../../each/set-result.js';
import { worstExitCode } from '../../each/worst-exit-code.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { outputFlag } from '../../flags/output-flag.js';
import type { Io } from '../../io/io.js';
import { counted } from '../../output/counted.js';
import { jsonDocument } from '../../output/json-document.js';
import { matrixExitCode } from '../../output/matrix.js';
import { columns } from '../../output/packages.js';

/** Of one file: lines of 500 sets take a few megabytes. */
const MAX_PART_BYTES = 1024 * 1024 * 1024;

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
    const documents: PartDocument[] = [];
    for (const file of files) documents.push(...(await documentsIn(file, io)));
    if (documents.length === 0) throw new InputError('no file holds anything to merge');
    if ('set' in documents[0]!) return mergeSets(documents, output, io);
    const parts = completeParts(documents);
    if ('rows' in parts[0]!) return tellMatrix(mergeMatrix(parts), output, io);
    if ('breakages' in parts[0]!) return tellFuzz(mergeFuzz(parts), output, io);
    throw new InputError(`\`${files[0]}\` holds nothing that \`--shard\` prints with \`-o json\``);
  },
});

/** The documents in a file: one, or one in each line. */
async function documentsIn(file: string, { cwd }: Io): Promise<readonly PartDocument[]> {
  const text = await readText(file, cwd, MAX_PART_BYTES);
  const texts = text.startsWith('{\n') ? [text] : text.split('\n').filter((line) => line !== '');
  return texts.map((each, i) => {
    const origin = { file, line: i + 1 };
    const document = parsed(each);
    if (!isMapping(document))
      throw new InputError('is not JSON that a command printed', { origin });
    const { shard } = document;
    if (isMapping(shard) && Number.isInteger(shard['index']) && Number.isInteger(shard['of'])) {
      return document as unknown as PartDocument; // as `schema` describes what `--shard` prints
    }
    if (document['status'] === 'error') {
      throw new InputError('is of a part that failed', { origin, hint: 'run that part again' });
    }
    throw new InputError('is not of a part: it has no `shard`', {
      origin,
      hint: 'merge what was printed with `--shard` and `-o json`',
    });
  });
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

type Line = PartDocument & SetResult & { readonly shard: ShardedLine };

/** Lines of sets, as one run prints them. */
function mergeSets(documents: readonly PartDocument[], output: string, io: Io): ExitCode {
  const lines = documents as readonly Line[];
  const sets = new Set(lines.map(({ set }) => set));
  const { of, sets: all } = lines[0]!.shard;
  if (lines.some(({ shard }) => shard?.of !== of || shard.sets !== all)) {
    throw new InputError('these are parts of different runs');
  }
  if (sets.size < lines.length) throw new InputError('a set is there twice');
  if (sets.size !== all) {
    const there = new Set(lines.map(({ shard }) => shard.index));
    const missing = Array.from({ length: of }, (_, i) => i + 1).filter((i) => !there.has(i));
    const which = missing.map((i) => `${i}/${of}`).join(', ');
    throw new InputError(`${all - sets.size} of ${counted(all, 'set')} are missing`, {
      hint:
        which === '' ? 'a part is cut short: run it again' : `nothing is there of part ${which}`,
    });
  }
  const results = lines.toSorted((a, b) => byCodePoint(a.set, b.set));
  if (output === 'json') {
    for (const { shard: _, ...line } of results) io.out(`${JSON.stringify(line)}\n`);
  } else for (const line of eachTable(results)) io.out(`${line}\n`);
  return worstExitCode(results.map(({ exitCode }) => exitCode));
}

function tellMatrix(merged: object, output: string, io: Io): ExitCode {
  const { rows } = merged as { readonly rows: readonly (Row & { readonly reason?: string })[] };
  if (output === 'json') io.out(jsonDocument(merged));
  else {
    const verdicts = { solved: 'works', unsolvable: 'blocked', 'gave-up': 'unknown' };
    const cells = rows.map(({ from, to, status, reason = '' }) => [
      from === to ? from : `${from} to ${to}`,
      verdicts[status],
      reason,
    ]);
    for (const line of columns(cells)) io.out(`${line}\n`);
  }
  return matrixExitCode(rows);
}

function tellFuzz(merged: object, output: string, io: Io): ExitCode {
  const { breakages, runs, seed } = merged as {
    readonly breakages: readonly FoundBreakage[];
    readonly runs: number;
    readonly seed: number;
  };
  if (output === 'json') io.out(jsonDocument(merged));
  else {
    const found = breakages.length === 0 ? 'nothing breaks' : `breaks: ${breakages.length}`;
    io.out(`the set as it is, and ${counted(runs, 'variation')}, seed ${seed}\n${found}\n`);
    for (const { explanation, replay } of breakages) {
      io.out(`\n${explanation}\nagain:\n${replay}\n`);
    }
  }
  return breakages.length === 0 ? EXIT.done : EXIT.findings;
}
