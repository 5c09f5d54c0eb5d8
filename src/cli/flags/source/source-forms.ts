import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { InputError } from '../../../model/input-error.js';
import type { Repository } from '../../../model/package.js';
import type { IndexState, PackageSource } from '../../../model/package-source.js';
import { parseReference, splitTag } from '../../../model/reference.js';
import { SourceError } from '../../../model/source-error.js';
import type { Digest } from '../../../text/digest.js';
import type { Registries } from '../../../sources/registry/open-registries.js';
import type { Io } from '../../io/io.js';
import { isOciPath, parseOciPath } from '../../io/registry/oci-path.js';

/** What a form of `--from` is opened with. */
export interface Opening {
  /** The part after the colon. */
  readonly rest: string;
  /** The whole value of the flag, for messages. */
  readonly text: string;
  readonly io: Io;
  /** States of indexes to read in place of those that are there now. */
  readonly locked: readonly IndexState[];
  /** Whether what will probably be needed may be asked for before it is. */
  readonly ahead: boolean;
  /** Opens the registries at the first call; every form gets the same ones. */
  readonly registries: () => Promise<Registries | undefined>;
}

interface Form {
  readonly usage: string;
  readonly open: (opening: Opening) => Promise<PackageSource>;
}

/** Every form of `--from`; a form loads its modules when it is opened. */
export const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['dir', { usage: 'dir:PATH', open: dir }],
  ['layout', { usage: 'layout:PATH[=REPOSITORY]', open: layout }],
  ['xpkg', { usage: 'xpkg:FILE=REPOSITORY:TAG', open: xpkg }],
  ['cache', { usage: 'cache:PATH', open: crossplaneCache }],
  ['index', { usage: 'index:FILE|DIR/', open: index }],
  ['oci', { usage: 'oci://REPOSITORY:TAG', open: artifact }],
  ['registry', { usage: 'registry', open: registry }],
]);

async function dir({ rest, text, io }: Opening): Promise<PackageSource> {
  const { openDir } = await import('../../../sources/dir/dir-source.js');
  return openDir(resolve(io.cwd, rest), { shown: text, note: (line) => io.note(line) });
}

async function index(opening: Opening): Promise<PackageSource> {
  const { rest, text, io } = opening;
  if (isOciPath(rest)) return artifact({ ...opening, text: rest });
  if ((await stat(resolve(io.cwd, rest)).catch(() => undefined))?.isDirectory() === true) {
    return indexFolder(opening);
  }
  const { openIndex } = await import('../../../sources/index/index-source.js');
  // Reading a large index takes seconds, in which no timer runs.
  if (io.interactive) io.status(`reading ${rest}`);
  try {
    return await openIndex(resolve(io.cwd, rest), text);
  } finally {
    if (io.interactive) io.status('');
  }
}

async function indexFolder({ rest, text, io, locked }: Opening): Promise<PackageSource> {
  const { IndexFolder } = await import('../../../store/index-folder.js');
  const { folderPlace } = await import('../../../sources/parts/parts-place.js');
  const { partsSource } = await import('../../../sources/parts/parts-source.js');
  const folder = new IndexFolder(resolve(io.cwd, rest), text);
  const place = folderPlace(folder, text);
  const state = locked.find(({ from }) => from === text);
  const standing = await place.current();
  const snapshot = await standing?.snapshot(state?.digest);
  // A lockfile names no path of one machine alone.
  if (snapshot !== undefined) return partsSource(snapshot, isAbsolute(rest) ? {} : { from: text });
  throw new SourceError('BAD_SOURCE', text, 'the folder does not hold an index in parts', {
    hint: '`xpkg-resolve index --out DIR/` writes one; for a folder of packages say `dir:PATH`',
  });
}

async function layout({ rest, text, io }: Opening): Promise<PackageSource> {
  const { openLayoutSource } = await import('../../../sources/layout-source.js');
  const { path, name } = splitName(rest);
  return openLayoutSource(resolve(io.cwd, path), {
    shown: name === undefined ? text : text.slice(0, text.lastIndexOf('=')),
    name,
    note: (line) => io.note(line),
  });
}

async function xpkg({ rest, text, io }: Opening): Promise<PackageSource> {
  const { path, name } = splitName(rest);
  if (name?.tag === undefined) {
    throw new InputError(`\`--from ${text}\` does not say which package the file is`, {
      hint: 'a file has no name of its own: `--from xpkg:FILE=REPOSITORY:TAG`',
    });
  }
  const { openXpkgSource } = await import('../../../sources/xpkg-source.js');
  const shown = text.slice(0, text.lastIndexOf('='));
  return openXpkgSource(resolve(io.cwd, path), { shown, ...name, tag: name.tag });
}

async function crossplaneCache({ rest, text, io }: Opening): Promise<PackageSource> {
  const { openCrossplaneCache } = await import('../../../sources/crossplane-cache-source.js');
  return openCrossplaneCache(resolve(io.cwd, rest), text);
}

async function registry({ registries }: Opening): Promise<PackageSource> {
  return (await registries())?.packages ?? unreachable;
}

/** A lockfile or an index that was pushed: it knows what it lists, and nothing else. */
async function artifact({ text, registries, locked, ahead }: Opening): Promise<PackageSource> {
  const { requireArtifact, requireFile, INDEX_TITLE, LOCK_TITLE } =
    await import('../../io/registry/registries.js');
  const { memorySource } = await import('../../../sources/memory-source.js');
  const state = locked.find(({ from }) => from === text);
  const held = await requireArtifact(pinnedTo(text, state?.digest), await registries());
  if (held.kind === 'parts') {
    const { PartsSnapshot } = await import('../../../sources/parts/parts-snapshot.js');
    const { partsSource } = await import('../../../sources/parts/parts-source.js');
    const snapshot = await PartsSnapshot.open(held.images, held.manifest, text);
    return partsSource(snapshot, { distant: ahead, from: text });
  }
  if (held.kind === 'index') {
    const { parseIndex } = await import('../../../sources/index/index-source.js');
    return memorySource(parseIndex(await requireFile(held, INDEX_TITLE, text), text));
  }
  const { lockIndex } = await import('../../../lock/lock-index.js');
  const { parseLockfile } = await import('../../../lock/parse-lockfile.js');
  const bytes = await requireFile(held, LOCK_TITLE, text);
  return memorySource(lockIndex(parseLockfile(Buffer.from(bytes).toString('utf8'), text)));
}

/** What a text names, in the state of that digest. */
function pinnedTo(text: string, digest: Digest | undefined): string {
  return digest === undefined ? text : `oci://${parseOciPath(text).name}@${digest}`;
}

/** Stands for registries with `--offline` and no cache: it throws, as neither yes nor no is known. */
const unreachable: PackageSource = {
  tags: async (repository) => {
    throw offline(repository);
  },
  fetch: async ({ repository, version }) => {
    throw offline(`${repository} ${version}`);
  },
};

function offline(subject: string): SourceError {
  return new SourceError('OFFLINE', subject, 'not at hand, and `--offline` forbids the network', {
    hint: 'there is no cache here: name one that has it with `--cache`, or a local source with `--from`',
  });
}

interface SplitName {
  readonly path: string;
  readonly name: { readonly repository: Repository; readonly tag: string | undefined } | undefined;
}

/** `PATH=REPOSITORY[:TAG]`; an equals sign that no reference follows is part of the path. */
function splitName(text: string): SplitName {
  const equals = text.lastIndexOf('=');
  const written = text.slice(equals + 1);
  if (equals < 1 || parseReference(written) === undefined || written.includes('@')) {
    return { path: text, name: undefined };
  }
  const { name, tag } = splitTag(written);
  return { path: text.slice(0, equals), name: { repository: name, tag } };
}
