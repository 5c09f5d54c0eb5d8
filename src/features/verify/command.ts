import {
  verificationReport,
  verifyNotes,
  verifyOutcome,
  verifyOutput,
  verifySummary,
  type VerifyValue,
} from './output.js';
import { signaturesOf } from './signatures-command.js';
import { longerTags, verify } from './verify.js';
import { InputError } from '../../base/errors.js';
import {
  eachFlags,
  formatFlag,
  keepHostFlag,
  lockFlag,
  outFlag,
  outputFlag,
  switchFlag,
} from '../../cli/arguments/common-flags.js';
import { readInputsIfAny } from '../../cli/arguments/input-flags.js';
import { refsArgument, resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { signatureTrustFlags } from '../../cli/arguments/signature-flags.js';
import { extraManifestsIn, readRequiredLock } from '../../cli/files/lock-file.js';
import { bundleMismatches } from '../../cli/files/render-again.js';
import { BundleFolder } from '../../cli/files/rendered-folder.js';
import { defineCommand, type Flags } from '../../cli/kit/command.js';
import { reopenSources } from '../../cli/sources/locked-sources.js';
import { onlineRegistries, type RegistryArgs } from '../../cli/sources/registries.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { withProgress } from '../../cli/terminal/progress.js';
import type { KeptObject } from '../../crossplane/package-manager/image-config.js';
import { targetFor } from '../../crossplane/releases/target.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import type { Mismatch } from '../../project/lockfile/mismatch.js';
import { noStats } from '../../resolver/driver/read-stats.js';
import { mirrorConfigs, mirrorRules, parseMirror } from '../mirror/mirror-rules.js';
import { mirrorGaps } from '../mirror/mirror.js';

const flags = {
  ...resolveFlags,
  ...lockFlag('Lockfile to check'),
  ...outputFlag,
  ...formatFlag,
  ...outFlag('Folder of the bundle to compare with what the lockfile renders'),
  bundle: { type: 'boolean', default: true, describe: 'Do not look at the bundle' },
  'allow-undigested': switchFlag('Let the lockfile be without digests that its sources have'),
  mirror: {
    describe: 'Read everything from this mirror (see `mirror`), and look whether it is complete',
  },
  ...keepHostFlag,
  signatures: switchFlag('Check signatures by the policies of ImageConfigs (`spec.verification`)'),
  ...signatureTrustFlags,
  ...eachFlags,
} as const satisfies Flags;

export const verifyCommand = defineCommand({
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
  run: async (args, io): Promise<VerifyValue> => {
    const { lockfile } = await readRequiredLock(args, io);
    const skip = [args.lock, args.out];
    const request = (await readInputsIfAny(args, io, { refs: args.refs, skip }))?.request;
    const stats = noStats();
    const mirror = await mirrorOf(args, lockfile, io);
    const inputManifests = request?.kept ?? extraManifestsIn(lockfile, args.lock);
    const kept = mirror?.kept ?? inputManifests;
    const { audited: source, each: sources } = await reopenSources(args, io, stats, {
      lockfile,
      kept,
    });
    const allowUndigested = args.allowUndigested || request?.allowUndigested === true;
    const options = { ...resolveOptions(args, source, io), allowUndigested };
    const { verified, gaps, signed } = await withProgress(io, stats, async () => ({
      verified: await verify(lockfile, request, options),
      gaps: (await mirror?.gaps()) ?? [],
      signed: await signaturesOf(args, io, lockfile, {
        sources,
        kept: inputManifests,
        rewriting: kept,
      }),
    }));
    const folder = await BundleFolder.of(args, io);
    const bundle = folder === undefined || folder.isEmpty ? [] : bundleMismatches(folder, lockfile);
    const isPinned = folder?.record.pin === 'locked' && verified.failures.length === 0;
    const blockedTags = isPinned ? await longerTags(lockfile, source) : [];
    const verification = {
      ...verified,
      mismatches: [...verified.mismatches, ...gaps, ...(signed?.mismatches ?? []), ...bundle],
      failures: [...verified.failures, ...(signed?.failures ?? [])],
      notes: [...verified.notes, ...(signed?.notes ?? []), ...blockedTags],
    };
    return { verification, bytes: stats.bytes, signed };
  },
  json: () => verifyOutput,
  text: (value, { lock }) => (verifyOutcome(value) === 'ok' ? [verifySummary(value, lock)] : []),
  notes: (value, { lock }) => verifyNotes(value, lock),
  headline: (value, { lock }) => verifySummary(value, lock),
  findings: async ({ verification }, { lock }, io) => {
    const { LockPlaces } = await import('../../cli/findings/report-parts.js');
    return verificationReport(verification, await LockPlaces.read(lock, io));
  },
  exit: verifyOutcome,
});

interface MirrorCheck {
  /** ImageConfigs that rewrite every image to the mirror. */
  readonly kept: readonly KeptObject[];
  /** Parts of images that the mirror lacks. */
  readonly gaps: () => Promise<readonly Mismatch[]>;
}

/** Returns the check of `--mirror`; undefined without the flag. */
async function mirrorOf(
  args: RegistryArgs & { readonly mirror?: string | undefined; readonly keepHost: boolean },
  lockfile: Lockfile,
  io: RunIo,
): Promise<MirrorCheck | undefined> {
  if (args.mirror === undefined) return undefined;
  const mirror = parseMirror(args.mirror, '--mirror', args.keepHost);
  if (targetFor(lockfile.crossplane)!.rules.imageConfig?.rewrite !== true) {
    throw new InputError(
      `Crossplane ${lockfile.crossplane} cannot be told of a mirror: ImageConfigs rewrite images from v1.20.0 on`,
    );
  }
  const consequence = 'so no mirror is looked at';
  const registries = await onlineRegistries({ ...args, ignoreCache: true }, io, consequence);
  const rules = mirrorRules(lockfile.packages, mirror);
  const configs = mirrorConfigs(rules, mirror, undefined);
  return {
    kept: configs.map((object) => ({ object, origin: { file: `--mirror ${args.mirror}` } })),
    gaps: async () => {
      const gaps = await mirrorGaps(lockfile.packages, rules, registries, args.concurrency);
      return gaps.map((gap) => ({ kind: 'mirror', ...gap }));
    },
  };
}
