import { findInputFiles } from '../../../inputs/input-files.js';
import { parseLockfile } from '../../../lock/parse-lockfile.js';
import type { ClusterDump } from '../../../model/cluster/cluster-dump.js';
import { InputError } from '../../../model/input-error.js';
import type { Before } from '../../../usecases/simulate/simulate.js';
import type { Io } from '../../io/io.js';
import { MAX_LOCKFILE_BYTES } from '../../io/lock-file.js';
import { DUMP_COMMAND } from '../../../usecases/cluster/rules/dump.js';
import { dumpText, readDumps } from '../cluster/dump-argument.js';

/** A lockfile gives the version of its format at the top, where objects of a cluster have `apiVersion`. */
const LOCKFILE_FORMAT = /^version: *\d/m;

/** By so many characters of a file it is told what it is. */
const HEAD_LENGTH = 64 * 1024;

/** What a cluster has before, by what `--onto` names: a lockfile, or dumps as `drift` takes them. */
export async function readBefore(named: string, io: Io): Promise<Before> {
  const files = await findInputFiles({ files: [named], cwd: io.cwd });
  const isFolder = files.every(({ folder }) => folder !== undefined);
  if (isFolder) return { dump: whole(await readDumps({ dump: named }, io, { isEnough }), named) };
  const { head, text } = await peeked(dumpText(named, io));
  if (LOCKFILE_FORMAT.test(head)) return { lockfile: await lockfileIn(text, named) };
  const dump = await readDumps({ dump: named }, io, { read: () => text, isEnough });
  return { dump: whole(dump, named) };
}

/** Refuses a dump of packages without their revisions, which rows of the Lock and objects belong to. */
function whole(dump: ClusterDump, named: string): ClusterDump {
  const { packages, revisions, lock } = dump;
  const known = new Set(revisions.map(({ name }) => name));
  const isBare = revisions.length === 0 && packages.length > 0 && (lock?.rows.length ?? 0) > 0;
  const without = packages.find(
    ({ currentRevision }) =>
      isBare || (currentRevision !== undefined && !known.has(currentRevision)),
  );
  if (without === undefined) return dump;
  const { kind, name, currentRevision } = without;
  const which =
    currentRevision === undefined ? 'its revision' : `its revision \`${currentRevision}\``;
  throw new InputError(`\`${named}\` has the ${kind} \`${name}\`, and not ${which}`, {
    hint: `\`${DUMP_COMMAND}\` prints what is wanted; a lockfile that was applied will do, too`,
  });
}

/** A cluster without packages may have rows of a Lock, which matter to what comes next. */
function isEnough({ packages, revisions, lock, kept }: ClusterDump): boolean {
  return packages.length + revisions.length + kept.length > 0 || lock !== undefined;
}

/** How a text begins, and all of it: a pipe cannot be read twice. */
async function peeked(chunks: AsyncGenerator<string>) {
  let head = '';
  while (head.length < HEAD_LENGTH) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    head += value;
  }
  return { head, text: all() };

  async function* all(): AsyncGenerator<string> {
    yield head;
    yield* chunks;
  }
}

async function lockfileIn(chunks: AsyncIterable<string>, named: string) {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length > MAX_LOCKFILE_BYTES) {
      throw new InputError('is larger than any lockfile', { origin: { file: named } });
    }
  }
  return parseLockfile(text, named);
}
