import { InputError } from '../../../model/input-error.js';
import type { Lockfile } from '../../../lock/lockfile.js';
import type { Candidate } from '../../../model/package.js';
import { isRepository, splitTag } from '../../../model/reference.js';
import { noStats } from '../../../driver/read-stats.js';
import { whyNotChosen } from '../../../usecases/why-not/why-not-chosen.js';
import { ownersOf, whyLocked } from '../../../usecases/why.js';
import { command, type ArgsOf, type Flags } from '../../command.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { explainFlag } from '../../flags/bundle-flags.js';
import { readRequestAndTexts } from '../../flags/input-flags.js';
import { lockFlag } from '../../flags/lock-flag.js';
import { outputFlag } from '../../flags/output-flag.js';
import { resolveFlags, resolveOptions } from '../../flags/resolve-flags.js';
import { openSources } from '../../flags/source/source-flags.js';
import type { Io } from '../../io/io.js';
import { readLock, requireLock } from '../../io/lock-file.js';
import { lockedPackage, notLocked } from '../../io/locked-name.js';
import { withProgress } from '../../io/progress.js';
import { whyNotJson, whyNotLines } from '../../output/answer/why-not.js';
import { whyJson, whyLines, type Answered } from '../../output/why.js';

const flags = {
  not: {
    type: 'string',
    requiresArg: true,
    describe: 'SOURCE@VERSION: why the answer does not have that version',
  },
  ...explainFlag('With --not: the whole argument'),
  // For --not. Without it the lockfile is enough, and nothing else is looked at.
  ...resolveFlags,
  ...lockFlag(),
  ...outputFlag,
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

export const whyCommand = command({
  positionals: {
    name: { type: 'string', describe: 'A locked package, or a CRD that one owns' },
  },
  flags,
  examples: [
    ['$0 why buckets.s3.aws.upbound.io', 'who owns it, and how that came to be locked'],
    ['$0 why --not provider-aws-s3@v2.0.0', 'what stands against that version'],
  ],
  run: async (args, io) => {
    if ((args.name === undefined) === (args.not === undefined)) {
      throw new InputError('`why` wants a name, or `--not SOURCE@VERSION`', {
        hint: 'name one of the two',
      });
    }
    return args.not === undefined ? runWhy(args.name!, args, io) : runWhyNot(args.not, args, io);
  },
});

async function runWhy(name: string, args: Args, io: Io): Promise<ExitCode> {
  const lock = await requireLock(args, io);
  if (lock === undefined) return EXIT.lockMismatch;
  const answers = answersTo(name, lock.lockfile);
  if (args.output === 'json') io.out(whyJson(answers));
  else for (const line of answers.flatMap(whyLines)) io.out(`${line}\n`);
  return EXIT.done;
}

async function runWhyNot(text: string, args: Args, io: Io): Promise<ExitCode> {
  const lockfile = (await readLock(args, io))?.lockfile;
  const wanted = wantedVersion(text, lockfile);
  const read = await readRequestAndTexts(args, io, { skip: [args.lock] });
  const { request } = read;
  const stats = noStats();
  const source = await openSources(args, io, stats, request.kept);
  const options = { ...resolveOptions(args, source, io), lockfile };
  const found = await withProgress(io, stats, () => whyNotChosen(request, wanted, options));
  const { file: files = [], crossplane } = args;
  const inputs = { ...read, refs: [], files, hasCrossplane: crossplane !== undefined };
  if (args.output === 'json') io.out(whyNotJson(found, wanted, inputs));
  else for (const line of whyNotLines(found, wanted, args.explain)) io.out(`${line}\n`);
  return found.status === 'gave-up' ? EXIT.gaveUp : EXIT.done;
}

/** `PKG@VERSION` or `PKG:TAG`, where PKG may be the end of the name of a locked package. */
function wantedVersion(text: string, lockfile: Lockfile | undefined): Candidate {
  const at = text.indexOf('@');
  const { name, tag: version = '' } =
    at < 0 ? splitTag(text) : { name: text.slice(0, at), tag: text.slice(at + 1) };
  const locked = lockfile && lockedPackage(name, lockfile);
  const repository = locked?.repository ?? name;
  if (version === '' || !isRepository(repository)) {
    throw new InputError(`\`--not ${text}\` names no version of a package`, {
      hint: 'write `--not SOURCE@VERSION`',
    });
  }
  return { repository, version };
}

function answersTo(name: string, lockfile: Lockfile): readonly Answered[] {
  const locked = lockedPackage(name, lockfile);
  if (locked !== undefined) return [{ ...whyLocked(lockfile, locked), owned: undefined }];
  const owners = ownersOf(lockfile, name);
  if (owners.length === 0) {
    const owned = lockfile.packages.flatMap(({ owns }) => owns.map((object) => object.name));
    throw notLocked(name, lockfile, { also: owned });
  }
  return owners.map((owner) => ({ ...whyLocked(lockfile, owner.locked), owned: owner.owned }));
}
