import { driftOf } from '../../../usecases/cluster/drift.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { dumpArgument, dumpFlags, readDumps } from './dump-argument.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { networkFlags } from '../../flags/source/network-flags.js';
import { outputFlag } from '../../flags/output-flag.js';
import { requireLock } from '../../io/lock-file.js';
import { driftJson, driftLines, hasDrifted } from '../../output/cluster/drift.js';

export const driftCommand = command({
  positionals: dumpArgument,
  flags: { ...dumpFlags, ...lockFlag('Lockfile to compare with'), ...outputFlag, ...networkFlags },
  examples: [
    ['$0 drift cluster.yaml', 'what is otherwise than locked, and what to do about it'],
    ['kubectl get pkg,pkgrev,locks -o yaml | $0 drift -', 'straight from a cluster'],
  ],
  epilogue:
    'Exit code 6 where the cluster is otherwise than locked, or something is wrong with it by itself. No cluster and no source is asked.',
  run: async (args, io) => {
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile } = lock;
    const drift = driftOf(lockfile, await readDumps(args, io));
    for (const note of drift.notes) io.note(`note: ${note}`);
    if (args.output === 'json') io.out(driftJson(drift, lockfile.crossplane));
    else for (const line of driftLines(drift, lockfile.crossplane)) io.out(`${line}\n`);
    return hasDrifted(drift) ? EXIT.findings : EXIT.done;
  },
});
