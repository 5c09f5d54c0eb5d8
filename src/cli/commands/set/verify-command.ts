import { longerTags } from '../../../usecases/verify/longer-tags.js';
import { verify, type Verification } from '../../../usecases/verify/verify.js';
import { noStats } from '../../../driver/read-stats.js';
import { command, type Flags } from '../../command.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { eachFlags } from '../../each/each-flags.js';
import { allowUndigestedFlag, bundleFlag, outFlag } from '../../flags/bundle-flags.js';
import { formatFlag } from '../../reporting/format-flag.js';
import { readRequestIfAny } from '../../flags/input-flags.js';
import { bundleDifferences } from '../../io/bundle/bundle-differences.js';
import { BundleFolder } from '../../io/bundle/bundle-folder.js';
import { keptIn, requireLock } from '../../io/lock-file.js';
import { openAnew } from '../../io/locked-sources.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { keepHostFlag } from '../../flags/source/mirror-flags.js';
import { signatureTrustFlags } from '../../flags/source/signature-flags.js';
import { mirrorOf } from '../../io/supply/mirror-check.js';
import { signaturesOf } from '../../io/supply/signature-check.js';
import { outputFlag } from '../../flags/output-flag.js';
import { withProgress } from '../../io/progress.js';
import {
  firstComplaint,
  verificationJson,
  verificationText,
} from '../../output/lock/verification.js';
import { refsArgument, resolveFlags, resolveOptions } from '../../flags/resolve-flags.js';

const flags = {
  ...resolveFlags,
  ...lockFlag('Lockfile to check'),
  ...outputFlag,
  ...formatFlag,
  ...outFlag('Folder of the bundle to compare with what the lockfile renders'),
  ...bundleFlag('Do not look at the bundle'),
  ...allowUndigestedFlag('Let the lockfile be without digests that its sources have'),
  mirror: {
    type: 'string',
    requiresArg: true,
    describe: 'Read everything from this mirror (see `mirror`), and look whether it is complete',
  },
  ...keepHostFlag,
  signatures: {
    type: 'boolean',
    default: false,
    describe: 'Check signatures by the policies of ImageConfigs (`spec.verification`)',
  },
  ...signatureTrustFlags,
  ...eachFlags,
} as const satisfies Flags;

export const verifyCommand = command({
  positionals: refsArgument,
  flags,
  each: { showsData: false },
  examples: [
    ['$0 verify', 'what `resolve` was asked for and locked: is it all still so?'],
    [
      '$0 verify --signatures --public-key cosign-key=cosign.pub',
      'and is it signed as ImageConfigs ask? `cosign-key` is the Secret that they name',
    ],
  ],
  epilogue:
    'Everything is read from its source again, downloads kept earlier aside (with --offline: ' +
    'them alone). Exit code 4: lockfile, inputs, sources and bundle do not agree, or a signature ' +
    'that is asked for is not there; 5: a source failed, or what it has contradicts itself.',
  run: async (args, io) => {
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile } = lock;
    const request = await readRequestIfAny(args, io, {
      refs: args.refs,
      skip: [args.lock, args.out],
    });
    const stats = noStats();
    const mirror = await mirrorOf(args, lockfile, io);
    const given = request?.kept ?? keptIn(lockfile, args.lock);
    const kept = mirror?.kept ?? given;
    const { audited: source, each: sources } = await openAnew(args, io, stats, { lockfile, kept });
    const allowUndigested = args.allowUndigested || request?.allowUndigested === true;
    const options = { ...resolveOptions(args, source, io), allowUndigested };
    const { verified, gaps, signed } = await withProgress(io, stats, async () => ({
      verified: await verify(lockfile, request, options),
      gaps: (await mirror?.gaps()) ?? [],
      signed: await signaturesOf(args, io, lockfile, { sources, kept: given, rewriting: kept }),
    }));
    const folder = await BundleFolder.of(args, io);
    const bundle =
      folder === undefined || folder.isEmpty ? [] : bundleDifferences(folder, lockfile);
    const isPinned = folder?.record.pin === 'locked' && verified.failures.length === 0;
    const keptAway = isPinned ? await longerTags(lockfile, source) : [];
    const mismatches = [...verified.mismatches, ...gaps, ...(signed?.mismatches ?? []), ...bundle];
    const verification = {
      ...verified,
      mismatches,
      failures: [...verified.failures, ...(signed?.failures ?? [])],
      notes: [...verified.notes, ...(signed?.notes ?? []), ...keptAway],
    };
    io.report?.(async () => {
      const { verificationReport } = await import('../../output/findings/verify-report.js');
      const { LockPlaces } = await import('../../output/findings/lock-places.js');
      return verificationReport(verification, await LockPlaces.read(args.lock, io));
    });
    if (args.output === 'json') io.out(verificationJson(verification, stats.bytes, signed));
    const { summary, complaints } = verificationText(verification, args.lock, signed);
    for (const line of complaints) io.note(line);
    io.headline(summary ?? firstComplaint(verification));
    if (summary !== undefined && args.output === 'text') io.out(`${summary}\n`);
    return verdict(verification);
  },
});

function verdict({
  failures,
  mismatches,
}: Pick<Verification, 'failures' | 'mismatches'>): ExitCode {
  if (failures.length > 0) return EXIT.sourceFailed;
  return mismatches.length > 0 ? EXIT.lockMismatch : EXIT.done;
}
