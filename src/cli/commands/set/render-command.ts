import { resolve } from 'node:path';
import { acceptanceProblems } from '../../../bundle/acceptance/acceptance.js';
import type { Lockfile } from '../../../lock/lockfile.js';
import { InputError } from '../../../model/input-error.js';
import { targetFor, type Target } from '../../../model/target/target.js';
import { render, type Rendering } from '../../../usecases/render.js';
import { command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { besideLock, requireLock } from '../../io/lock-file.js';
import { outFlag } from '../../flags/bundle-flags.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { networkFlags } from '../../flags/network-flags.js';
import { pinFlags } from '../../flags/pin-flags.js';
import { crossplaneFlag } from '../../flags/target-flag.js';
import { renderedOutputs } from '../../io/rendered-outputs.js';
import { writeTransaction } from '../../../files/transaction.js';

export const renderCommand = command({
  positionals: {},
  flags: {
    ...networkFlags,
    ...lockFlag(),
    ...pinFlags,
    ...outFlag('Folder to write to, or - to print what would be applied'),
    ...crossplaneFlag('Crossplane release to render for (default: that of the lockfile)'),
  },
  run: async (args, io) => {
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile } = lock;
    const target = args.crossplane === undefined ? undefined : releaseOf(args.crossplane);
    const rendering = render(lockfile, { target, pin: args.pin, applyLock: args.applyLock });
    if (target !== undefined) refuseUnfit(lockfile, rendering, target);
    for (const warning of rendering.warnings) io.note(`warning: ${warning}`);
    for (const reason of rendering.bundle.skips) {
      io.note(`note: every package has \`skipDependencyResolution: true\`: ${reason}`);
    }
    if (args.out === '-') {
      io.out(rendering.stream);
      return EXIT.done;
    }
    const outputs = renderedOutputs(rendering, resolve(io.cwd, args.out));
    await writeTransaction(outputs, besideLock(args, io));
    io.note(`rendered ${lockfile.packages.length} packages to ${args.out}`);
    return EXIT.done;
  },
});

function releaseOf(version: string): Target {
  const target = targetFor(version);
  if (target !== undefined) return target;
  throw new InputError(`\`--crossplane ${version}\` is not an exact version`, {
    hint: 'a range is for `xpkg-resolve resolve`, which picks a release; here it must be known',
  });
}

/** The lockfile answers for one release; another may refuse what it holds. */
function refuseUnfit(lockfile: Lockfile, rendering: Rendering, target: Target): void {
  const { bundle, lock } = rendering;
  const problem = acceptanceProblems({ lockfile, target, objects: bundle.objects, lock })[0];
  if (problem === undefined) return;
  throw new InputError(
    `what is locked for Crossplane ${lockfile.crossplane} does not fit ${target.version}: ${problem.message}`,
    { hint: `run \`xpkg-resolve resolve --crossplane ${target.version}\`` },
  );
}
