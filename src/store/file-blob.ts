import { createHash } from 'node:crypto';
import { printable } from '../text/printable.js';
import { SourceError } from '../model/source-error.js';
import type { BlobSink, ExpectedBlob } from '../image/blob.js';
import type { FileTree } from './file-tree.js';
import type { OpenBlob } from '../image/image-repository.js';
import { LIMITS } from '../image/limits.js';

/** What a blob in a file should be; undefined size: any. */
type Expected = Pick<ExpectedBlob, 'digest'> & { readonly size: number | undefined };

/** A blob in a file of a tree. */
export class FileBlob {
  readonly #tree: FileTree;
  readonly #path: string;
  readonly #expected: Expected;

  constructor(tree: FileTree, path: string, expected: Expected) {
    this.#tree = tree;
    this.#path = path;
    this.#expected = expected;
  }

  /** The whole file; undefined: there is none. */
  async bytes(limit: number): Promise<Uint8Array | undefined> {
    const { size = limit } = this.#expected;
    const length = (await this.#tree.size(this.#path)) ?? 0;
    // Not read to find that out: what it is said to be is small.
    if (length > size && length <= limit) throw this.#wrongSize(length);
    const bytes = await this.#tree.read(this.#path, limit);
    if (bytes === undefined) return undefined;
    const hash = createHash('sha256').update(bytes);
    this.#check(`sha256:${hash.digest('hex')}`, bytes.length);
    return bytes;
  }

  /** Copies the file, and checks its digest and size; false: there is none. */
  async copy(to: Pick<BlobSink, 'add'>, limit: number = LIMITS.copiedLayerBytes): Promise<boolean> {
    const chunks = await this.#tree.stream(this.#path, limit);
    if (chunks === undefined) return false;
    for await (const chunk of this.#checked(chunks)) await to.add(chunk);
    return true;
  }

  /** Checks the file, and again whenever it is read; undefined: there is none. */
  async open(limit: number): Promise<OpenBlob | undefined> {
    if (!(await this.copy({ add: async () => {} }, limit))) return undefined;
    const [tree, path] = [this.#tree, this.#path];
    const checked = (chunks: AsyncIterable<Uint8Array>) => this.#checked(chunks);
    return {
      async *chunks() {
        yield* checked((await tree.stream(path, limit)) ?? nothing());
      },
      close: async () => {},
    };
  }

  async *#checked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    let length = 0;
    for await (const chunk of chunks) {
      length += chunk.byteLength;
      hash.update(chunk);
      yield chunk;
    }
    this.#check(`sha256:${hash.digest('hex')}`, length);
  }

  #check(digest: string, length: number): void {
    const { size } = this.#expected;
    if (digest !== this.#expected.digest) {
      throw this.#bad(`is damaged: its digest is ${digest}`);
    }
    if (size !== undefined && size !== length) throw this.#wrongSize(length);
  }

  #wrongSize(length: number): SourceError {
    return this.#bad(`has ${length} bytes, and is said to have ${this.#expected.size}`);
  }

  #bad(what: string): SourceError {
    return new SourceError('BAD_DIGEST', this.#tree.shown, `\`${printable(this.#path)}\` ${what}`);
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
