const EVEN_BYTES = 64 * 1024;

/**
 * The same bytes in chunks that are not small, the last aside: each chunk takes some hundred bytes
 * of memory beside its own.
 */
export async function* evenChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let block = new Uint8Array();
  let used = 0;
  for await (const chunk of chunks) {
    if (used === 0 && chunk.length >= EVEN_BYTES) {
      yield chunk;
      continue;
    }
    for (let at = 0; at < chunk.length;) {
      if (used === 0) block = new Uint8Array(EVEN_BYTES);
      const part = chunk.subarray(at, at + EVEN_BYTES - used);
      block.set(part, used);
      used += part.length;
      at += part.length;
      if (used < EVEN_BYTES) continue;
      yield block;
      used = 0;
    }
  }
  if (used > 0) yield block.subarray(0, used);
}
