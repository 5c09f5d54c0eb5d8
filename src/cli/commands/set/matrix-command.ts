import { matrix } from '../../../usecases/matrix.js';
import { noStats } from '../../../driver/read-stats.js';
import { command, type Flags } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { formatFlag } from '../../reporting/format-flag.js';
import { eachFlags } from '../../each/each-flags.js';
import { askedOf } from '../../each/parts/asked.js';
import { parseShard } from '../../each/parts/shard.js';
import { readRequestAndTexts } from '../../flags/input-flags.js';
import { readLock } from '../../io/lock-file.js';
import { outputFlag } from '../../flags/output-flag.js';
import {
  matrixExitCode,
  matrixJson,
  matrixLines,
  matrixRows,
  worksOnText,
} from '../../output/matrix.js';
import { withProgress } from '../../io/progress.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { refsArgument, resolveFlags, resolveOptions } from '../../flags/resolve-flags.js';
import { openSources } from '../../flags/source/source-flags.js';

const flags = {
  ...resolveFlags,
  ...lockFlag(),
  ...outputFlag,
  ...formatFlag,
  ...eachFlags,
} as const satisfies Flags;

export const matrixCommand = command({
  positionals: refsArgument,
  flags,
  each: { showsData: true, splitsOne: true },
  examples: [
    ["$0 matrix --crossplane '>=v1.20.0'", 'where the packages of xpkg.yaml work, from v1.20.0 on'],
  ],
  run: async (args, io) => {
    const { request, texts } = await readRequestAndTexts(args, io, {
      refs: args.refs,
      skip: [args.lock],
    });
    const lock = await readLock(args, io);
    const stats = noStats();
    const source = await openSources(args, io, stats, request.kept);
    const options = {
      ...resolveOptions(args, source, io),
      lockfile: lock?.lockfile,
      shard: args.shard === undefined ? undefined : parseShard(args.shard),
    };
    const found = await withProgress(io, stats, () => matrix(request, options));
    const asked = { name: 'matrix', command: { flags, positionals: refsArgument }, args };
    const inputs = [...texts.values(), lock?.text];
    const part = options.shard && { ...options.shard, ...askedOf({ ...asked, inputs }, io) };
    if (args.output === 'json') io.out(matrixJson(found, stats.bytes, part));
    else for (const line of matrixLines(matrixRows(found))) io.out(`${line}\n`);
    // Of a part nothing is decided: that is for `report merge`, which has all of them.
    const code = args.shard === undefined ? matrixExitCode(found.rows) : EXIT.done;
    io.report?.(async () => {
      const { matrixReport } = await import('../../output/findings/matrix-report.js');
      return matrixReport(found, request, code !== EXIT.done);
    });
    io.headline(worksOnText(found));
    return code;
  },
});
