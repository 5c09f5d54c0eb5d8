import type { Lockfile } from '../../../lock/lockfile.js';
import { InputError } from '../../../model/input-error.js';
import type { Request } from '../../../model/request.js';
import { splitTag } from '../../../model/reference.js';
import { outdated } from '../../../usecases/outdated.js';
import { update, type Move } from '../../../usecases/update.js';
import { noStats } from '../../../driver/read-stats.js';
import { SourceMemory } from '../../../driver/source-memory.js';
import { eachFlags } from '../../each/each-flags.js';
import { bundleFlags, refuseTwoOutputs } from '../../flags/bundle-flags.js';
import { command } from '../../command.js';
import { reportAnswer } from '../../output/answer/report-answer.js';
import { EXIT } from '../../exit-code.js';
import { answerWithHint, readGiven, type HintedArgs } from '../../hints/answer-with-hint.js';
import type { Io } from '../../io/io.js';
import { readLock, requireLock, type LockPlace } from '../../io/lock-file.js';
import { lockedPackage, notLocked } from '../../io/locked-name.js';
import { withProgress } from '../../io/progress.js';
import { stayingLines } from '../../output/outdated.js';
import { lockIndexFlag } from '../../flags/lock-flag.js';
import { resolveFlags, resolveOptions } from '../../flags/resolve-flags.js';
import { openSources } from '../../flags/source/source-flags.js';

export const updateCommand = command({
  positionals: {
    packages: {
      type: 'string',
      array: true,
      describe: 'Locked packages to move, each PKG or PKG@VERSION (default: all)',
    },
  },
  flags: {
    ...resolveFlags,
    ...bundleFlags,
    ...lockIndexFlag,
    ...eachFlags,
    'accept-moved': {
      type: 'boolean',
      default: false,
      describe: 'Take the packages named, though their locked tags were moved',
    },
  },
  each: { showsData: false, forSets: whereLocked },
  examples: [
    ['$0 update provider-aws-s3', 'to the newest that fits all the others'],
    ['$0 update provider-aws-s3@v1.21.0', 'to that version, and others as they must'],
  ],
  run: async (args, io) => {
    refuseTwoOutputs(args);
    if (args.acceptMoved && (args.packages ?? []).length === 0) throw nothingAccepted();
    const lock = await requireLock(args, io);
    if (lock === undefined) return EXIT.lockMismatch;
    const { lockfile } = lock;
    const moves = (args.packages ?? []).map((text) => readMove(text, lockfile));
    const repositories = moves.map(({ repository }) => repository);
    const inputs = await readGiven(args, io);
    const stats = noStats();
    const source = SourceMemory.of(await openSources(args, io, stats, inputs.request.kept));
    const answering = (asked: Request, flags: HintedArgs) => {
      const options = { ...resolveOptions(flags, source), lockfile, lockIndexes: args.lockIndex };
      return withProgress(io, stats, () => update(asked, moves, options));
    };
    const { answer, request, unsaved } = await answerWithHint(args, inputs, answering, io);
    if (answer.status === 'solved' && answer.changes.length === 0) {
      const only = moves.length === 0 ? undefined : new Set(repositories);
      const options = { ...resolveOptions(args, source), only };
      const { packages } = await withProgress(io, stats, () =>
        outdated(lockfile, request, options),
      );
      for (const line of stayingLines(packages)) io.note(line);
    }
    const accepted = new Set(args.acceptMoved ? repositories : []);
    const { bytes } = stats;
    const { allowUndigested } = request;
    const reported = { answer, lock, mayChange: true, accepted, allowUndigested, bytes, inputs };
    return reportAnswer({ ...reported, unsaved }, args, io);
  },
});

/** With `--each`: of the packages named, each set moves those it has; one that has none is passed over. */
async function whereLocked<
  Args extends LockPlace & { readonly packages?: readonly string[] | undefined },
>(sets: readonly Args[], io: Io): Promise<readonly (Args | string)[]> {
  const named = sets[0]?.packages ?? [];
  if (named.length === 0) return sets;
  const missing = new Set(named);
  const lockfiles: Lockfile[] = [];
  const found: (Args | string)[] = [];
  for (const args of sets) {
    const lock = await readLock(args, io).catch(() => undefined);
    if (lock !== undefined) lockfiles.push(lock.lockfile);
    // A lockfile that is not there, or is none, is told when the turn of its set comes.
    const packages = lock === undefined ? named : named.filter((text) => isIn(lock.lockfile, text));
    if (lock !== undefined) for (const text of packages) missing.delete(text);
    found.push(packages.length > 0 ? { ...args, packages } : `has no ${named.join(', ')}`);
  }
  const [first] = missing;
  if (first !== undefined && lockfiles.length > 0) {
    const packages = lockfiles.flatMap((lockfile) => lockfile.packages);
    throw notLocked(nameIn(first), { ...lockfiles[0]!, packages });
  }
  return found;
}

function isIn(lockfile: Lockfile, text: string): boolean {
  return (lockedPackage(text, lockfile) ?? lockedPackage(nameIn(text), lockfile)) !== undefined;
}

/** The package in `PKG@VERSION` or `PKG:TAG`. */
function nameIn(text: string): string {
  const at = text.indexOf('@');
  return at < 0 ? splitTag(text).name : text.slice(0, at);
}

function nothingAccepted(): InputError {
  return new InputError('`--accept-moved` is given without a package', {
    hint: 'name each package whose new bytes you have looked at',
  });
}

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
