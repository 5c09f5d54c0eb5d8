import type { Lockfile } from '../../../lock/lockfile.js';
import { InputError } from '../../../model/input-error.js';
import type { Reference } from '../../../model/reference.js';
import type { KeptObject } from '../../../model/request.js';
import { mirrorGaps } from '../../../supply/mirror-gaps.js';
import { mirrorConfigs, mirrorRules, parseMirror } from '../../../supply/mirror-rules.js';
import { targetFor } from '../../../model/target/target.js';
import type { Mismatch } from '../../../usecases/mismatch.js';
import type { Io } from '../io.js';
import { registriesFor, type RegistryArgs } from '../registry/registries.js';

interface MirrorCheck {
  /** ImageConfigs that send every question to the mirror. */
  readonly kept: readonly KeptObject[];
  /** What the mirror lacks of whole images. */
  readonly gaps: () => Promise<readonly Mismatch[]>;
}

/** The check that `verify --mirror` adds; undefined: no mirror is named. */
export async function mirrorOf(
  args: RegistryArgs & { readonly mirror?: string | undefined; readonly keepHost: boolean },
  lockfile: Lockfile,
  io: Io,
): Promise<MirrorCheck | undefined> {
  if (args.mirror === undefined) return undefined;
  const mirror = parseMirror(args.mirror, '--mirror', args.keepHost);
  if (targetFor(lockfile.crossplane)!.rules.imageConfig?.rewrite !== true) {
    throw new InputError(
      `Crossplane ${lockfile.crossplane} cannot be told of a mirror: ImageConfigs rewrite images from v1.20.0 on`,
    );
  }
  const registries = args.offline ? undefined : await registriesFor({ ...args, anew: true }, io);
  if (registries === undefined) {
    throw new InputError('`--offline` forbids the network, so no mirror is looked at');
  }
  const rules = mirrorRules(
    lockfile.packages.map(({ repository }) => repository),
    mirror,
  );
  const configs = mirrorConfigs(rules, mirror, undefined);
  const open = (at: Reference) => registries.destination(at);
  return {
    kept: configs.map((object) => ({ object, origin: { file: `--mirror ${args.mirror}` } })),
    gaps: async () => {
      const gaps = await mirrorGaps(lockfile.packages, rules, open, args.concurrency);
      return gaps.map((gap) => ({ kind: 'mirror', ...gap }));
    },
  };
}
