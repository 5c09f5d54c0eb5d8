import { DEFAULT_FILES } from '../../project/inputs/input-files.js';
import { lockGraph } from '../../project/lockfile/lock-graph.js';
import type { LockedPackage, Lockfile } from '../../project/lockfile/lockfile.js';
import type { KeptObject } from '../../crossplane/package-manager/image-config.js';
import {
  EMPTY_REQUEST,
  lockedRoot,
  type PackageRoot,
  type Request,
} from '../../project/inputs/request.js';
import { targetFor } from '../../crossplane/releases/target.js';
import { parseVersion } from '../../crossplane/constraints/version.js';
import { outdated } from './outdated.js';
import { defineCommand } from '../../cli/kit/command.js';
import {
  suggestionsApplied,
  withPrintedAdvice,
  type OutdatedValue,
  outdatedLines,
  outdatedReport,
} from './outdated-output.js';
import {
  DEFAULT_OUT,
  formatFlag,
  eachFlags,
  lockFlag,
  outputFlag,
  switchFlag,
} from '../../cli/arguments/common-flags.js';
import { readInputsIfAny } from '../../cli/arguments/input-flags.js';
import { extraManifestsIn, readRequiredLock } from '../../cli/files/lock-file.js';
import { resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { amount } from '../../cli/terminal/package-text.js';
import { openSources } from '../../cli/sources/source-flags.js';
import { withCommandLine } from '../resolve/workflow-command.js';

export const outdatedCommand = defineCommand({
  positionals: {},
  // The flags of `update`, because the report states what `update` would do.
  flags: {
    ...resolveFlags,
    ...lockFlag(),
    ...outputFlag,
    ...formatFlag,
    ...eachFlags,
    'exit-code': switchFlag('Exit 6 if anything is outdated'),
  },
  each: { showsData: true },
  examples: [['$0 outdated --exit-code', 'in CI, on a schedule: is there anything to update?']],
  run: async (args, io): Promise<OutdatedValue> => {
    const { lockfile } = await readRequiredLock(args, io);
    const skip = [args.lock, DEFAULT_OUT];
    const read = await readInputsIfAny(args, io, { skip });
    if (read?.request === undefined) {
      io.note(`note: there is no \`${DEFAULT_FILES[0]}\`: only locked packages say what fits`);
    }
    const request = read?.request ?? whatIsLocked(lockfile, extraManifestsIn(lockfile, args.lock));
    const source = await openSources(args, io, request.kept);
    const apply = read && suggestionsApplied(args, withCommandLine(read, args, io), { io, skip });
    const options = { ...resolveOptions(args, source, io), apply };
    const report = await withProgress(io, source.stats, () => outdated(lockfile, request, options));
    // Without input files there is nothing that `update` could resolve.
    const packages =
      read === undefined
        ? report.packages.map((one) => ({ ...one, advice: undefined }))
        : withPrintedAdvice(report.packages, args, io);
    return { report, packages, crossplane: lockfile.crossplane };
  },
  json: async () => (await import('./outdated-output.js')).outdatedOutput,
  text: ({ packages }) => outdatedLines(packages),
  notes: ({ report }) => report.notes.map((note) => `note: ${note}`),
  closingNotes: ({ packages }) =>
    packages.length === 0 ? ['nothing newer than what is locked'] : [],
  headline: ({ packages: { length: count } }) =>
    count === 0 ? 'nothing newer' : `${amount(count, 'package')} not at the newest`,
  findings: async ({ report }, { lock, exitCode }, io) => {
    const { LockPlaces } = await import('../../cli/findings/report-parts.js');
    return outdatedReport(report, await LockPlaces.read(lock, io), exitCode);
  },
  exit: ({ packages }, { exitCode }) => (exitCode && packages.length > 0 ? 'findings' : 'ok'),
});

/** Returns a request for the locked packages that no other one requires, in their version or newer. */
function whatIsLocked(lockfile: Lockfile, kept: readonly KeptObject[]): Request {
  const origin = { file: 'the lockfile' };
  return {
    ...EMPTY_REQUEST,
    crossplane: { text: lockfile.crossplane, origin },
    roots: lockGraph(lockfile).starts.map((locked) => orNewer(locked, lockfile)),
    kept,
  };
}

function orNewer(locked: LockedPackage, lockfile: Lockfile): PackageRoot {
  const root = lockedRoot(locked, lockfile);
  const { dialect } = targetFor(lockfile.crossplane)!.rules;
  const hasNewer = parseVersion(locked.version, dialect) !== undefined;
  return hasNewer ? { ...root, version: { form: 'text', text: `>=${locked.version}` } } : root;
}
