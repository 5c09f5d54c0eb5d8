/**
 * All bytes of a stream, unless there are more than `most`; undefined: there are.
 *
 * For files and pipes that the user names: a device such as /dev/zero has no size and no end.
 */
export async function boundedBytes(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
): Promise<Buffer | undefined> {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > most) return undefined;
    kept.push(chunk);
  }
  return Buffer.concat(kept, size);
}
