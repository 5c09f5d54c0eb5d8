import { readMove, whereLocked } from './moves-command.js';
import { stayingLines, suggestionsApplied, withPrintedAdvice } from './outdated-output.js';
import { outdated } from './outdated.js';
import { InputError } from '../../base/errors.js';
import {
  bundleFlags,
  eachFlags,
  lockIndexFlag,
  refuseTwoOutputs,
  switchFlag,
} from '../../cli/arguments/common-flags.js';
import { resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { requireSignaturesFlags } from '../../cli/arguments/signature-flags.js';
import { refuseOtherSet } from '../../cli/files/lock-checks.js';
import { readRequiredLock } from '../../cli/files/lock-file.js';
import { defineCommand } from '../../cli/kit/command.js';
import { withProgress } from '../../cli/terminal/progress.js';
import type { Request } from '../../project/inputs/request.js';
import { update } from '../../resolver/resolve/resolve.js';
import type { ResolveOptions } from '../../resolver/resolve/to-problem.js';
import { answerPrinting, writeAnswer } from '../resolve/answer-command.js';
import { answerInputs, outputsOf, readGiven } from '../resolve/workflow-command.js';

export const updateCommand = defineCommand({
  positionals: {
    packages: {
      array: true,
      describe: 'Locked packages to move, each PKG or PKG@VERSION (default: all)',
    },
  },
  flags: {
    ...resolveFlags,
    ...bundleFlags,
    ...lockIndexFlag,
    ...requireSignaturesFlags,
    ...eachFlags,
    'accept-moved': switchFlag('Take the packages named, though their locked tags were moved'),
  },
  each: { showsData: false, argsForProjects: whereLocked },
  examples: [
    ['$0 update provider-aws-s3', 'to the newest that fits all the others'],
    ['$0 update provider-aws-s3@v1.21.0', 'to that version, and others as they must'],
  ],
  run: async (args, io) => {
    refuseTwoOutputs(args);
    if (args.acceptMoved && (args.packages ?? []).length === 0) {
      throw new InputError('`--accept-moved` is given without a package', {
        hint: 'name each package whose new bytes you have looked at',
      });
    }
    const lock = await readRequiredLock(args, io);
    const { lockfile } = lock;
    const moves = (args.packages ?? []).map((text) => readMove(text, lockfile, args.lock));
    const repositories = new Set(moves.map(({ repository }) => repository));
    const inputs = await readGiven(args, io);
    refuseOtherSet(lockfile, inputs.set, args, io);
    const solve = (request: Request, options: ResolveOptions) =>
      update(request, moves, { ...options, lockfile });
    const found = await answerInputs(args, { inputs, lock, solve }, io);
    const { answer, request, source, stats } = found;
    if (answer.status === 'solved' && answer.changes.length === 0) {
      const only = moves.length === 0 ? undefined : repositories;
      const apply = suggestionsApplied(args, inputs, { io, skip: outputsOf(args) });
      const options = { ...resolveOptions(args, source, io), only, apply };
      const { packages } = await withProgress(io, stats, () =>
        outdated(lockfile, request, options),
      );
      for (const line of stayingLines(withPrintedAdvice(packages, args, io))) io.note(line);
    }
    const accepted = args.acceptMoved ? repositories : undefined;
    return writeAnswer({ ...found, accepted }, args, io);
  },
  ...answerPrinting,
});
