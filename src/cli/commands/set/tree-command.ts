import { lockTree } from '../../../lock/lock-tree.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { requireLock } from '../../io/lock-file.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { outputFlag } from '../../flags/output-flag.js';
import { treeJson, treeLines } from '../../output/tree.js';
import { sourceFlags } from '../../flags/source/source-flags.js';

export const treeCommand = command({
  positionals: {},
  // The lockfile is enough; flags that name sources are accepted, as by every command, and ignored.
  flags: { ...sourceFlags, ...lockFlag(), ...outputFlag },
  run: async (args, io) => {
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const trees = lockTree(lock.lockfile);
    if (args.output === 'json') io.out(treeJson(trees, lock.lockfile));
    else for (const line of treeLines(trees)) io.out(`${line}\n`);
    return EXIT.done;
  },
});
