import { access } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { cannotWrite } from '../../../files/cannot-write.js';
import { writeTransaction } from '../../../files/transaction.js';
import type { PackageGraph } from '../../../graph/package-graph.js';
import type { Io } from '../../io/io.js';
import { workingPlace } from '../../io/lock-file.js';
import { formatOfFile, graphText, noteLimits, type GraphFormat } from './graph-format.js';

/** Writes a graph to a file that the user names; `format`: where its name does not decide. */
export async function writeGraph(
  graph: PackageGraph,
  out: string,
  io: Io,
  format: GraphFormat = formatOfFile(out),
): Promise<void> {
  const path = resolve(io.cwd, out);
  await access(dirname(path)).catch((error: unknown) => {
    throw cannotWrite(out, error);
  });
  const content = await graphText(graph, format);
  await writeTransaction([{ path, content }], workingPlace(io));
  io.note(`wrote ${out}`);
  await noteLimits(content, format, io);
}
