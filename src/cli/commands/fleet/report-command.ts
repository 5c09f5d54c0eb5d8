import { InputError } from '../../../model/input-error.js';
import { byCodePoint } from '../../../text/code-point-order.js';
import type { JsonObject } from '../../../text/json.js';
import { command } from '../../command.js';
import { EachReport } from '../../each/each-report.js';
import { completeParts, mergeFuzz, mergeMatrix } from '../../each/parts/merge-parts.js';
import { readParts, type PartDocument } from '../../each/parts/read-parts.js';
import { setText, showsDataOfSets } from '../../each/parts/set-text.js';
import type { SetResult } from '../../each/set-result.js';
import { worstExitCode } from '../../each/worst-exit-code.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { outputFlag } from '../../flags/output-flag.js';
import type { Io } from '../../io/io.js';
import { counted } from '../../output/counted.js';
import { fuzzText, type FuzzDocument } from '../../output/fuzz.js';
import { jsonDocument } from '../../output/json-document.js';
import { matrixExitCode, matrixLines, type MatrixRows } from '../../output/matrix.js';

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
      ? tellMatrix(mergeMatrix(all), output, io)
      : tellFuzz(mergeFuzz(all), output, io);
  },
});

type Line = JsonObject & SetResult;

/** Lines of sets, as one run prints them. */
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

function tellMatrix(merged: MatrixRows, output: string, io: Io): ExitCode {
  if (output === 'json') io.out(jsonDocument(merged));
  else for (const line of matrixLines(merged)) io.out(`${line}\n`);
  return matrixExitCode(merged.rows);
}

function tellFuzz(merged: FuzzDocument, output: string, io: Io): ExitCode {
  for (const note of merged.notes) io.note(`note: ${note}`);
  io.out(output === 'json' ? jsonDocument(merged) : `${fuzzText(merged).join('\n')}\n`);
  return merged.breakages.length === 0 ? EXIT.done : EXIT.findings;
}
