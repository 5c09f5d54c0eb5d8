import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type ComparedPackage,
  type Diff,
  diff,
  diffPackages,
  type DiffSide,
  type PackageSide,
} from './diff.js';
import { DIFF_SEVERITIES, type DiffSeverity, isAsSevereAs } from './findings.js';
import { diffLines, diffMarkdown, diffOutput, diffReport, type DiffValue } from './output.js';
import { isDigest } from '../../base/digest.js';
import { InputError, SourceError } from '../../base/errors.js';
import { printable, shellWord } from '../../base/escape.js';
import { formatFlag, switchFlag } from '../../cli/arguments/common-flags.js';
import { imageConfigs } from '../../cli/arguments/input-flags.js';
import { projectTarget } from '../../cli/arguments/target-flag.js';
import { extraManifestsIn } from '../../cli/files/lock-file.js';
import { namedLock, type NamedLock } from '../../cli/files/named-lock.js';
import { type ArgsOf, defineCommand, type Flags } from '../../cli/kit/command.js';
import {
  type NamedPackage,
  namedVersion,
  openPackage,
  packageFlags,
} from '../../cli/sources/package-argument.js';
import { openEach, type SourceArgs } from '../../cli/sources/source-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { documentParser } from '../../crossplane/package-yaml/document-pair.js';
import type { PackageDocument } from '../../crossplane/package-yaml/read-package-yaml.js';
import { ownedObjects } from '../../crossplane/packages/owned-objects.js';
import { isPackageKind } from '../../crossplane/packages/package.js';
import { type Target, targetFor } from '../../crossplane/releases/target.js';
import { noStats } from '../../resolver/driver/read-stats.js';
import { SourceReader } from '../../resolver/driver/source-reader.js';
import { firstKnowing } from '../../sources/decorators.js';
import {
  imageDocuments,
  missingImageError,
  type ReadImage,
  readImageContents,
} from '../../sources/images/image-documents.js';
import { readPackageAndDocuments } from '../../sources/package-on-disk.js';
import type { PackageSource } from '../../sources/package-source.js';

const side = (describe: string) => ({ demandOption: true, describe }) as const;

const flags = {
  ...packageFlags,
  output: {
    alias: 'o',
    choices: ['text', 'json', 'markdown'],
    default: 'text',
    describe: 'How to print the answer; markdown is for a pull request',
  },
  ...formatFlag,
  all: switchFlag('Show all of it, not only a screenful'),
  schemas: {
    type: 'boolean',
    default: true,
    describe: 'Compare lockfiles alone: read none of the packages that changed',
  },
  'fail-on': {
    choices: DIFF_SEVERITIES,
    describe: 'Exit 6 if anything is this severe or worse',
  },
  'exit-code': switchFlag(
    'Exit 6 if anything breaks readers or worse, or is as severe as --fail-on says',
  ),
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

export const diffCommand = defineCommand({
  positionals: {
    old: side(
      'A lockfile (file, `REVISION:PATH` of git, oci://…), or a package: SOURCE@VERSION, an .xpkg file, a folder',
    ),
    new: side('The same, to compare it with'),
  },
  flags,
  examples: [
    ['$0 diff HEAD:xpkg.lock.yaml xpkg.lock.yaml', 'what is about to be committed'],
    ['$0 diff origin/main HEAD -o markdown', 'what a pull request changes'],
    ['$0 diff SOURCE@v1.20.0 SOURCE@v1.23.0 --fail-on writers', 'two versions of a package'],
  ],
  run: async (args, io): Promise<DiffValue> => {
    const { shown, compare } = await openComparison(args, io);
    return { result: await withProgress(io, noStats(), compare), shown };
  },
  json: () => diffOutput,
  text: ({ result, shown }, args) =>
    args.output === 'markdown' ? diffMarkdown(result, shown) : diffLines(result, args),
  closingNotes: ({ result: { warnings, notes } }) => [
    ...warnings.map(({ text }) => `warning: ${text}`),
    ...notes.map((note) => `note: ${note}`),
  ],
  findings: async (value, args, io) => {
    const { LockPlaces } = await import('../../cli/findings/report-parts.js');
    return diffReport(value, await LockPlaces.read(args.new, io), failingFrom(args));
  },
  exit: ({ result: { findings, omitted } }, args) => {
    const limit = failingFrom(args);
    if (limit === undefined) return 'ok';
    const isFailing = ({ severity }: { readonly severity: DiffSeverity }) =>
      isAsSevereAs(severity, limit);
    return [...findings, ...omitted].some(isFailing) ? 'findings' : 'ok';
  },
});

/** Returns the mildest severity that fails the run; undefined: none does. */
function failingFrom({ failOn, exitCode }: Args): DiffSeverity | undefined {
  return failOn ?? (exitCode ? 'readers' : undefined);
}

type SideArgs = Omit<ArgsOf<typeof packageFlags>, 'output'> & {
  /** Whether package documents are compared; false: only lockfiles and indexes are. */
  readonly schemas: boolean;
};

/** Opens both sides of a comparison, two lockfiles or two packages, to be compared later. */
export async function openComparison(
  args: SideArgs & { readonly old: string; readonly new: string },
  io: RunIo,
): Promise<Pick<DiffValue, 'shown'> & { readonly compare: () => Promise<Diff> }> {
  const parser = args.schemas ? documentParser : undefined;
  const before = await namedLock(args.old, args, io);
  const after = await namedLock(args.new, args, io);
  if (before !== undefined && after !== undefined) {
    const [old, newer] = [await lockSide(before, args, io), await lockSide(after, args, io)];
    const { concurrency } = args;
    return {
      shown: { old: before.shown, new: after.shown },
      compare: () => diff(old, newer, { parser, concurrency }),
    };
  }
  if (before === undefined && after === undefined) {
    const target = await projectTarget(args, io);
    const old = await packageSide(args.old, target, args, io);
    const newer = await packageSide(args.new, target, args, io);
    return {
      shown: { old: args.old, new: args.new },
      compare: () => diffPackages(old, newer, { parser, target }),
    };
  }
  const [lock, other] = before === undefined ? [args.new, args.old] : [args.old, args.new];
  throw new InputError(`\`${lock}\` is a lockfile, and \`${other}\` is none`, {
    hint: 'compare two lockfiles, or two packages; `REVISION:xpkg.lock.yaml` is one that git has',
  });
}

/** Returns a lockfile with readers of its packages, from the sources that the flags select. */
export async function lockSide(
  { shown, lockfile }: NamedLock,
  args: SourceArgs & Pick<SideArgs, 'schemas'>,
  io: RunIo,
): Promise<DiffSide> {
  const target = targetFor(lockfile.crossplane)!;
  const sources = await openEach(args, io, noStats(), extraManifestsIn(lockfile, shown));
  return {
    lockfile,
    read: (locked, take) => imageDocuments(locked, sources, target, take),
    contentsOf: args.schemas ? contentsReader(firstKnowing(sources), target) : undefined,
  };
}

/** Returns a reader of package contents. It returns undefined for packages that cannot be read. */
function contentsReader(source: PackageSource, target: Target): DiffSide['contentsOf'] {
  const reader = SourceReader.of(source);
  return async ({ repository, version, digest }) => {
    try {
      const found = await reader.fetch({ repository, version }, target);
      const isLocked = digest === undefined || found?.digest === digest;
      return isLocked ? found?.contents : undefined;
    } catch (error) {
      if (error instanceof SourceError) return undefined;
      throw error;
    }
  };
}

/** Reads a package by its file or reference. Throws if it does not exist. */
async function packageSide(
  shown: string,
  target: Target,
  args: SideArgs,
  io: RunIo,
): Promise<PackageSide> {
  const open = () => openPackage({ ...args, package: shown }, io, target);
  const packaged = (opened: Pick<NamedPackage, 'contents' | 'digest'>) =>
    comparedPackage(opened, shown, target);
  const printNotes = (notes: readonly string[] = []) => {
    for (const note of notes) io.note(printable(`note: ${shown}: ${note}`));
  };
  const path = resolve(io.cwd, shown);
  const candidate = existsSync(path)
    ? undefined
    : await namedVersion({ ...args, package: shown }, io, target);
  if (!args.schemas) return { shown, candidate, read: async () => packaged(await open()) };
  if (candidate !== undefined) {
    const sources = await openEach(args, io, noStats(), await imageConfigs(args, io));
    const image = (digest: string | undefined) => ({
      ...candidate,
      digest: digest !== undefined && isDigest(digest) ? digest : undefined,
    });
    const read: PackageSide['read'] = async (take) => {
      const wanted = image(candidate.version);
      const found = await readImageContents(wanted, sources, target, take);
      printNotes(found?.notes);
      if (found !== undefined) return packaged(found);
      // A folder has images only by digest. `open` throws if no source has the package, and
      // suggests versions that exist.
      const known = image((await open()).digest);
      const built = known.digest && (await readImageContents(known, sources, target, take));
      if (built) return packaged(built);
      throw missingImageError(wanted, sources);
    };
    return { shown, candidate, read };
  }
  const read: PackageSide['read'] = path.endsWith('.xpkg')
    ? async (take) => packaged(await xpkgContents(path, shown, target, take))
    : async (take) => {
        const { contents, complete, notes } = await readPackageAndDocuments(path, shown, take);
        if (!complete) {
          throw new InputError(`\`${shown}\` cannot be read to its end`, {
            hint: `\`xpkg-resolve lint ${shellWord(shown)}\` says why`,
          });
        }
        printNotes(notes);
        return packaged({ contents, digest: undefined });
      };
  return { shown, candidate, read };
}

async function xpkgContents(
  path: string,
  shown: string,
  target: Target,
  take: (document: PackageDocument) => void,
): Promise<ReadImage> {
  const { openXpkgSource } = await import('../../sources/images/image-source.js');
  const wanted = { repository: 'xpkg.local/package', version: 'v0.0.0', digest: undefined };
  const { repository, version: tag } = wanted;
  const source = await openXpkgSource(path, { shown, repository, tag });
  const found = await readImageContents(wanted, [source], target, take);
  if (found === undefined) throw new InputError(`\`${shown}\` holds no package`);
  return found;
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
