import { resolve } from 'node:path';
import { ownedObjects } from '../../../admission/owned.js';
import { noStats } from '../../../driver/read-stats.js';
import type { LockedPackage } from '../../../lock/lockfile.js';
import { InputError } from '../../../model/input-error.js';
import { isPackageKind } from '../../../model/package.js';
import type { PackageSource } from '../../../model/package-source.js';
import { targetFor, type Target } from '../../../model/target/target.js';
import { readDocuments } from '../../../package-yaml/documents/read-documents.js';
import { packageYamlOnDisk } from '../../../sources/dir/package-on-disk.js';
import { imageDocuments } from '../../../sources/image/image-documents.js';
import { isDigest } from '../../../text/digest.js';
import type { DiffSide, DocumentReader } from '../../../usecases/diff/diff.js';
import type { ArgsOf } from '../../command.js';
import { imageConfigs } from '../../flags/source/image-config-flag.js';
import { openPackage, type NamedPackage, type packageFlags } from '../../flags/package-argument.js';
import { openEach } from '../../flags/source/source-flags.js';
import { exactTarget } from '../../flags/target-flag.js';
import type { Io } from '../io.js';
import { keptIn } from '../lock-file.js';
import { namedLock, type NamedLock } from './named-lock.js';

type SideArgs = Omit<ArgsOf<typeof packageFlags>, 'output'>;

/** A side as it is shown: what the user wrote, or what that was taken for. */
export type NamedSide = DiffSide & { readonly shown: string };

/** The two sides that a command line names: two lockfiles, or two packages. */
export async function comparedSides(
  old: string,
  fresh: string,
  args: SideArgs,
  io: Io,
): Promise<readonly [NamedSide, NamedSide]> {
  const locks = [await namedLock(old, args, io), await namedLock(fresh, args, io)] as const;
  const [before, after] = locks;
  if (before !== undefined && after !== undefined) {
    return [await lockSide(before, args, io), await lockSide(after, args, io)];
  }
  if (before === undefined && after === undefined) return packageSides([old, fresh], args, io);
  const [lock, other] = before === undefined ? [fresh, old] : [old, fresh];
  throw new InputError(`\`${lock}\` is a lockfile, and \`${other}\` is none`, {
    hint: 'compare two lockfiles, or two packages; `REVISION:xpkg.lock.yaml` is one that git has',
  });
}

async function lockSide(
  { shown, lockfile }: NamedLock,
  args: SideArgs,
  io: Io,
): Promise<NamedSide> {
  const target = targetFor(lockfile.crossplane)!;
  const sources = await openEach(args, io, noStats(), keptIn(lockfile, shown));
  return { shown, lockfile, read: fromSources(sources, target) };
}

function fromSources(sources: readonly PackageSource[], target: Target): DocumentReader {
  return (locked, take) => imageDocuments(locked, sources, target, take);
}

/** Two versions of a package, or two packages that are taken for such. */
async function packageSides(
  named: readonly [string, string],
  args: SideArgs,
  io: Io,
): Promise<readonly [NamedSide, NamedSide]> {
  const target = exactTarget(args.crossplane, io);
  const open = (text: string) => openPackage({ ...args, package: text }, io, target);
  const [before, after] = [await open(named[0]), await open(named[1])];
  const repository = after.candidate?.repository ?? nameOf(after, named[1]);
  const side = async (given: NamedPackage, shown: string): Promise<NamedSide> => {
    const locked = lockedAlone(given, { shown, repository, target });
    const lockfile = {
      crossplane: target.version,
      packages: [locked],
      objects: [],
      skipDependencyResolution: [],
    };
    return { shown, lockfile, read: await packageReader(given, { shown, target, args, io }) };
  };
  return [await side(before, named[0]), await side(after, named[1])];
}

function nameOf({ contents }: NamedPackage, shown: string): string {
  return contents.metas[0]?.name || shown;
}

function lockedAlone(
  { contents, digest, candidate }: NamedPackage,
  {
    shown,
    repository,
    target,
  }: { readonly shown: string; readonly repository: string; readonly target: Target },
): LockedPackage {
  const kind = contents.metas[0]?.kind ?? '';
  if (!isPackageKind(kind)) throw new InputError(`\`${shown}\` is no package`);
  return {
    repository,
    version: candidate?.repository === repository ? candidate.version : shown,
    digest: digest !== undefined && isDigest(digest) ? digest : undefined,
    manifest: undefined,
    baseLayer: undefined,
    packageYaml: undefined,
    kind,
    name: repository,
    direct: false,
    crossplane: undefined,
    requirements: [],
    owns: ownedObjects(contents.objects, kind, target),
    object: { apiVersion: undefined, metadata: {}, spec: {} },
  };
}

async function packageReader(
  { candidate, digest }: NamedPackage,
  opening: {
    readonly shown: string;
    readonly target: Target;
    readonly args: SideArgs;
    readonly io: Io;
  },
): Promise<DocumentReader> {
  const { shown, target, args, io } = opening;
  if (candidate !== undefined) {
    const sources = await openEach(args, io, noStats(), await imageConfigs(args, io));
    const pin = digest !== undefined && isDigest(digest) ? digest : undefined;
    return (_, take) => imageDocuments({ ...candidate, digest: pin }, sources, target, take);
  }
  const path = resolve(io.cwd, shown);
  if (path.endsWith('.xpkg')) {
    const { openXpkgSource } = await import('../../../sources/xpkg-source.js');
    const held = { repository: 'xpkg.local/package', version: 'v0.0.0', digest: undefined };
    const { repository, version: tag } = held;
    const source = await openXpkgSource(path, { shown, repository, tag });
    return (_, take) => imageDocuments(held, [source], target, take);
  }
  return async (_, take) => {
    await readDocuments(await packageYamlOnDisk(path, shown), take);
  };
}
