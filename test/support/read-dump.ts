import type { ClusterDump } from '../../src/crossplane/package-manager/cluster-dump.js';
import { DumpReader } from '../../src/project/inputs/read-dump.js';

/** Reads dumps that are in memory. */
export function readDump(
  texts: readonly { readonly file: string; readonly text: string }[],
): ClusterDump {
  const reader = new DumpReader();
  for (const { file, text } of texts) {
    const sink = reader.file(file);
    sink.push(text);
    sink.end();
  }
  return reader.dump;
}
