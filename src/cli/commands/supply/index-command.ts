import { access } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cannotWrite } from '../../../files/cannot-write.js';
import { writeTransaction } from '../../../files/transaction.js';
import { InputError } from '../../../model/input-error.js';
import type { IndexFile } from '../../../model/index-file.js';
import type { Repository } from '../../../model/package.js';
import type { PackageSource } from '../../../model/package-source.js';
import { knownReleases, targetFor } from '../../../model/target/target.js';
import { noStats } from '../../../driver/read-stats.js';
import { formatIndex, makeIndex } from '../../../sources/index/make-index.js';
import { command, type ArgsOf, type Flags } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { imageConfigFlag, imageConfigs } from '../../flags/source/image-config-flag.js';
import { compatFlag } from '../../flags/input-flags.js';
import { outputFlag } from '../../flags/output-flag.js';
import { jsonDocument } from '../../output/json-document.js';
import type { Io } from '../../io/io.js';
import { workingPlace } from '../../io/lock-file.js';
import { parseOciPath } from '../../io/registry/oci-path.js';
import { withProgress } from '../../io/progress.js';
import { openSources, sourceFlags } from '../../flags/source/source-flags.js';
import { BULK_TIMEOUT_S, timeoutFlag } from '../../flags/source/network-flags.js';

const flags = {
  ...sourceFlags,
  ...timeoutFlag(BULK_TIMEOUT_S),
  ...imageConfigFlag,
  ...compatFlag,
  out: { type: 'string', requiresArg: true, describe: 'File to write; .gz is zipped' },
  ...outputFlag,
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

/** `index`: what the sources hold, as one file that `--from index:` reads. */
export const indexCommand = command({
  positionals: {
    repositories: {
      type: 'string',
      array: true,
      describe:
        'Packages to put in; all, where the sources can list them. ' +
        '`push oci://REGISTRY/REPOSITORY:TAG` before them stores the index there',
    },
  },
  flags,
  examples: [
    ['$0 index --from dir:packages --out index.json.gz', 'all of a folder, as one file'],
    [
      '$0 index push oci://registry.example.org/team/index:v1 --from index:index.json.gz',
      'the same at a registry, for `--from index:oci://…`',
    ],
  ],
  run: async (args, io) => {
    const { destination, repositories } = destinationOf(args.repositories ?? []);
    // Before anything is read: the word after `push` must be a place at a registry.
    if (destination !== undefined) parseOciPath(destination);
    const stats = noStats();
    const source = await openSources(args, io, stats, await imageConfigs(args, io));
    const wanted = repositories.length > 0 ? repositories : await listed(source);
    const target = targetFor(knownReleases().at(-1)!)!;
    const index = await withProgress(io, stats, () =>
      makeIndex(source, wanted, target, { note: (line) => io.note(line), compat: args.compat }),
    );
    const missing = wanted.find((repository) => !Object.hasOwn(index.packages, repository));
    if (missing !== undefined) {
      throw new InputError(`no source knows \`${missing}\``, {
        hint: 'a package is named as dependsOn names it, registry included, without a tag',
      });
    }
    if (destination === undefined) await write(index, args, io);
    else await push(index, destination, args, io);
    return EXIT.done;
  },
});

/** `index push oci://… [repositories..]` stores the index instead of writing it. */
function destinationOf(words: readonly string[]): {
  readonly destination: string | undefined;
  readonly repositories: readonly string[];
} {
  const [first, destination, ...repositories] = words;
  if (first !== 'push') return { destination: undefined, repositories: words };
  if (destination !== undefined) return { destination, repositories };
  throw new InputError('`index push` does not say where to', {
    hint: '`xpkg-resolve index push oci://REGISTRY/REPOSITORY:TAG`',
  });
}

async function push(index: IndexFile, destination: string, args: Args, io: Io): Promise<void> {
  const { artifactOf } = await import('../../../image/artifact.js');
  const { pushArtifact } = await import('../../io/registry/push-artifact.js');
  const { INDEX_TITLE } = await import('../../io/registry/registries.js');
  const bytes = Buffer.from(formatIndex(index));
  const file = { title: INDEX_TITLE, mediaType: 'application/json', bytes };
  io.out(await pushArtifact(destination, artifactOf('index', [file]), args, io));
}

async function listed(source: PackageSource): Promise<readonly Repository[]> {
  if (source.repositories !== undefined) return source.repositories();
  throw new InputError('these sources cannot list what they hold', {
    hint: 'name the packages to index: `xpkg-resolve index REPOSITORY..`',
  });
}

async function write(
  index: IndexFile,
  { out, output }: Pick<Args, 'out' | 'output'>,
  io: Io,
): Promise<void> {
  const text = formatIndex(index);
  if (out === undefined) return io.out(text);
  const path = resolve(io.cwd, out);
  await access(dirname(path)).catch((error: unknown) => {
    throw cannotWrite(out, error);
  });
  const content = out.endsWith('.gz') ? gzipSync(text) : text;
  await writeTransaction([{ path, content }], workingPlace(io));
  const packages = Object.values(index.packages);
  const versions = packages.reduce((sum, held) => sum + Object.keys(held.versions).length, 0);
  if (output === 'json') {
    io.out(jsonDocument({ file: out, packages: packages.length, versions }));
  }
  io.note(`wrote ${out}: ${packages.length} packages, ${versions} versions`);
}
