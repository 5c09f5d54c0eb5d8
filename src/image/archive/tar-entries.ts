import { posix } from 'node:path';
import { SourceError } from '../../model/source-error.js';
import { printable } from '../../text/printable.js';
import { LIMITS, type Limits } from '../limits.js';
import { DamagedTar, readTar, type RawEntry } from './tar-reader.js';

export interface TarEntry {
  /** As written. */
  readonly name: string;
  /** As Go's `filepath.Clean` leaves it. */
  readonly path: string;
  readonly type: RawEntry['type'];
  /** Where its content lies in the tar. */
  readonly extent: { readonly offset: number; readonly size: number };
  /** Read it before the next entry is asked for, or not at all. */
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * The entries of a tar, in order, for untrusted bytes: a path that comes twice is refused, as is
 * what Go refuses.
 *
 * Nothing is ever written to disk, so links and devices are names and no more. What follows the end
 * of the tar belongs to no file, but is read: it counts as unpacked.
 */
export async function* tarEntries(
  bytes: AsyncIterable<Uint8Array>,
  subject: string,
  limits: Limits = LIMITS,
): AsyncGenerator<TarEntry> {
  const names = new EntryNames(subject, limits);
  try {
    for await (const { name, type, offset, size, content } of readTar(bytes)) {
      const path = names.add(name, type);
      const explained = explaining(content, subject);
      yield { name, path, type, extent: { offset, size }, content: explained };
    }
  } catch (error) {
    throw explain(error, subject);
  }
}

async function* explaining(
  content: AsyncIterable<Uint8Array>,
  subject: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    throw explain(error, subject);
  }
}

function explain(error: unknown, subject: string): unknown {
  return error instanceof DamagedTar ? new NotATar(subject, error) : error;
}

/** Bytes that are no tar, not all of one, or one that two readers could read differently. */
export class NotATar extends SourceError {
  constructor(subject: string, cause: DamagedTar) {
    super('BAD_IMAGE', subject, `not a tar archive, or cut off (${cause.message})`, { cause });
  }
}

/** Counts the entries of one tar and their names, and refuses a path that comes twice. */
class EntryNames {
  readonly #subject: string;
  readonly #limits: Limits;
  readonly #seen = new Set<string>();
  #count = 0;
  #characters = 0;

  constructor(subject: string, limits: Limits) {
    this.#subject = subject;
    this.#limits = limits;
  }

  /** The name as a clean path. */
  add(name: string, type: RawEntry['type']): string {
    const { tarEntries: mostEntries, tarNameChars, tarNamesChars, tarNameDepth } = this.#limits;
    this.#count += 1;
    this.#characters += name.length;
    if (this.#count > mostEntries) {
      throw this.#tooLarge(`the layer has more than ${mostEntries} files`);
    }
    if (name.length > tarNameChars) {
      const what = `the layer has a file whose name is longer than ${tarNameChars} characters`;
      throw this.#tooLarge(what);
    }
    if (this.#characters > tarNamesChars) {
      const what = `the names of the layer's files have more than ${tarNamesChars} characters together`;
      throw this.#tooLarge(what);
    }
    const path = cleaned(name);
    // To look for the folders of a path takes time by the square of their number.
    if (path.split('/', tarNameDepth + 2).length > tarNameDepth + 1) {
      throw this.#tooLarge(`the layer has a file that lies more than ${tarNameDepth} folders deep`);
    }
    if (this.#seen.has(path)) {
      const what = `the layer holds \`${printable(path)}\` twice, so two readers could see two files`;
      throw new SourceError('BAD_IMAGE', this.#subject, what);
    }
    // Archivers do repeat folders and global headers, which hold no content that readers could differ over.
    if (type === 'file' || type === 'other') this.#seen.add(path);
    return path;
  }

  #tooLarge(what: string): SourceError {
    return new SourceError('TOO_LARGE', this.#subject, what);
  }
}

function cleaned(name: string): string {
  const path = posix.normalize(name);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
