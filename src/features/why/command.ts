import { InputError } from '../../base/errors.js';
import type { Lockfile } from '../../project/lockfile/lockfile.js';
import type { Candidate } from '../../crossplane/packages/package.js';
import { isRepository } from '../../crossplane/packages/reference.js';
import { whyNotChosen } from '../../resolver/resolve/why-not.js';
import { ownersOf, whyLocked } from './why.js';
import { type ArgsOf, defineCommand, type Flags } from '../../cli/kit/command.js';
import { lockFlag, outputFlag, switchFlag } from '../../cli/arguments/common-flags.js';
import { readRequestAndTexts } from '../../cli/arguments/input-flags.js';
import { resolveFlags, resolveOptions } from '../../cli/arguments/resolve-flags.js';
import { openSources } from '../../cli/sources/source-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { readLock, readRequiredLock } from '../../cli/files/lock-file.js';
import { lockedPackage, notLockedError } from '../../cli/arguments/package-names.js';
import { withCommandLine } from '../resolve/workflow-command.js';
import { repeatedFlags, splitVersion } from '../update/moves-command.js';
import { withProgress } from '../../cli/terminal/progress.js';
import {
  type WhyAnswer,
  whyLines,
  whyNotLines,
  type WhyNotValue,
  whyOutput,
  type WhyValue,
} from './output.js';

const flags = {
  not: { describe: 'SOURCE@VERSION: why the answer does not have that version' },
  explain: switchFlag('With --not: the whole argument'),
  // For --not. Without it, only the lockfile is read.
  ...resolveFlags,
  ...lockFlag(),
  ...outputFlag,
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

export const whyCommand = defineCommand({
  positionals: {
    name: { describe: 'A locked package, or a CRD that one owns' },
  },
  flags,
  examples: [
    ['$0 why buckets.s3.aws.upbound.io', 'who owns it, and how that came to be locked'],
    ['$0 why --not provider-aws-s3@v2.0.0', 'what stands against that version'],
  ],
  run: async (args, io): Promise<WhyValue | WhyNotValue> => {
    if ((args.name === undefined) === (args.not === undefined)) {
      throw new InputError('`why` wants a name, or `--not SOURCE@VERSION`', {
        hint: 'name one of the two',
      });
    }
    if (args.not !== undefined) return whyNot(args.not, args, io);
    const { lockfile } = await readRequiredLock(args, io);
    return { answers: answersTo(args.name!, lockfile) };
  },
  json: () => whyOutput,
  text: (value, { explain }) =>
    'answers' in value ? value.answers.flatMap(whyLines) : whyNotLines(value, explain),
  exit: (value) => ('result' in value && value.result.status === 'gave-up' ? 'gave-up' : 'ok'),
});

async function whyNot(text: string, args: Args, io: RunIo): Promise<WhyNotValue> {
  const lockfile = (await readLock(args, io))?.lockfile;
  const wanted = requestedVersion(text, lockfile);
  const read = await readRequestAndTexts(args, io, { skip: [args.lock] });
  const { request } = read;
  const source = await openSources(args, io, request.kept);
  const options = { ...resolveOptions(args, source, io), lockfile };
  const result = await withProgress(io, source.stats, () => whyNotChosen(request, wanted, options));
  const isLocked = lockfile?.packages.some((one) => one.repository === wanted.repository) === true;
  const flags = repeatedFlags(args, io);
  return { result, wanted, inputs: withCommandLine(read, args, io), isLocked, flags };
}

/** Parses `PKG@VERSION` or `PKG:TAG`. PKG may be the end of the name of a locked package. */
function requestedVersion(text: string, lockfile: Lockfile | undefined): Candidate {
  const { name, tag: version = '' } = splitVersion(text);
  const locked = lockfile && lockedPackage(name, lockfile);
  const repository = locked?.repository ?? name;
  if (version === '' || !isRepository(repository)) {
    throw new InputError(`\`--not ${text}\` names no version of a package`, {
      hint: 'write `--not SOURCE@VERSION`',
    });
  }
  return { repository, version };
}

function answersTo(name: string, lockfile: Lockfile): readonly WhyAnswer[] {
  const locked = lockedPackage(name, lockfile);
  if (locked !== undefined) return [{ ...whyLocked(lockfile, locked), owned: undefined }];
  const owners = ownersOf(lockfile, name);
  if (owners.length === 0) {
    const owned = lockfile.packages.flatMap(({ owns }) => owns.map((object) => object.name));
    throw notLockedError(name, lockfile, { also: owned });
  }
  return owners.map((owner) => ({ ...whyLocked(lockfile, owner.locked), owned: owner.owned }));
}
