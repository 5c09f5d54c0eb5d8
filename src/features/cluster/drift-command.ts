import { findDrift, hasDrifted } from './drift.js';
import { driftLines, driftOutput, type DriftValue } from './output.js';
import { dumpArgument, dumpFlags, readDumps } from './read-dump-command.js';
import { lockFlag, outputFlag } from '../../cli/arguments/common-flags.js';
import { readRequiredLock } from '../../cli/files/lock-file.js';
import { acceptUnknownFlag, requireKnownRelease } from '../../cli/arguments/target-flag.js';
import { targetFor } from '../../crossplane/releases/target.js';
import { defineCommand } from '../../cli/kit/command.js';
import { networkFlags } from '../../cli/sources/network-flags.js';

export const driftCommand = defineCommand({
  positionals: dumpArgument,
  flags: {
    ...dumpFlags,
    ...lockFlag('Lockfile to compare with'),
    ...outputFlag,
    ...networkFlags,
    ...acceptUnknownFlag,
  },
  examples: [
    ['$0 drift cluster.yaml', 'what is otherwise than locked, and what to do about it'],
    ['kubectl get pkg,pkgrev,locks -o yaml | $0 drift -', 'straight from a cluster'],
  ],
  epilogue:
    'Exit code 6 where the cluster is otherwise than locked, or something is wrong with it by itself. No cluster and no source is asked.',
  run: async (args, io): Promise<DriftValue> => {
    const { lockfile } = await readRequiredLock(args, io);
    const dump = await readDumps(args, io);
    requireKnownRelease(targetFor(dump.crossplane?.version ?? lockfile.crossplane)!, args);
    const drift = findDrift(lockfile, dump);
    return { ...drift, crossplane: lockfile.crossplane };
  },
  json: () => driftOutput,
  text: driftLines,
  notes: (drift) => drift.notes.map((note) => `note: ${note}`),
  exit: (drift) => (hasDrifted(drift) ? 'findings' : 'ok'),
});
