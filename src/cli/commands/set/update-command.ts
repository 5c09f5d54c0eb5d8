import { InputError } from '../../../model/input-error.js';
import type { Request } from '../../../model/request.js';
import { outdated } from '../../../usecases/outdated.js';
import { update } from '../../../usecases/update.js';
import { noStats } from '../../../driver/read-stats.js';
import { SourceMemory } from '../../../driver/source-memory.js';
import { eachFlags } from '../../each/each-flags.js';
import { bundleFlags, refuseTwoOutputs } from '../../flags/bundle-flags.js';
import { command } from '../../command.js';
import { reportAnswer, tellUnrecorded } from '../../output/answer/report-answer.js';
import { EXIT } from '../../exit-code.js';
import { answerWithHint, readGiven, type HintedArgs } from '../../hints/answer-with-hint.js';
import { wantsLongerTags } from '../../io/bundle/wants-longer-tags.js';
import { requireLock } from '../../io/lock-file.js';
import { withProgress } from '../../io/progress.js';
import { stayingLines } from '../../output/outdated.js';
import { lockIndexFlag } from '../../flags/lock-flag.js';
import { readMove, whereLocked } from './moves.js';
import { resolveFlags, resolveOptions } from '../../flags/resolve-flags.js';
import { requireSignaturesFlags } from '../../flags/source/signature-flags.js';
import { asOne, openEach } from '../../flags/source/source-flags.js';
import { requiredSignatures } from '../../io/supply/required-signatures.js';

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
    const stats = noStats();
    const { kept } = inputs.request;
    const sources = await openEach(args, io, stats, kept);
    const opened = await asOne(sources, args, io, { stats, kept, locked: undefined });
    const source = SourceMemory.of(opened);
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
    tellUnrecorded(answer, args, io);
    if (answer.status === 'solved' && answer.changes.length === 0) {
      const only = moves.length === 0 ? undefined : new Set(repositories);
      const options = { ...resolveOptions(args, source, io), only };
      const { packages } = await withProgress(io, stats, () =>
        outdated(lockfile, request, options),
      );
      for (const line of stayingLines(packages)) io.note(line);
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
