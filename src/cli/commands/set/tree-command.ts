import { lockTree } from '../../../lock/lock-tree.js';
import type { Command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { requireLock } from '../../io/lock-file.js';
import { lockFlag, type LockArgs } from '../../flags/lock-flag.js';
import { outputFlag, type OutputArgs } from '../../flags/output-flag.js';
import { treeJson, treeLines } from '../../output/tree.js';
import { sourceFlags, type SourceArgs } from '../../flags/source-flags.js';

interface Args extends SourceArgs, LockArgs, OutputArgs {}

export const treeCommand: Command<Args> = {
  // The lockfile says it all; flags that name sources are taken, as by every command, and not used.
  builder: (yargs) => outputFlag(lockFlag(sourceFlags(yargs))),
  run: async (args, io) => {
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const trees = lockTree(lock.lockfile);
    if (args.output === 'json') io.out(treeJson(trees, lock.lockfile));
    else for (const line of treeLines(trees)) io.out(`${line}\n`);
    return EXIT.done;
  },
};
