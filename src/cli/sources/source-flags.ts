import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { networkFlags } from './network-flags.js';
import { isOciPath, parseOciPath } from './oci-path.js';
import type { RegistryArgs } from './registries.js';
import type { Digest } from '../../base/digest.js';
import { InputError, SourceError } from '../../base/errors.js';
import type { KeptObject } from '../../crossplane/package-manager/image-config.js';
import { parseReference, splitTag } from '../../crossplane/packages/reference.js';
import { noStats, type ReadStats } from '../../resolver/driver/read-stats.js';
import { SourceReader } from '../../resolver/driver/source-reader.js';
import {
  firstKnowing,
  withConcurrencyLimit,
  noteUnsearchableSources,
  withTimeBudget,
} from '../../sources/decorators.js';
import type { Registries } from '../../sources/images/open-registries.js';
import type { IndexState, PackageSource } from '../../sources/package-source.js';
import { mustBeWhole } from '../arguments/argument-errors.js';
import type { ArgsOf, Flags } from '../kit/command.js';
import type { RunIo } from '../terminal/io.js';

/** The parameters for opening a value of `--from`. */
interface OpenParameters {
  /** The part after the colon. */
  readonly rest: string;
  /** The whole value of the flag, for messages. */
  readonly text: string;
  readonly io: RunIo;
  /** Recorded states of indexes, which are read instead of the current ones. */
  readonly locked: readonly IndexState[];
  /** Whether probable requests may be prefetched. */
  readonly canPrefetch: boolean;
  /** Opens the registries at the first call; every form gets the same ones. */
  readonly registries: () => Promise<Registries | undefined>;
}

/** Every form of `--from`; a form loads its modules when it is opened. */
const FORMS: readonly (readonly [
  usage: string,
  open: (opening: OpenParameters) => Promise<PackageSource>,
])[] = [
  ['dir:PATH', dir],
  ['layout:PATH[=REPOSITORY]', layout],
  ['xpkg:FILE=REPOSITORY:TAG', xpkg],
  ['cache:PATH', crossplaneCache],
  ['index:FILE|DIR/', index],
  ['oci://REPOSITORY:TAG', artifact],
  ['registry', registry],
];

async function dir({ rest, text, io }: OpenParameters): Promise<PackageSource> {
  const { openDir } = await import('../../sources/dir-source.js');
  return openDir(resolve(io.cwd, rest), { shown: text, note: (line) => io.note(line) });
}

async function index(opening: OpenParameters): Promise<PackageSource> {
  const { rest, text, io } = opening;
  if (isOciPath(rest)) return artifact({ ...opening, text: rest });
  if ((await stat(resolve(io.cwd, rest)).catch(() => undefined))?.isDirectory() === true) {
    return indexFolder(opening);
  }
  const { openIndex } = await import('../../sources/index/index-source.js');
  // Reading a large index takes seconds, in which no timer runs.
  if (io.interactive) io.status(`reading ${rest}`);
  try {
    return await openIndex(resolve(io.cwd, rest), text);
  } finally {
    if (io.interactive) io.status('');
  }
}

async function indexFolder({ rest, text, io, locked }: OpenParameters): Promise<PackageSource> {
  const { IndexFolder } = await import('../../oci/store/index-folder.js');
  const { folderLocation } = await import('../../sources/sparse-index/publish.js');
  const { sparseIndexSource } = await import('../../sources/sparse-index/sparse-index-source.js');
  const folder = new IndexFolder(resolve(io.cwd, rest), text);
  const place = folderLocation(folder, text);
  const state = locked.find(({ from }) => from === text);
  const revision = await place.current();
  const snapshot = await revision?.snapshot(state?.digest);
  if (snapshot !== undefined) {
    // A lockfile records no absolute path, but it may record the same state by another one.
    const from = isAbsolute(rest)
      ? locked.find(({ digest }) => digest === snapshot.digest)?.from
      : text;
    return sparseIndexSource(snapshot, from === undefined ? {} : { from });
  }
  throw new SourceError('BAD_SOURCE', text, 'the folder does not hold an index in parts', {
    hint: '`xpkg-resolve index --out DIR/` writes one; for a folder of packages say `dir:PATH`',
  });
}

async function layout({ rest, text, io }: OpenParameters): Promise<PackageSource> {
  const { openLayoutSource } = await import('../../sources/images/image-source.js');
  const { path, name } = splitName(rest);
  return openLayoutSource(resolve(io.cwd, path), {
    shown: name === undefined ? text : text.slice(0, text.lastIndexOf('=')),
    name,
    note: (line) => io.note(line),
  });
}

async function xpkg({ rest, text, io }: OpenParameters): Promise<PackageSource> {
  const { path, name } = splitName(rest);
  if (name?.tag === undefined) {
    throw new InputError(`\`--from ${text}\` does not say which package the file is`, {
      hint: 'a file has no name of its own: `--from xpkg:FILE=REPOSITORY:TAG`',
    });
  }
  const { openXpkgSource } = await import('../../sources/images/image-source.js');
  const shown = text.slice(0, text.lastIndexOf('='));
  return openXpkgSource(resolve(io.cwd, path), { shown, ...name, tag: name.tag });
}

async function crossplaneCache({ rest, text, io }: OpenParameters): Promise<PackageSource> {
  const { openCrossplaneCache } = await import('../../sources/images/crossplane-cache-source.js');
  return openCrossplaneCache(resolve(io.cwd, rest), text);
}

async function registry({ registries }: OpenParameters): Promise<PackageSource> {
  return (await registries())?.packages ?? unreachableSource;
}

/** Opens a pushed lockfile or index. It has only the packages that it lists. */
async function artifact({
  text,
  registries,
  locked,
  canPrefetch,
}: OpenParameters): Promise<PackageSource> {
  const { requireArtifact, requireFile, INDEX_TITLE, LOCK_TITLE } = await import('./registries.js');
  const { memorySource } = await import('../../sources/memory-source.js');
  const state = locked.find(({ from }) => from === text);
  const stored = await requireArtifact(pinnedTo(text, state?.digest), await registries());
  if (stored.kind === 'parts') {
    const { SparseIndexSnapshot } = await import('../../sources/sparse-index/snapshot.js');
    const { sparseIndexSource } = await import('../../sources/sparse-index/sparse-index-source.js');
    const snapshot = await SparseIndexSnapshot.open(stored.images, stored.manifest, text);
    return sparseIndexSource(snapshot, { distant: canPrefetch, from: text });
  }
  if (stored.kind === 'index') {
    const { indexSource } = await import('../../sources/index/index-source.js');
    return indexSource(await requireFile(stored, INDEX_TITLE, text), text);
  }
  const { lockIndex } = await import('../../project/lockfile/format-lockfile.js');
  const { parseLockfile } = await import('../../project/lockfile/parse-lockfile.js');
  const bytes = await requireFile(stored, LOCK_TITLE, text);
  return memorySource(lockIndex(parseLockfile(Buffer.from(bytes).toString('utf8'), text)));
}

/** Returns the reference with its tag replaced by a digest, if there is one. */
function pinnedTo(text: string, digest: Digest | undefined): string {
  return digest === undefined ? text : `oci://${parseOciPath(text).name}@${digest}`;
}

/** The registries with `--offline` and no cache. Throws, because it is unknown what they have. */
const unreachableSource: PackageSource = {
  tags: async (repository) => {
    throw offlineError(repository);
  },
  fetch: async ({ repository, version }) => {
    throw offlineError(`${repository} ${version}`);
  },
};

function offlineError(subject: string): SourceError {
  return new SourceError('OFFLINE', subject, 'not at hand, and `--offline` forbids the network', {
    hint: 'there is no cache here: name one that has it with `--cache`, or a local source with `--from`',
  });
}

/** Parses `PATH=REPOSITORY[:TAG]`. An equals sign without a reference after it is part of the path. */
function splitName(text: string) {
  const equals = text.lastIndexOf('=');
  const written = text.slice(equals + 1);
  if (equals < 1 || parseReference(written) === undefined || written.includes('@')) {
    return { path: text, name: undefined };
  }
  const { name, tag } = splitTag(written);
  return { path: text.slice(0, equals), name: { repository: name, tag } };
}

/** Where packages come from, for every command that reads some. */
export const sourceFlags = {
  ...networkFlags,
  from: {
    array: true,
    describe: `Where packages are; repeat it, and the first that knows one answers: ${FORMS.map(([usage]) => usage).join(', ')}`,
  },
} as const satisfies Flags;

export type SourceArgs = ArgsOf<typeof sourceFlags>;

/**
 * Opens the sources that the flags name, as one. ImageConfigs in `kept` rewrite images and name
 * their pull secrets. Indexes in `locked` are read in the recorded state.
 */
export async function openSources(
  args: SourceArgs,
  io: RunIo,
  kept: readonly KeptObject[] = [],
  { stats = noStats(), locked }: Partial<Omit<OpenedFor, 'kept'>> = {},
): Promise<SourceReader> {
  const sources = await openEach(args, io, stats, kept, locked);
  return combinedSource(sources, args, io, { stats, kept, locked });
}

export async function combinedSource(
  sources: readonly PackageSource[],
  args: SourceArgs,
  io: RunIo,
  { stats, kept, locked }: OpenedFor,
): Promise<SourceReader> {
  const withNotes = (source: PackageSource) =>
    noteUnsearchableSources(source, sources, (line) => io.note(line));
  const { shared } = io;
  const first = firstKnowing(sources);
  if (shared === undefined) {
    return new SourceReader(withConcurrencyLimit(withNotes(first), args.concurrency), stats);
  }
  // Projects share replies. Each also has its own memory, which counts its own requests.
  const key = `memory of ${await sourcesKey(args, kept, locked)}`;
  const memory = await shared.once(
    key,
    async () => new SourceReader(withConcurrencyLimit(first, args.concurrency), shared.stats),
  );
  return new SourceReader(withNotes(withRemainingTime(memory, args)), stats);
}

/** Limits waits for a shared source to the remaining time of one project. */
export function withRemainingTime(source: PackageSource, args: SourceArgs): PackageSource {
  return namedSources(args).some(isRemoteForm) ? withTimeBudget(source, args.timeout) : source;
}

/** Opens the sources that the flags name, in their order. Projects of one run share them. */
export async function openEach(
  args: SourceArgs & Pick<RegistryArgs, 'ignoreCache'>,
  io: RunIo,
  stats: ReadStats,
  kept: readonly KeptObject[],
  locked: readonly IndexState[] = [],
): Promise<readonly PackageSource[]> {
  mustBeWhole('--concurrency', args.concurrency, 1);
  const { shared } = io;
  if (shared === undefined) return openAll(args, io, { stats, kept, locked });
  const { timeout = args.timeout } = shared;
  // Equal objects of several projects are one, so messages about it name no project.
  const withoutOrigins = kept.map(({ object }) => ({ object, origin: { file: 'of the sets' } }));
  const { stats: ofRun } = shared;
  return shared.once(await sourcesKey(args, kept, locked), () =>
    openAll(
      { ...args, timeout },
      { ...shared.io, shared },
      { stats: ofRun, kept: withoutOrigins, locked },
    ),
  );
}

/** Returns a key that is equal for sources that runs can share. ImageConfigs matter only to registries. */
export async function sourcesKey(
  args: SourceArgs & Pick<RegistryArgs, 'ignoreCache'>,
  kept: readonly KeptObject[],
  locked: readonly IndexState[] = [],
): Promise<string> {
  const places = [...namedSources(args), JSON.stringify(locked)];
  if (!places.some(isRemoteForm)) return places.join('\n');
  const { imageConfigsIn } = await import('../../crossplane/package-manager/image-config.js');
  const configs = imageConfigsIn(kept).map((config) => ({ ...config, origin: undefined }));
  return [...places, args.ignoreCache === true, JSON.stringify(configs)].join('\n');
}

interface OpenedFor {
  readonly stats: ReadStats;
  readonly kept: readonly KeptObject[];
  readonly locked: readonly IndexState[] | undefined;
}

async function openAll(
  args: SourceArgs & Pick<RegistryArgs, 'ignoreCache'>,
  io: RunIo,
  { stats, kept, locked = [] }: OpenedFor,
): Promise<readonly PackageSource[]> {
  let connected: Promise<Registries | undefined> | undefined;
  const registries = () =>
    (connected ??= import('./registries.js').then(({ registriesFor }) =>
      registriesFor(args, io, stats, kept),
    ));
  const { shared } = io;
  const canPrefetch = args.concurrency > 1;
  const sources: PackageSource[] = [];
  for (const text of namedSources(args)) {
    const open = () => openForm(text, { io, registries, locked, canPrefetch });
    const isOwn = shared === undefined || isRemoteForm(text);
    const key = `form ${text} ${JSON.stringify(locked)}`;
    sources.push(await (isOwn ? open() : shared.once(key, open)));
  }
  return sources;
}

/** Returns the values of `--from`, or the default. */
export function namedSources(args: Partial<SourceArgs>): readonly string[] {
  return args.from ?? ['registry'];
}

/** Returns whether a value of `--from` is at a registry. */
export function isRemoteForm(text: string): boolean {
  return text === 'registry' || isOciPath(text) || isOciPath(text.slice(text.indexOf(':') + 1));
}

async function openForm(
  text: string,
  rest: Omit<OpenParameters, 'text' | 'rest'>,
): Promise<PackageSource> {
  const [scheme = ''] = text.split(':', 1);
  const [usage, open] = FORMS.find(([form]) => form.split(':', 1)[0] === scheme) ?? [];
  const formArgument = text.slice(scheme.length + 1);
  if (open === undefined || usage?.includes(':') !== formArgument.length > 0) {
    const forms = FORMS.map(([form]) => `\`--from ${form}\``);
    throw new InputError(`\`--from ${text}\`: not a way to name a source`, {
      hint: `give ${forms.join(' or ')}`,
    });
  }
  return open({ rest: formArgument, text, ...rest });
}
