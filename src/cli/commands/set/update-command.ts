import type { Lockfile } from '../../../lock/lockfile.js';
import { InputError } from '../../../model/input-error.js';
import { splitTag } from '../../../model/reference.js';
import { update, type Move } from '../../../usecases/update.js';
import { noStats } from '../../../driver/read-stats.js';
import { bundleFlags, refuseTwoOutputs } from '../../flags/bundle-flags.js';
import { command } from '../../command.js';
import { reportAnswer } from '../../output/answer/report-answer.js';
import { EXIT } from '../../exit-code.js';
import { readRequest } from '../../flags/input-flags.js';
import { requireLock } from '../../io/lock-file.js';
import { lockedPackage, notLocked } from '../../io/locked-name.js';
import { withProgress } from '../../io/progress.js';
import { resolveFlags, resolveOptions } from '../../flags/resolve-flags.js';
import { openSources } from '../../flags/source-flags.js';

export const updateCommand = command({
  positionals: {
    packages: {
      type: 'string',
      array: true,
      describe: 'Locked packages to move, each PKG or PKG@VERSION (default: all)',
    },
  },
  flags: { ...resolveFlags, ...bundleFlags },
  examples: [
    ['$0 update provider-aws-s3', 'to the newest that fits all the others'],
    ['$0 update provider-aws-s3@v1.21.0', 'to that version, and others as they must'],
  ],
  run: async (args, io) => {
    refuseTwoOutputs(args);
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile } = lock;
    const moves = (args.packages ?? []).map((text) => readMove(text, lockfile));
    const request = await readRequest(args, io, {
      skip: [args.lock, ...(args.out === '-' ? [] : [args.out])],
    });
    const stats = noStats();
    const source = await openSources(args, io, stats, request.kept);
    const answer = await withProgress(io, stats, () =>
      update(request, moves, { ...resolveOptions(args, source), lockfile }),
    );
    if (answer.status === 'solved' && answer.changes.length === 0) io.note('nothing moves');
    return reportAnswer({ answer, lock, mayChange: true, bytes: stats.bytes }, args, io);
  },
});

/** `PKG`, `PKG@VERSION` or, as packages are written elsewhere, `PKG:TAG`. */
function readMove(text: string, lockfile: Lockfile): Move {
  const origin = { file: 'command line' };
  const whole = lockedPackage(text, lockfile);
  if (whole !== undefined) return { repository: whole.repository, version: undefined, origin };
  const at = text.indexOf('@');
  const { name, tag: version = '' } =
    at < 0 ? splitTag(text) : { name: text.slice(0, at), tag: text.slice(at + 1) };
  const locked = lockedPackage(name, lockfile);
  if (locked === undefined) throw notLocked(name, lockfile);
  if (version === '') {
    throw new InputError(`\`${text}\` names no version`, { hint: `write \`${name}@v1.2.3\`` });
  }
  return { repository: locked.repository, version, origin };
}
