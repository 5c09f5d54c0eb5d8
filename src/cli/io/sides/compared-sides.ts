import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ownedObjects } from '../../../admission/owned.js';
import { noStats } from '../../../driver/read-stats.js';
import { InputError } from '../../../model/input-error.js';
import { isPackageKind } from '../../../model/package.js';
import type { PackageDocument } from '../../../model/document/package-document.js';
import type { PackageSource } from '../../../model/package-source.js';
import { targetFor, type Target } from '../../../model/target/target.js';
import { contentsOnDisk } from '../../../sources/dir/package-on-disk.js';
import {
  imageContents,
  imageDocuments,
  notThere,
  type ReadImage,
} from '../../../sources/image/image-documents.js';
import { isDigest } from '../../../text/digest.js';
import { printable } from '../../../text/printable.js';
import type { DiffSide, DocumentReader } from '../../../usecases/diff/diff.js';
import type { ComparedPackage, PackageSide } from '../../../usecases/diff/diff-packages.js';
import type { ArgsOf } from '../../command.js';
import { imageConfigs } from '../../flags/source/image-config-flag.js';
import {
  namedVersion,
  openPackage,
  type NamedPackage,
  type packageFlags,
} from '../../flags/package-argument.js';
import { openEach } from '../../flags/source/source-flags.js';
import { exactTarget } from '../../flags/target-flag.js';
import type { Io } from '../io.js';
import { keptIn } from '../lock-file.js';
import { namedLock, type NamedLock } from './named-lock.js';

type SideArgs = Omit<ArgsOf<typeof packageFlags>, 'output'> & {
  /** Whether documents of packages are wanted, and not only what lockfiles and indexes say. */
  readonly schemas: boolean;
};

/** A side as it is shown: what the user wrote, or what that was taken for. */
type NamedSide = DiffSide & { readonly shown: string };

/** What a command line names: two lockfiles, or two packages. */
export type ComparedSides =
  | { readonly of: 'locks'; readonly old: NamedSide; readonly fresh: NamedSide }
  | {
      readonly of: 'packages';
      readonly old: PackageSide;
      readonly fresh: PackageSide;
      readonly target: Target;
    };

export async function comparedSides(
  old: string,
  fresh: string,
  args: SideArgs,
  io: Io,
): Promise<ComparedSides> {
  const locks = [await namedLock(old, args, io), await namedLock(fresh, args, io)] as const;
  const [before, after] = locks;
  if (before !== undefined && after !== undefined) {
    const sides = { old: await lockSide(before, args, io), fresh: await lockSide(after, args, io) };
    return { of: 'locks', ...sides };
  }
  if (before === undefined && after === undefined) {
    const target = exactTarget(args.crossplane, io);
    const side = (text: string) => packageSide(text, target, args, io);
    return { of: 'packages', old: await side(old), fresh: await side(fresh), target };
  }
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

/** A package by its file or its reference; one that is not there is told at once. */
async function packageSide(
  shown: string,
  target: Target,
  args: SideArgs,
  io: Io,
): Promise<PackageSide> {
  const open = () => openPackage({ ...args, package: shown }, io, target);
  const packaged = (given: Pick<NamedPackage, 'contents' | 'digest'>) =>
    comparedPackage(given, shown, target);
  const path = resolve(io.cwd, shown);
  if (!existsSync(path)) {
    const candidate = await namedVersion({ ...args, package: shown }, io, target);
    if (!args.schemas) return { shown, candidate, read: async () => packaged(await open()) };
    const sources = await openEach(args, io, noStats(), await imageConfigs(args, io));
    const image = (digest: string | undefined) => ({
      ...candidate,
      digest: digest !== undefined && isDigest(digest) ? digest : undefined,
    });
    const read: PackageSide['read'] = async (take) => {
      const wanted = image(candidate.version);
      const found = await imageContents(wanted, sources, target, take);
      for (const note of found?.notes ?? []) io.note(printable(`note: ${shown}: ${note}`));
      if (found !== undefined) return packaged(found);
      // A folder has an image by its digest alone; what is nowhere is told with what there is.
      const known = image((await open()).digest);
      const built = known.digest && (await imageContents(known, sources, target, take));
      if (built) return packaged(built);
      throw notThere(wanted, sources);
    };
    return { shown, candidate, read };
  }
  if (!args.schemas)
    return { shown, candidate: undefined, read: async () => packaged(await open()) };
  const read: PackageSide['read'] = path.endsWith('.xpkg')
    ? async (take) => packaged(await xpkgContents(path, shown, target, take))
    : async (take) => {
        const { contents, complete, notes = [] } = await contentsOnDisk(path, shown, take);
        if (!complete) throw unreadableToItsEnd(shown);
        for (const note of notes) io.note(printable(`note: ${shown}: ${note}`));
        return packaged({ contents, digest: undefined });
      };
  return { shown, candidate: undefined, read };
}

async function xpkgContents(
  path: string,
  shown: string,
  target: Target,
  take: (document: PackageDocument) => void,
): Promise<ReadImage> {
  const { openXpkgSource } = await import('../../../sources/xpkg-source.js');
  const wanted = { repository: 'xpkg.local/package', version: 'v0.0.0', digest: undefined };
  const { repository, version: tag } = wanted;
  const source = await openXpkgSource(path, { shown, repository, tag });
  const found = await imageContents(wanted, [source], target, take);
  if (found === undefined) throw new InputError(`\`${shown}\` holds no package`);
  return found;
}

function unreadableToItsEnd(shown: string): InputError {
  return new InputError(`\`${shown}\` cannot be read to its end`, {
    hint: `\`xpkg-resolve lint ${shown}\` says why`,
  });
}

function comparedPackage(
  { contents, digest }: Pick<NamedPackage, 'contents' | 'digest'>,
  shown: string,
  target: Target,
): ComparedPackage {
  const { kind = '', name = '' } = contents.metas[0] ?? {};
  if (!isPackageKind(kind)) throw new InputError(`\`${shown}\` is no package`);
  return {
    name,
    kind,
    owns: ownedObjects(contents.objects, kind, target),
    digest: digest !== undefined && isDigest(digest) ? digest : undefined,
  };
}
