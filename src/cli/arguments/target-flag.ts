import { formatOrigin, InputError } from '../../base/errors.js';
import { chooseTargets, isSelected } from '../../crossplane/releases/target-choice.js';
import { knownReleases, targetFor, type Target } from '../../crossplane/releases/target.js';
import { type RunIo, silent } from '../terminal/io.js';
import type { LockOnDisk } from '../files/lock-file.js';
import { isOciPath } from '../sources/oci-path.js';
import { DEFAULT_LOCK, switchFlag } from './common-flags.js';
import type { ArgsOf, Flags } from '../kit/command.js';

/** Returns the flag for the Crossplane release of commands about packages, which use `projectTarget`. */
export function projectTargetFlag(describe: string) {
  const withDefault = `${describe} (default: that of the project, else the newest known)`;
  return { crossplane: { describe: withDefault } } as const;
}

/** For commands whose result does harm if it is wrong. */
export const acceptUnknownFlag = {
  'accept-unknown-release': switchFlag(
    'Use the nearest known rules for a release that is not known',
  ),
} as const satisfies Flags;

/** Throws an `InputError` if a release is unknown, unless the user accepts that. */
export function requireKnownRelease(
  { version, knowledge }: Target,
  { acceptUnknownRelease }: ArgsOf<typeof acceptUnknownFlag>,
): void {
  if (knowledge.state !== 'unknown' || acceptUnknownRelease) return;
  throw new InputError(
    `Crossplane ${version} is not a release this tool knows, and the answer would rest on a guess`,
    { hint: `\`--accept-unknown-release\` goes by the rules of ${knowledge.release}` },
  );
}

/** Returns the release of `--crossplane`, for commands that take no range; by default the newest. */
export function exactTarget(version: string | undefined, io: RunIo): Target {
  const newest = knownReleases().at(-1)!;
  const target = targetFor(version ?? newest);
  if (target === undefined) {
    throw new InputError(`\`--crossplane ${version}\` is not an exact version`, {
      hint: `write a release such as \`${newest}\``,
    });
  }
  if (version === undefined) io.note(`note: for Crossplane ${newest}, the newest known release`);
  if (target.warning !== undefined) io.note(`warning: ${target.warning}`);
  return target;
}

interface ProjectTargetArgs {
  readonly crossplane?: string | undefined;
  /** Path of the lockfile that was read. */
  readonly lock?: string | undefined;
}

/**
 * Returns the release for a command about packages: the one of `--crossplane`; else that of the
 * project (in xpkg.yaml; for a range, the locked one or the newest in it); else the newest known.
 */
export async function projectTarget(
  args: ProjectTargetArgs,
  io: RunIo,
  lock?: LockOnDisk,
): Promise<Target> {
  if (args.crossplane !== undefined) return exactTarget(args.crossplane, io);
  const found = await releaseOfProject(args, io, lock).catch((error: unknown) => {
    if (!(error instanceof InputError)) throw error;
    io.note(`warning: the release of the project is not known: ${error.message.split('\n')[0]}`);
    return undefined;
  });
  if (found === undefined) return exactTarget(undefined, io);
  const { target, where } = found;
  io.note(`note: for Crossplane ${target.version} (${where})`);
  if (target.warning !== undefined) io.note(`warning: ${target.warning}`);
  return target;
}

/** Returns undefined if there is no project, or it names no release. */
async function releaseOfProject(
  { lock }: ProjectTargetArgs,
  io: RunIo,
  given: LockOnDisk | undefined,
): Promise<{ readonly target: Target; readonly where: string } | undefined> {
  const { readInputsIfAny } = await import('./input-flags.js');
  const { readLockFile } = await import('../files/lock-file.js');
  const { findProject, lockOf } = await import('../projects/project.js');
  const project = findProject(io.cwd);
  const file = project?.file;
  const files = { file: file === undefined ? undefined : [file], strict: false, compat: true };
  const named = lock ?? (project === undefined ? DEFAULT_LOCK : lockOf(project, io.cwd));
  const inputs = await readInputsIfAny(files, silent(io), { mixedSkips: true });
  const selector = inputs?.request.crossplane;
  const exact = selector && targetFor(selector.text);
  if (exact !== undefined) return { target: exact, where: formatOrigin(selector!.origin) };
  const found = given ?? (await readLockFile(named, io));
  const locked = found && targetFor(found.lockfile.crossplane);
  if (locked !== undefined && (selector === undefined || isSelected(locked, selector))) {
    return { target: locked, where: named };
  }
  if (selector === undefined) return undefined;
  const [group] = chooseTargets(selector).groups;
  return { target: group![0]!, where: formatOrigin(selector.origin) };
}

/** Warns that `--crossplane` has no effect on a command that shows a lockfile for another release. */
export async function warnOfOtherRelease(
  crossplane: string,
  { lock }: { readonly lock?: string | undefined },
  io: RunIo,
): Promise<void> {
  const selector = { text: crossplane, origin: { file: '--crossplane' } };
  const { readLockFile } = await import('../files/lock-file.js');
  const isFile = lock !== undefined && !isOciPath(lock);
  const release = isFile ? (await readLockFile(lock, io))?.lockfile.crossplane : undefined;
  const locked = release === undefined ? undefined : targetFor(release);
  if (locked !== undefined && isSelected(locked, selector)) return;
  const why =
    locked === undefined
      ? 'the lockfile names the release'
      : `\`${lock}\` is for ${locked.version}`;
  io.note(`warning: \`--crossplane ${crossplane}\` has no effect here: ${why}`);
}
