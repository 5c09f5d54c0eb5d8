import type { KeptObject } from '../../../model/request.js';
import type { ArgsOf } from '../../command.js';
import type { Io } from '../../io/io.js';
import { fileFlag } from '../input-flags.js';

/** Where to pull from, for commands that fetch and ask for no set. */
export const imageConfigFlag = fileFlag(
  'File or folder with ImageConfigs to pull by, `-` for stdin; may be repeated (default: none)',
);

type ImageConfigArgs = ArgsOf<typeof imageConfigFlag>;

export async function imageConfigs(
  { file }: ImageConfigArgs,
  io: Io,
): Promise<readonly KeptObject[]> {
  if (file === undefined) return [];
  const { readImageConfigs } = await import('../../../inputs/read-inputs.js');
  return readImageConfigs({ files: file, cwd: io.cwd, stdin: () => io.stdin() });
}
