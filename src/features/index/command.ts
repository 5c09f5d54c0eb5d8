import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { byCodePoint } from '../../base/collections.js';
import { withWriteError } from '../../base/files/file-system.js';
import { InputError, SourceError } from '../../base/errors.js';
import type { IndexFile, IndexPackage } from '../../sources/index/index-file.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { PackageSource } from '../../sources/package-source.js';
import { knownReleases, targetFor, type Target } from '../../crossplane/releases/target.js';
import { noStats } from '../../resolver/driver/read-stats.js';
import { formatIndex, buildIndex, withFirstSeenOf } from '../../sources/index/make-index.js';
import { type ArgsOf, defineCommand, type Flags, type Outcome } from '../../cli/kit/command.js';
import { imageConfigFlag, imageConfigs, compatFlag } from '../../cli/arguments/input-flags.js';
import { writeFlag, outputFlag, switchFlag } from '../../cli/arguments/common-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { isOciPath, parseTaggedPath } from '../../cli/sources/oci-path.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { unknownPackageError } from '../../cli/arguments/package-names.js';
import { openEach, openSources, sourceFlags } from '../../cli/sources/source-flags.js';
import { BULK_TIMEOUT_S, timeoutFlag } from '../../cli/sources/network-flags.js';
import type { Digest } from '../../base/digest.js';
import { readIndex } from '../../sources/index/index-source.js';
import { parsedTable } from '../../sources/memory-source.js';
import { publishIndex } from '../../sources/sparse-index/publish.js';
import { updateIndex, verifyIndex } from './compare-command.js';
import { isFolder, openPlace, writeIndexFile } from './index-place-command.js';
import { indexLines, indexNotes, indexOutput, type IndexValue } from './output.js';

const flags = {
  ...sourceFlags,
  ...timeoutFlag(BULK_TIMEOUT_S),
  ...imageConfigFlag,
  ...compatFlag,
  out: { describe: 'File to write; .gz is zipped. DIR/ is written in parts' },
  quick: switchFlag('With `verify`: compare tags and digests, and read no package'),
  'all-parts': switchFlag('With `push`: send every part, whatever is there already'),
  ...writeFlag,
  ...outputFlag,
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

/** `index`: writes the packages of the sources as an index, for `--from index:`. */
export const indexCommand = defineCommand({
  positionals: {
    repositories: {
      array: true,
      describe:
        'Packages to put in; all, where the sources can list them. Before them: ' +
        '`push oci://REGISTRY/REPOSITORY:TAG` stores the index there, in parts; `update WHERE` adds what is new; ' +
        '`verify WHERE` compares an index with the sources. WHERE is such a place, a folder or a file',
    },
  },
  flags,
  examples: [
    ['$0 index --from dir:packages --out index.json.gz', 'all of a folder, as one file'],
    [
      '$0 index push oci://registry.example.org/team/index:v1 --from index:index.json.gz',
      'the same at a registry, for `--from index:oci://…`',
    ],
    ['$0 index update oci://registry.example.org/team/index:v1', 'what is new, from cron'],
    ['$0 index verify index/ --quick', 'whether a folder of parts is up to date'],
  ],
  stream: (args, io) => {
    const { verb, repositories } = wordsOf(args);
    return verb === 'print' ? printIndex(repositories, args, io) : undefined;
  },
  run: async (args, io): Promise<IndexValue> => {
    const { verb, where, repositories } = wordsOf(args);
    if (verb === 'push') return push(where, repositories, args, io);
    if (verb === 'update' || verb === 'verify') return compare(verb, where, repositories, args, io);
    return write(where, repositories, args, io);
  },
  json: () => indexOutput,
  text: indexLines,
  closingNotes: indexNotes,
  exit: ({ verb, document }) =>
    verb === 'verify' && document.status === 'mismatch' ? 'mismatch' : 'ok',
});

const VERBS = ['push', 'update', 'verify'] as const;
const VERBS_HINT =
  'before a place, `index` takes `push`, `update` or `verify`; what was pushed is read by `--from index:oci://…`, and written to a folder by `index --from index:oci://… --out DIR/`; a package is named with its registry';

/** The parsed words of `index VERB WHERE [repositories..]`. */
interface IndexWords {
  /** Without a verb on the command line: `write` with `--out`, else `print`. */
  readonly verb: (typeof VERBS)[number] | 'write' | 'print';
  /** The place after the verb, or the value of `--out`; empty for `print`. */
  readonly where: string;
  readonly repositories: readonly string[];
}

function wordsOf(args: Args & { readonly repositories?: readonly string[] | undefined }) {
  const words = parseWords(args.repositories ?? [], args.out);
  refuseMisplaced(args, words.verb);
  return words;
}

function parseWords(words: readonly string[], out: string | undefined): IndexWords {
  const [first, where, ...repositories] = words;
  const verb = VERBS.find((known) => known === first);
  if (verb === undefined && first !== undefined && mayBeVerb(first) && isPlace(where ?? '')) {
    throw new InputError(`\`index\` does not know \`${first}\``, { hint: VERBS_HINT });
  }
  if (verb === undefined) {
    return { verb: out === undefined ? 'print' : 'write', where: out ?? '', repositories: words };
  }
  if (where !== undefined) return { verb, where, repositories };
  const [what, place] =
    verb === 'push' ? ['where to', 'oci://REGISTRY/REPOSITORY:TAG'] : ['which index', 'WHERE'];
  throw new InputError(`\`index ${verb}\` does not say ${what}`, {
    hint: `\`xpkg-resolve index ${verb} ${place}\``,
  });
}

function isPlace(word: string): boolean {
  return isOciPath(word) || /[/\\]$|\.json(?:\.gz)?$/.test(word);
}

/** Whether a word is no package name with a registry, and so may be a mistyped verb. */
function mayBeVerb(word: string): boolean {
  return /^[a-z]+$/.test(word);
}

function refuseMisplaced({ quick, allParts, out }: Args, verb: IndexWords['verb']): void {
  const misplaced = [
    quick && verb !== 'verify' && '`--quick` goes with `index verify`',
    allParts && verb !== 'push' && '`--all-parts` goes with `index push`',
    out !== undefined && verb !== 'write' && `\`--out\` does not go with \`index ${verb}\``,
  ].find((what) => what !== false);
  if (misplaced !== undefined) throw new InputError(misplaced);
}

function newestTarget(): Target {
  return targetFor(knownReleases().at(-1)!)!;
}

async function compare(
  verb: 'update' | 'verify',
  place: string,
  repositories: readonly Repository[],
  args: Args,
  io: RunIo,
): Promise<IndexValue> {
  const isVerifying = verb === 'verify';
  const stats = noStats();
  // Cached responses would hide a difference.
  const compareArgs = { ...args, ignoreCache: isVerifying };
  const sources = await openEach(compareArgs, io, stats, await imageConfigs(args, io));
  const { concurrency, compat } = args;
  const options = {
    sources,
    target: newestTarget(),
    concurrency,
    compat,
    note: (line: string) => io.note(line),
    all: isVerifying && !args.quick,
    quick: isVerifying && args.quick,
  };
  const comparison = { place, repositories, options };
  return withProgress(io, stats, async () =>
    isVerifying
      ? { verb, document: await verifyIndex(comparison, compareArgs, io) }
      : { verb, document: await updateIndex(comparison, compareArgs, io) },
  );
}

async function* printIndex(
  repositories: readonly Repository[],
  args: Args,
  io: RunIo,
): AsyncGenerator<string, Outcome> {
  yield formatIndex(await build(repositories, args, io));
  return 'ok';
}

/** Builds an index of packages; of all packages of the sources if none is named. */
async function build(repositories: readonly Repository[], args: Args, io: RunIo) {
  const source = await openSources(args, io, await imageConfigs(args, io));
  const wanted = repositories.length > 0 ? repositories : await listRepositories(source);
  const options = { note: (line: string) => io.note(line), compat: args.compat };
  const packages = await withProgress(io, source.stats, async () => {
    const built: [Repository, IndexPackage][] = [];
    for (const repository of [...new Set(wanted)].sort(byCodePoint)) {
      const reader = source.withOwnCache();
      const part = await buildIndex(reader, [repository], newestTarget(), options);
      built.push(...Object.entries(part.packages));
    }
    return built;
  });
  const index: IndexFile = { packages: Object.fromEntries(packages) };
  const missing = wanted.find((repository) => !Object.hasOwn(index.packages, repository));
  if (missing === undefined) return index;
  throw unknownPackageError(missing, mayBeVerb(missing) ? VERBS_HINT : undefined);
}

async function listRepositories(source: PackageSource): Promise<readonly Repository[]> {
  if (source.repositories !== undefined) return source.repositories();
  throw new InputError('these sources cannot list what they hold', {
    hint: 'name the packages to index: `xpkg-resolve index REPOSITORY..`',
  });
}

async function push(
  where: string,
  repositories: readonly Repository[],
  args: Args,
  io: RunIo,
): Promise<IndexValue> {
  // Throws before any source is read.
  const { name } = parseTaggedPath(where);
  const digest = await publish(await build(repositories, args, io), where, args, io);
  return {
    verb: 'push',
    document: { reference: where, digest, pinned: `oci://${name}@${digest}` },
  };
}

/** Writes a sparse index, or with `--no-write` only computes its digest. */
async function publish(index: IndexFile, where: string, args: Args, io: RunIo): Promise<Digest> {
  const place = await openPlace(where, args, io);
  const note = (line: string) => io.note(line);
  return (await publishIndex(place, index, { note, allParts: args.allParts })).digest;
}

async function write(
  out: string,
  repositories: readonly Repository[],
  args: Args,
  io: RunIo,
): Promise<IndexValue> {
  const index = await build(repositories, args, io);
  const path = resolve(io.cwd, out);
  await withWriteError(out, () => access(dirname(path)));
  const inParts = await isFolder(out, io);
  const digest = inParts ? await publish(index, out, args, io) : undefined;
  if (!inParts && args.write) await writeIndexFile(out, await withKnownTimes(index, path), io);
  const packages = Object.values(index.packages);
  const versions = packages.reduce((sum, one) => sum + Object.keys(one.versions).length, 0);
  return { verb: 'write', document: { file: out, digest, packages: packages.length, versions } };
}

/** Returns an index with the `firstSeen` times of the index file that it replaces. */
async function withKnownTimes(index: IndexFile, path: string): Promise<IndexFile> {
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isFile() !== true) return index;
  try {
    const before = parsedTable(await readIndex(path, path));
    return await withFirstSeenOf(index, async (repository) => before.package(repository));
  } catch (error) {
    // The file is not an index, and is overwritten.
    if (error instanceof InputError || error instanceof SourceError) return index;
    throw error;
  }
}
