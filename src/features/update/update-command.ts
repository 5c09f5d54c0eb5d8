import { InputError } from '../../base/errors.js';
import type { Request } from '../../project/inputs/request.js';
import { outdated } from './outdated.js';
import { update } from '../../resolver/resolve/resolve.js';
import { noStats } from '../../resolver/driver/read-stats.js';
import { SourceReader } from '../../resolver/driver/source-memory.js';
import {
  eachFlags,
  bundleFlags,
  refuseTwoOutputs,
  lockIndexFlag,
} from '../../cli/arguments/common-flags.js';
import { command, EXIT } from '../../cli/kit/command.js';
import {
  reportAnswer,
  noteUnrecordedIndexes,
  answerWithHint,
  readGiven,
  type HintedArgs,
} from '../resolve/answer-command.js';
import { suggestionsApplied, withPrintedAdvice } from './update-advice-output.js';
import { wantsLongerTags } from '../../cli/files/rendered-folder.js';
import { requireLock } from '../../cli/files/lock-file.js';
import { refuseOtherSet } from '../../cli/files/lock-checks.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { stayingLines } from './outdated-output.js';
import { readMove, whereLocked } from './moves-command.js';
import { resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { requireSignaturesFlags } from '../../cli/arguments/signature-flags.js';
import { asOne, openEach } from '../../cli/sources/source-flags.js';
import { requiredSignatures } from '../verify/signatures-command.js';

export const updateCommand = command({
  positionals: {
    packages: {
      type: 'string',
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
    'accept-moved': {
      type: 'boolean',
      default: false,
      describe: 'Take the packages named, though their locked tags were moved',
    },
  },
  each: { showsData: false, forSets: whereLocked },
  examples: [
    ['$0 update provider-aws-s3', 'to the newest that fits all the others'],
    ['$0 update provider-aws-s3@v1.21.0', 'to that version, and others as they must'],
  ],
  run: async (args, io) => {
    refuseTwoOutputs(args);
    if (args.acceptMoved && (args.packages ?? []).length === 0) throw nothingAccepted();
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile } = lock;
    const moves = (args.packages ?? []).map((text) => readMove(text, lockfile, args.lock));
    const repositories = moves.map(({ repository }) => repository);
    const inputs = await readGiven(args, io);
    refuseOtherSet(lockfile, inputs.set, args, io);
    const stats = noStats();
    const { kept } = inputs.request;
    const sources = await openEach(args, io, stats, kept);
    const opened = await asOne(sources, args, io, { stats, kept, locked: undefined });
    const source = SourceReader.of(opened);
    const signing = await requiredSignatures(args, io, { sources, kept });
    const longerTags = await wantsLongerTags(args, lock, io);
    const answering = (asked: Request, flags: HintedArgs) => {
      const options = {
        ...resolveOptions(flags, source, io),
        ...signing.options,
        lockfile,
        lockIndexes: args.lockIndex,
        longerTags,
      };
      return withProgress(io, stats, () => update(asked, moves, options));
    };
    const { answer, request, unsaved } = await answerWithHint(args, inputs, answering, io);
    await signing.tell(answer);
    noteUnrecordedIndexes(answer, args, io);
    if (answer.status === 'solved' && answer.changes.length === 0) {
      const only = moves.length === 0 ? undefined : new Set(repositories);
      const skip = [args.lock, ...(args.out === '-' ? [] : [args.out])];
      const apply = suggestionsApplied(args, inputs, { io, skip });
      const options = { ...resolveOptions(args, source, io), only, apply };
      const { packages } = await withProgress(io, stats, () =>
        outdated(lockfile, request, options),
      );
      for (const line of stayingLines(withPrintedAdvice(packages, args))) io.note(line);
    }
    const accepted = new Set(args.acceptMoved ? repositories : []);
    const { bytes } = stats;
    const { allowUndigested } = request;
    const reported = { answer, lock, mayChange: true, accepted, allowUndigested, bytes, inputs };
    return reportAnswer({ ...reported, unsaved }, args, io);
  },
});

function nothingAccepted(): InputError {
  return new InputError('`--accept-moved` is given without a package', {
    hint: 'name each package whose new bytes you have looked at',
  });
}
