import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { buildPlainTar } from '../../../src/oci/image/build-image.js';

const file = (name: string, size: number) => ({ name, bytes: Buffer.alloc(size, 'x') });

/** The output of tar-stream for the same files: digests in lockfiles depend on these bytes. */
async function byLibrary(files: readonly { name: string; bytes: Buffer }[]): Promise<Buffer> {
  const tar = pack();
  for (const { name, bytes } of files) {
    tar.entry({ name, mode: 0o644, mtime: new Date(0), uid: 0, gid: 0, size: bytes.length }, bytes);
  }
  tar.finalize();
  return buffer(tar);
}

describe('a plain tar is the same as from the library', () => {
  test.each([
    { why: 'one file', files: [file('package.yaml', 300)] },
    { why: 'a file that fills its blocks', files: [file('package.yaml', 1024)] },
    { why: 'a byte more', files: [file('package.yaml', 1025)] },
    { why: 'an empty file', files: [file('package.yaml', 0)] },
    { why: 'a size of seven octal digits', files: [file('package.yaml', 0o1234567)] },
    { why: 'several', files: [file('.registry/app.yaml', 700), file('.registry/b c.yaml', 5)] },
    { why: 'the longest name', files: [file(`a/${'n'.repeat(98)}`, 1)] },
    { why: 'none at all', files: [] },
  ])('$why', async ({ files }) => {
    expect(Buffer.compare(buildPlainTar(files)!, await byLibrary(files))).toBe(0);
  });
});

test.each([
  { why: 'too long for one header', name: `a/${'n'.repeat(99)}` },
  { why: 'not ASCII', name: 'ä.yaml' },
  { why: 'no name', name: '' },
])('an unsupported name: $why', ({ name }) => {
  expect(buildPlainTar([file('package.yaml', 1), file(name, 1)])).toBeUndefined();
});
