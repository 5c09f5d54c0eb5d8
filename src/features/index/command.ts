import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeError } from '../../base/files/file-system.js';
import { writeTransaction } from '../../base/files/transaction.js';
import { InputError, SourceError } from '../../base/errors.js';
import type { IndexFile } from '../../sources/index/index-file.js';
import type { Repository } from '../../crossplane/packages/package.js';
import type { PackageSource } from '../../sources/package-source.js';
import { knownReleases, targetFor, type Target } from '../../crossplane/releases/target.js';
import { noStats } from '../../resolver/driver/read-stats.js';
import { formatIndex, buildIndex } from '../../sources/index/make-index.js';
import {
  command,
  type ArgsOf,
  type Flags,
  EXIT,
  type ExitCode,
  jsonDocument,
} from '../../cli/kit/command.js';
import { imageConfigFlag, imageConfigs, compatFlag } from '../../cli/arguments/input-flags.js';
import { writeFlag, outputFlag } from '../../cli/arguments/common-flags.js';
import type { Io } from '../../cli/terminal/io.js';
import { workingPlace } from '../../cli/files/lock-file.js';
import { isOciPath, parseOciPath, parseTaggedPath } from '../../cli/sources/oci-path.js';
import { withProgress } from '../../cli/terminal/progress.js';
import { unknownPackage } from '../../cli/arguments/package-names.js';
import { openEach, openSources, sourceFlags } from '../../cli/sources/source-flags.js';
import { BULK_TIMEOUT_S, timeoutFlag } from '../../cli/sources/network-flags.js';

const flags = {
  ...sourceFlags,
  ...timeoutFlag(BULK_TIMEOUT_S),
  ...imageConfigFlag,
  ...compatFlag,
  out: {
    type: 'string',
    describe: 'File to write; .gz is zipped. DIR/ is written in parts',
  },
  quick: {
    type: 'boolean',
    default: false,
    describe: 'With `verify`: compare tags and digests, and read no package',
  },
  'all-parts': {
    type: 'boolean',
    default: false,
    describe: 'With `push`: send every part, whatever is there already',
  },
  ...writeFlag,
  ...outputFlag,
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

/** `index`: writes the packages of the sources as an index, for `--from index:`. */
export const indexCommand = command({
  positionals: {
    repositories: {
      type: 'string',
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
  run: async (args, io) => {
    const { verb, where, repositories } = wordsOf(args.repositories ?? []);
    refuseMisplaced(args, verb);
    // Before anything is read: the word after `push` must be a place at a registry.
    if (verb === 'push') parseTaggedPath(where);
    if (verb === 'update' || verb === 'verify') {
      return compared(verb, { text: where, repositories }, args, io);
    }
    const stats = noStats();
    const source = await openSources(args, io, stats, await imageConfigs(args, io));
    const wanted = repositories.length > 0 ? repositories : await listed(source);
    const index = await withProgress(io, stats, () =>
      buildIndex(source, wanted, newestTarget(), {
        note: (line) => io.note(line),
        compat: args.compat,
      }),
    );
    const missing = wanted.find((repository) => !Object.hasOwn(index.packages, repository));
    if (missing !== undefined) {
      throw unknownPackage(missing, mayBeVerb(missing) ? VERBS_HINT : undefined);
    }
    if (verb === 'push') await push(index, where, args, io);
    else await write(index, args, io);
    return EXIT.done;
  },
});

const VERBS = ['push', 'update', 'verify'] as const;
const VERBS_HINT =
  'before a place, `index` takes `push`, `update` or `verify`; what was pushed is read by `--from index:oci://…`, and written to a folder by `index --from index:oci://… --out DIR/`; a package is named with its registry';
type Verb = (typeof VERBS)[number] | 'write';

/** `index VERB WHERE [repositories..]`; without a verb, writes the index. */
function wordsOf(words: readonly string[]): {
  readonly verb: Verb;
  /** Empty if there is no verb. */
  readonly where: string;
  readonly repositories: readonly string[];
} {
  const [first, where, ...repositories] = words;
  const verb = VERBS.find((known) => known === first);
  if (verb === undefined && first !== undefined && mayBeVerb(first) && isPlace(where ?? '')) {
    throw new InputError(`\`index\` does not know \`${first}\``, { hint: VERBS_HINT });
  }
  if (verb === undefined) return { verb: 'write', where: '', repositories: words };
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

/** Whether a word is no name of a package with its registry, and so was perhaps meant for a verb. */
function mayBeVerb(word: string): boolean {
  return /^[a-z]+$/.test(word);
}

function refuseMisplaced({ quick, allParts, out }: Args, verb: Verb): void {
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

async function compared(
  verb: 'update' | 'verify',
  given: { readonly text: string; readonly repositories: readonly string[] },
  args: Args,
  io: Io,
): Promise<ExitCode> {
  const stats = noStats();
  // What is compared must not come from what an earlier run kept.
  const asked = { ...args, anew: verb === 'verify' };
  const sources = await openEach(asked, io, stats, await imageConfigs(args, io));
  const { concurrency, compat } = args;
  const options = {
    sources,
    target: newestTarget(),
    concurrency,
    compat,
    note: (line: string) => io.note(line),
    all: verb === 'verify' && !args.quick,
    quick: verb === 'verify' && args.quick,
  };
  return withProgress(io, stats, async () => {
    if (verb === 'verify') {
      const { verifyIndex } = await import('./verify-command.js');
      return verifyIndex({ ...given, options }, asked, io);
    }
    const { updateIndex } = await import('./update-command.js');
    await updateIndex({ ...given, options }, args, io);
    return EXIT.done;
  });
}

async function push(index: IndexFile, where: string, args: Args, io: Io): Promise<void> {
  const { pinned, digest } = await putParts(index, where, args, io);
  io.note(`${args.write ? 'pushed' : 'would push'} ${where}`);
  if (args.output === 'json') io.out(jsonDocument({ reference: where, digest, pinned }));
  else io.out(`${pinned}\n`);
}

/** Writes an index in parts, or with `--no-write` only names it; `pinned` is its name by digest, where it is at a registry. */
async function putParts(
  index: IndexFile,
  where: string,
  args: Args,
  io: Io,
): Promise<{ readonly digest: string; readonly pinned: string }> {
  const { openPlace } = await import('./index-place-command.js');
  const { publishIndex } = await import('../../sources/sparse-index/publish.js');
  const place = await openPlace(where, args, io);
  const note = (line: string) => io.note(line);
  const { digest } = await publishIndex(place, index, { note, anew: args.allParts });
  const pinned = isOciPath(where) ? `oci://${parseOciPath(where).name}@${digest}` : where;
  return { digest, pinned };
}

async function listed(source: PackageSource): Promise<readonly Repository[]> {
  if (source.repositories !== undefined) return source.repositories();
  throw new InputError('these sources cannot list what they hold', {
    hint: 'name the packages to index: `xpkg-resolve index REPOSITORY..`',
  });
}

async function isFolderPath(path: string, io: Io): Promise<boolean> {
  const { isFolder } = await import('./index-place-command.js');
  return isFolder(path, io);
}

/** Returns an index with the times of the existing one. */
async function inPlaceOf(path: string, index: IndexFile): Promise<IndexFile> {
  const there = await stat(path).catch(() => undefined);
  if (there?.isFile() !== true) return index;
  const { readIndex } = await import('../../sources/index/index-source.js');
  const { fileIndex } = await import('../../sources/sparse-index/index-parts.js');
  const { withFirstSeenOf } = await import('../../sources/index/refresh.js');
  try {
    const held = fileIndex(await readIndex(path, path));
    return await withFirstSeenOf(index, (repository) => held.package(repository));
  } catch (error) {
    // Something else than an index is written over, as ever.
    if (error instanceof InputError || error instanceof SourceError) return index;
    throw error;
  }
}

async function write(index: IndexFile, args: Args, io: Io): Promise<void> {
  const { out, output } = args;
  if (out === undefined) return io.out(formatIndex(index));
  const path = resolve(io.cwd, out);
  await access(dirname(path)).catch((error: unknown) => {
    throw writeError(out, error);
  });
  const inParts = await isFolderPath(out, io);
  const digest = inParts ? (await putParts(index, out, args, io)).digest : undefined;
  if (!inParts && args.write) {
    const text = formatIndex(await inPlaceOf(path, index));
    const content = out.endsWith('.gz') ? gzipSync(text) : text;
    await writeTransaction([{ path, content }], workingPlace(io));
  }
  const packages = Object.values(index.packages);
  const versions = packages.reduce((sum, held) => sum + Object.keys(held.versions).length, 0);
  if (output === 'json') {
    io.out(jsonDocument({ file: out, digest, packages: packages.length, versions }));
  }
  const state = digest === undefined ? '' : ` (${digest})`;
  io.note(
    `${args.write ? 'wrote' : 'would write'} ${out}: ${packages.length} packages, ${versions} versions${state}`,
  );
}
