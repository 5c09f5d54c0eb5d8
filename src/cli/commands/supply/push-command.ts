import { formatLockfile } from '../../../lock/format-lockfile.js';
import { InputError } from '../../../model/input-error.js';
import { artifactOf, type ArtifactFile } from '../../../image/artifact.js';
import { render } from '../../../usecases/render.js';
import type { Command } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { requireLock } from '../../io/lock-file.js';
import { networkFlags, type NetworkArgs } from '../../flags/network-flags.js';
import { pinFlags, type PinArgs } from '../../flags/pin-flags.js';
import { pushTo } from '../../io/push-artifact.js';
import { LOCK_TITLE } from '../../io/registries.js';

interface Args extends NetworkArgs, PinArgs {
  readonly reference: string;
  readonly lock: string;
  readonly output: 'text' | 'json';
}

/** `push`: lockfile and bundle where a fleet can fetch them, `oras pull` included. */
export const pushCommand: Command<Args> = {
  builder: (yargs) =>
    pinFlags(networkFlags(yargs))
      .positional('reference', {
        type: 'string',
        demandOption: true,
        describe: 'Where to: oci://REGISTRY/REPOSITORY:TAG',
      })
      .options({
        lock: {
          type: 'string',
          requiresArg: true,
          default: 'xpkg.lock.yaml',
          describe: 'Lockfile to push',
        },
        output: { alias: 'o', choices: ['text', 'json'] as const, default: 'text' as const },
      }),
  run: async (args, io) => {
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile, text } = lock;
    if (formatLockfile(lockfile) !== text) {
      throw new InputError(`\`${args.lock}\` is not as \`xpkg-resolve resolve\` wrote it`, {
        hint: 'resolve again, and push what it writes',
      });
    }
    const { files, warnings } = render(lockfile, { pin: args.pin, applyLock: args['apply-lock'] });
    for (const warning of warnings) io.note(`warning: ${warning}`);
    const bundle = [...files].map(([name, content]) => yaml(`rendered/${name}`, content));
    const artifact = artifactOf('lock', [yaml(LOCK_TITLE, text), ...bundle]);
    io.out(await pushTo(args.reference, artifact, args, io));
    return EXIT.done;
  },
};

function yaml(title: string, text: string): ArtifactFile {
  return { title, mediaType: 'application/yaml', bytes: Buffer.from(text) };
}
