import type { Lockfile } from '../../../lock/lockfile.js';
import { ownersOf, whyLocked } from '../../../usecases/why.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { requireLock } from '../../io/lock-file.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { lockedPackage, notLocked } from '../../io/locked-name.js';
import { outputFlag } from '../../flags/output-flag.js';
import { whyJson, whyLines, type Answered } from '../../output/why.js';
import { sourceFlags } from '../../flags/source-flags.js';

export const whyCommand = command({
  positionals: {
    name: {
      type: 'string',
      demandOption: true,
      describe: 'A locked package, or a CRD that one owns',
    },
  },
  // The lockfile is enough; flags that name sources are accepted, as by every command, and ignored.
  flags: { ...sourceFlags, ...lockFlag(), ...outputFlag },
  examples: [['$0 why buckets.s3.aws.upbound.io', 'who owns it, and how that came to be locked']],
  run: async (args, io) => {
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const answers = answersTo(args.name, lock.lockfile);
    if (args.output === 'json') io.out(whyJson(answers));
    else for (const line of answers.flatMap(whyLines)) io.out(`${line}\n`);
    return EXIT.done;
  },
});

function answersTo(name: string, lockfile: Lockfile): readonly Answered[] {
  const locked = lockedPackage(name, lockfile);
  if (locked !== undefined) return [{ ...whyLocked(lockfile, locked), owned: undefined }];
  const owners = ownersOf(lockfile, name);
  if (owners.length === 0) {
    const owned = lockfile.packages.flatMap(({ owns }) => owns.map((object) => object.name));
    throw notLocked(name, lockfile, owned);
  }
  return owners.map((owner) => ({ ...whyLocked(lockfile, owner.locked), owned: owner.owned }));
}
